"""What ratproof does where something is not there: a home, a cache that can be written, pynini."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from automata import cache_folder as caches

EXAMPLES = Path(__file__).parents[2] / "ratproof" / "examples"
WITHOUT_PYNINI = """
import sys
sys.modules["pynini"] = None
from ratproof.main import run
sys.exit(run(sys.argv[1:]))
"""
NO_PLACE_FOR_NUMBA = """
import numpy as np
from numba.core import caching
for kind in caching.CacheImpl._locator_classes:
    kind.from_function = classmethod(lambda cls, function, file: None)
from automata.batch import scores
from automata.semirings import REAL
from automata.wfsa import WFSA
half = np.array([[0.5]])
print(*scores(WFSA(REAL, half[0], half[0], {"a": half}), ["", "aa"]))
"""
AS_INSTALLED = f"""
import sys
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in repr(finder)]  # nor of a clone
sys.path.append({str(EXAMPLES.parents[1])!r})
from ratproof.start import main
main()
"""


def ratproof(program: str, *arguments: str, folder: Path) -> tuple[int, str, str]:
    ran = subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=folder, capture_output=True, text=True
    )
    return ran.returncode, ran.stdout, ran.stderr


def test_without_pynini_claims_of_ones_own_are_checked_by_the_rest(tmp_path):
    file = str(EXAMPLES / "my_claim.py")
    status, out, _ = ratproof(WITHOUT_PYNINI, "check", file, "bigrams", "--json", folder=tmp_path)
    report = json.loads(out)
    assert status == 0 and report["as_expected"]
    assert {row["kind"] for row in report["results"]} == {"sampled", "exhausted", "decided"}
    assert [(row["kind"], "pynini" in row["why"]) for row in report["not_run"]] == [("cross-checked", True)]


def test_without_pynini_the_claims_are_verified_by_the_rest(tmp_path):
    status, out, _ = ratproof(WITHOUT_PYNINI, "verify", "fa-rnn-viterbi", folder=tmp_path)
    assert status == 0 and "cross-checked (4 variants): not run: OpenFst cannot be asked" in " ".join(
        out.split()
    )


def test_what_pynini_alone_shows_is_unknown_without_it(tmp_path):
    status, out, _ = ratproof(WITHOUT_PYNINI, "verify", "--kind", "cross-checked", folder=tmp_path)
    assert status == 3 and "not run: OpenFst cannot be asked" in " ".join(out.split())


def test_without_a_place_for_compiled_loops_they_are_compiled_all_the_same(tmp_path):
    assert ratproof(NO_PLACE_FOR_NUMBA, folder=tmp_path) == (0, "0.25 0.0625\n", "")


def test_a_cache_is_the_users_or_the_one_that_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv(caches.VARIABLE, str(tmp_path / "named"))
    assert caches.cache_folder("coq") == tmp_path / "named" / "coq" and caches.lasts("coq")


@pytest.mark.parametrize("place", ["~/.cache/ratproof", "/proc/none"])
def test_without_a_cache_it_is_a_temporary_folder_of_this_process(place, monkeypatch):
    # set first, so that afterwards it is as before: else later tests build all anew, in a folder that is gone
    monkeypatch.setenv(caches.VARIABLE, place)
    monkeypatch.delenv(caches.VARIABLE)
    monkeypatch.setattr(caches.platformdirs, "user_cache_path", lambda name: Path(place))
    monkeypatch.setattr(caches.atexit, "register", lambda *arguments, **options: None)
    assert not caches.lasts("coq")
    folder = caches.cache_folder("coq")
    try:
        assert not caches.lasts("coq")
        assert folder.is_dir() and folder.parent.stat().st_mode & 0o077 == 0
        assert caches.cache_folder("coq") == folder == Path(os.environ[caches.VARIABLE]) / "coq"
        assert not Path("~").exists()
    finally:
        caches.shutil.rmtree(folder.parent)


@pytest.mark.parametrize("package", ["automata", "neural"])
def test_a_package_of_the_same_name_is_named_in_one_sentence(package, tmp_path):
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text("")
    command = [sys.executable, "-m", "ratproof", "--version"]  # Python looks into the folder first
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    hides = f"{tmp_path / package} hides ratproof's own package {package}: "
    assert ran.returncode == 2 and ran.stderr.startswith(f"ratproof: {hides}") and ran.stderr.count("\n") == 1
    status, _, said = ratproof("import ratproof; ratproof.WFSA", folder=tmp_path)
    assert status == 1 and said.splitlines()[-1].startswith(f"ImportError: {hides}")


@pytest.mark.parametrize(("package", "command"), [("training", "train --list")])
def test_a_package_that_only_some_commands_need_stops_only_those(package, command, tmp_path):
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text("")
    for arguments, status in ((command, 2), (f"rank {EXAMPLES / 'fading.json'}", 0)):
        ran, _, said = ratproof(AS_INSTALLED, *arguments.split(), folder=tmp_path)
        assert ran == status, said
        hides = f"{tmp_path / package} hides ratproof's own package {package}: run ratproof in another folder"
        assert (hides in said and said.count("\n") == 1) if status else not said
