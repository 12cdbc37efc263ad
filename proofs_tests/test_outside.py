"""Tests that the files in ``outside/`` are consistent, without the tested libraries.

The files are programs, verdicts, defects and scripts. Programs for a GPU are replaced by small programs.
"""

import ast
import json
import time
import tomllib

import pytest
import torch

outside = pytest.importorskip("outside", reason="the folder is in no wheel")
import outside.__main__ as command  # noqa: E402
from outside.__main__ import VERDICTS, held, main, worst_first  # noqa: E402
from outside.entry import Entry  # noqa: E402
from outside.holding import laws  # noqa: E402
from outside.table import ENTRIES  # noqa: E402
from ratproof import kernel_claim  # noqa: E402

FOLDER = VERDICTS.parent
KEPT = {
    f"{file.parent.name}/{file.stem}": json.loads(file.read_text())
    for file in sorted(VERDICTS.rglob("*.json"))
}
DEFECTS = tomllib.loads((FOLDER / "defects.toml").read_text())["defect"]
BY_KEY = {entry.key: entry for table in ENTRIES.values() for entry in table.values()}


def test_each_verdict_is_about_a_program_in_the_table():
    for key, verdict in KEPT.items():
        entry = BY_KEY[key]
        expected = [entry.device, entry.name, entry.path, entry.library]
        assert [verdict[name] for name in ("device", "name", "path", "library")] == expected
        assert verdict["laws"] or verdict["not_run"]


def test_each_defect_of_a_program_is_in_its_verdict():
    for defect in DEFECTS:
        for key in defect["entries"]:
            assert key in BY_KEY
            if key.startswith("cuda/") and key not in KEPT:
                continue  # these defects occurred on a GPU, before its verdicts were stored
            verdicts = {law["verdict"] for law in KEPT[key]["laws"] if law["law"] in defect["law"]}
            assert verdicts & {"refuted", "unknown"}


def test_each_defect_has_a_script_that_needs_no_ratproof():
    scripts = {file.name for file in (FOLDER / "reports").glob("*.py")}
    assert {defect["report"] for defect in DEFECTS} == scripts
    for name in scripts:
        imports = [
            n
            for n in ast.walk(ast.parse((FOLDER / "reports" / name).read_text()))
            if isinstance(n, ast.ImportFrom)
        ]
        assert not [
            n for n in imports if (n.module or "").split(".")[0] in ("ratproof", "outside", "automata")
        ]


def sums(*, f, u, initial_state):
    """Compute the recurrence of the family ``elementwise``."""
    states = []
    for t in range(u.shape[1]):
        initial_state = u[:, t] + f[:, t] * (0 if initial_state is None else initial_state)
        states.append(initial_state)
    return torch.stack(states, 1), initial_state


def entry_of(kernel, name="sums", device="cpu", path="theirs.sums"):
    def claim(seconds):
        return kernel_claim(
            name, kernel=kernel, family="elementwise", longest=5, without=["empty"], seconds=seconds
        )

    return Entry(name, "torch", path, claim, device=device, cases=5)


def test_each_check_is_reported_when_it_is_finished():
    results = list(laws(entry_of(sums), 60))
    assert [law["law"] for law in results] == ["exact", "sampled", "gradient", "split", "independence"]
    assert {law["verdict"] for law in results} == {"holds"}


def test_a_slow_kernel_is_unknown_within_its_time():
    def slow(*, f, u, initial_state):
        time.sleep(0.5)
        return sums(f=f, u=u, initial_state=initial_state)

    results = list(laws(entry_of(slow), 3))
    assert {law["verdict"] for law in results} == {"unknown"}
    assert "seconds were too short" in results[0]["why"]


@pytest.mark.parametrize("printed", ['{"law": "exact"}\n{"law": "samp', b'{"law": "exact"}\n'])
def test_a_stopped_program_keeps_the_checks_that_it_finished(monkeypatch, printed):
    def stopped(command, **options):
        raise command_line.TimeoutExpired(command, options["timeout"], printed)

    command_line = command.subprocess
    monkeypatch.setattr(command_line, "run", stopped)
    verdict = held(entry_of(sums), None, 7)
    assert verdict["laws"] == [{"law": "exact"}]
    assert verdict["not_run"] == "it took longer than 7 seconds"


def test_programs_of_a_gpu_run_worst_first_and_are_kept_beside_those_of_the_cpu(
    monkeypatch, tmp_path, capsys
):
    table = {
        name: entry_of(sums, name, "cuda", f"theirs.{name}") for name in ("right", "new", "wrong", "slow")
    }
    monkeypatch.setitem(command.ENTRIES, "cuda", table)
    monkeypatch.setattr(command, "has_gpu", lambda: True)
    monkeypatch.setattr(command, "described", lambda entry, laws, why="": {})
    (tmp_path / "cpu").mkdir()
    for name, verdict, seconds in (("right", "holds", 1), ("wrong", "refuted", 1), ("slow", "holds", 2)):
        kept = {"path": f"theirs.{name}", "laws": [{"verdict": verdict, "seconds": seconds}]}
        (tmp_path / "cpu" / f"{name}.json").write_text(json.dumps(kept))
    expected = ["wrong", "new", "slow", "right"]
    assert [entry.name for entry in worst_first(table.values(), tmp_path)] == expected

    ran = []

    def run(entry, cases, seconds):
        ran.append((entry.name, seconds))
        law = {"law": "exact", "verdict": "holds"}
        return {"name": entry.name, "laws": [law] if entry.name == "new" else [], "not_run": ""}

    monkeypatch.setattr(command, "held", run)
    arguments = ["--device", "cuda", "--seconds", "9", "--jobs", "1", "--verdicts", str(tmp_path)]
    assert main(arguments) == 0
    assert sorted(ran) == [(name, 9) for name in sorted(table)]
    assert {file.stem for file in (tmp_path / "cuda").iterdir()} == set(table)
    assert "new: exact holds" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--device", "cuda"], "--device cuda needs a GPU, but torch.cuda.is_available() is False"),
        (["--device", "cuda", "fla-naive-gla"], "on cuda, got fla-naive-gla"),
        (["--seconds", "0"], "--seconds must be positive, got 0"),
    ],
)
def test_a_missing_gpu_and_wrong_arguments_have_exit_status_2(monkeypatch, capsys, arguments, message):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_the_script_for_a_gpu_knows_the_number_of_programs():
    script = FOLDER.parent / "bench" / "gpu.py"
    assert f"parts={len(ENTRIES['cuda'])}," in script.read_text()
    assert {entry.path for entry in ENTRIES["cuda"].values() if entry.name.endswith("-bfloat16")} == {
        entry.path for entry in ENTRIES["cuda"].values()
    }
