"""Tests of the script for a GPU, on a CPU with small commands instead of its steps."""

import importlib.util
import json
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "bench" / "gpu.py"
pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="the folder is in no wheel")
WRITES = "import sys; open(sys.argv[1], 'w').write('1')"


@pytest.fixture
def gpu(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("gpu_script", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    step = lambda code, seconds, printed: module.GpuStep(
        ("-c", code, "{file}"), "docs/verdicts/cuda.json" if printed else "bench/results/one.json", seconds,
        ("source.py",), printed,
    )  # fmt: skip
    steps = {"scan": step(WRITES, 60, False), "verify": step("print(2)", 60, True)}
    monkeypatch.setattr(module, "STEPS", steps | {"outside": step("while True: pass", 1, True)})
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "KEPT", tmp_path / "bench" / "results" / "gpu.json")
    (tmp_path / "source.py").write_text("one")
    (tmp_path / "out").mkdir()
    return module


def test_results_are_stored_in_the_project_and_not_measured_again(gpu, tmp_path, capsys):
    run = lambda: gpu.run(tmp_path / "out", 1, "cpu", ["scan", "verify"], None)
    run()
    gpu.keep(tmp_path / "out")
    assert (tmp_path / "bench/results/one.json").read_text() == "1"
    assert (tmp_path / "docs/verdicts/cuda.json").read_text() == "2\n"
    expected = {"scan": 0, "verify": 0}
    assert {what: row["status"] for what, row in json.loads(gpu.KEPT.read_text()).items()} == expected
    capsys.readouterr()
    run()
    assert capsys.readouterr().out.count("skipped") == 2
    (tmp_path / "source.py").write_text("another")
    run()
    assert "skipped" not in capsys.readouterr().out


def test_a_step_beyond_its_time_is_stopped_and_earlier_results_are_stored(gpu, tmp_path):
    gpu.run(tmp_path / "out", 1, "cpu", ["scan", "outside"], None)
    with tarfile.open(tmp_path / "out" / gpu.ARCHIVE) as archive:
        about = json.load(archive.extractfile("bench/results/gpu.json"))
        assert "bench/results/one.json" in archive.getnames()
    assert {what: row["status"] for what, row in about.items()} == {"scan": 0, "outside": 124}


def test_training_beyond_its_time_is_stopped_and_recorded(gpu, tmp_path, monkeypatch):
    endless = lambda *arguments: subprocess.Popen([sys.executable, "-c", "while True: pass"])
    monkeypatch.setattr(gpu, "_train", endless)
    gpu.run(tmp_path / "out", -1, "cpu", ["train"], None)
    gpu.keep(tmp_path / "out")
    assert json.loads(gpu.KEPT.read_text())["train"]["status"] == -signal.SIGTERM
