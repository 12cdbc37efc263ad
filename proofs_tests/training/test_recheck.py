"""Tests of ``results --recheck``, which runs stored proved results again and compares the results."""

import json
import random
from copy import deepcopy
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from automata.errors import FormatError
from proofs_tests.training.command_line import command_line
from ratproof import main
from training import evidence
from training.engine.names import RESULT
from training.engine.progress import Progress
from training.engine.results import read_archive, write_archive
from training.engine.results import result as new_result
from training.engine.settings import Settings
from training.evidence import ABOUT, CERTIFICATE, NETWORK, kept_in, write
from training.machine import installation
from training.recheck import recheck
from training.results_command import KEPT

__all__ = ["command_line"]
NAME = "tomita-sr-gru-grammar-1-ours-seed-3"
"""A run that takes about a second."""


@cache
def stored() -> tuple[dict[str, Any], dict[str, dict[str, bytes]]]:
    """Return the stored results of the languages, and their networks."""
    return read_archive(KEPT / "languages"), evidence.kept_in(KEPT / "languages")


def one_run(folder: Path, figure: float | None = None) -> None:
    """Write a folder with a stored run and its network; ``figure`` replaces a metric."""
    folder.mkdir()
    result = deepcopy(stored()[0][f"{NAME}.json"])
    if figure is not None:
        result["metrics"]["boxes"] = figure
    write_archive({f"{NAME}.json": result}, folder)
    evidence.write({NAME: stored()[1][NAME]}, folder)


def test_every_proved_language_has_a_network():
    results, networks = stored()
    proved = {name.removesuffix(".json") for name, one in results.items() if evidence.is_proved(one)}
    assert proved <= set(networks) and len(proved) > 50
    assert sum(path.stat().st_size for path in KEPT.rglob(evidence.ARCHIVE)) < 10_000_000


def test_the_kept_files_of_an_unpacked_run_are_those_that_were_unpacked(tmp_path):
    results, networks = stored()
    contents, result = networks[NAME], results[f"{NAME}.json"]
    evidence.unpack(contents, tmp_path)
    assert evidence.has_network(tmp_path)
    (tmp_path / RESULT).write_text(json.dumps(result))
    again = evidence.contents_of(tmp_path)
    network, certificate = (name for name in contents if name != evidence.ABOUT)
    assert again[network] == contents[network]
    assert json.loads(again[certificate]) == json.loads(contents[certificate])
    about = {"commit": None, "sources": None, "machine": result["machine"]}
    assert json.loads(again[evidence.ABOUT]) == about  # this older result does not contain them
    trained = {"commit": "4af1", "sources": "77e0"}
    (tmp_path / RESULT).write_text(json.dumps(result | {"machine": result["machine"] | trained}))
    assert json.loads(evidence.contents_of(tmp_path)[evidence.ABOUT]) == about | trained


def test_a_result_has_the_commit_of_its_training() -> None:
    """The archive of networks takes the commit from the result, and not from the time of archiving."""
    progress, settings = Progress(rate=1.0), Settings()
    entry = new_result("dfa", settings, progress, {}, None, {})["machine"]
    assert entry["sources"]
    assert {name: entry[name] for name in ("commit", "sources")} == installation()


def test_a_random_new_run_equals_the_stored_one(capsys):
    """The run is drawn from those that took less than 2.6 seconds; its name and the seed are printed."""
    results, kept = stored()
    seed = random.SystemRandom().getrandbits(32)
    fast = sorted(name for name in kept if _seconds(results[f"{name}.json"]) < 2.6)
    name = random.Random(seed).choice(fast)
    with capsys.disabled():
        print(f"\nrecheck {name} (seed {seed})")
    check = recheck(name, results[f"{name}.json"], kept[name])
    assert check.checker == "accepted"
    assert check.verdict in ("same", "unknown"), check


def _seconds(result: dict[str, Any]) -> float:
    return float(result["seconds"] + result["certifying"])


@pytest.mark.parametrize(
    ("figure", "checker", "statuses", "differences"),
    [
        (None, "accepted", (0,), []),
        (99.0, "accepted", (1, 3), ["metrics.boxes"]),
        (None, "rejected", (1,), []),
    ],
)
def test_a_changed_figure_or_a_rejected_certificate_is_reported(
    figure, checker, statuses, differences, tmp_path, command_line, capfd, monkeypatch
):
    """In place of a new run, the test uses the stored run; another test trains and checks again."""

    def unpack_stored(result: dict[str, Any], folder: Path) -> None:
        results, networks = stored()
        evidence.unpack(networks[NAME], folder)
        (folder / RESULT).write_text(json.dumps(results[f"{NAME}.json"]))

    monkeypatch.setattr("training.recheck.run_again", unpack_stored)
    monkeypatch.setattr("training.recheck.judge", lambda certificate: SimpleNamespace(verdict=checker))
    one_run(tmp_path / "languages", figure)
    assert main.run(["results", str(tmp_path), "--recheck", "1", "--json"]) in statuses
    (check,) = json.loads(capfd.readouterr().out)["rechecks"]
    assert (check["differences"], check["checker"]) == (differences, checker)


def test_there_must_be_as_many_networks(tmp_path, command_line, capfd):
    assert main.run(["results", str(tmp_path), "--recheck", "1"]) == 2
    assert "--recheck must be at most" in capfd.readouterr().err


def test_a_corrupt_archive_of_networks_is_a_format_error(tmp_path):
    write({"run": dict.fromkeys((NETWORK, CERTIFICATE, ABOUT), bytes(range(256)) * 50)}, tmp_path)
    (archive,) = tmp_path.iterdir()
    data = bytearray(archive.read_bytes())
    for at in range(len(data) // 3, len(data) // 2):
        data[at] ^= 255
    archive.write_bytes(data)
    with pytest.raises(FormatError, match="must be an archive of networks"):
        kept_in(tmp_path)
