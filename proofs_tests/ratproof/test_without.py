"""Tests of ratproof without a home folder, a writable cache, or pynini."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from automata import cache_folder as caches
from automata import extras
from proofs_tests.processes import python

EXAMPLES = Path(__file__).parents[2] / "ratproof" / "examples"
WITHOUT_PYNINI = """
import sys
sys.modules["pynini"] = None
from ratproof.main import run
for number, line in enumerate(sys.argv[1:]):
    print("END" * (number > 0), flush=True)
    print("status", run(line.split()), flush=True)
"""
"""Source of a program that runs several command lines without pynini, and prints their exit statuses."""
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
    ran = python("-c", program, *arguments, cwd=folder)
    return ran.returncode, ran.stdout, ran.stderr


def test_without_pynini_claims_get_all_other_evidence(tmp_path):
    lines = [
        f"check {EXAMPLES / 'my_claim.py'} bigrams --examples 5 --json",
        "verify fa-rnn-eq-4 --kind exhausted --kind cross-checked",
        "verify fa-rnn-eq-4 --kind cross-checked",
    ]
    status, out, error = ratproof(WITHOUT_PYNINI, *lines, folder=tmp_path)
    assert status == 0, error
    assert not (tmp_path / ".hypothesis").exists()  # Hypothesis stores its files in the cache folder
    own, builtin, only = (" ".join(text.split()) for text in out.split("END"))
    report = json.loads(own.removesuffix("status 0"))
    assert own.endswith("status 0") and report["as_expected"]
    assert {row["kind"] for row in report["results"]} == {"sampled", "exhausted", "decided"}
    assert [(row["kind"], "pynini" in row["why"]) for row in report["not_run"]] == [("cross-checked", True)]
    assert builtin.endswith("status 0") and only.endswith("status 3")
    assert all("cross-checked (2 variants): not run: OpenFst requires pynini" in x for x in (builtin, only))


def test_loops_are_compiled_without_a_writable_cache(tmp_path):
    assert ratproof(NO_PLACE_FOR_NUMBA, folder=tmp_path) == (0, "0.25 0.0625\n", "")


def test_the_cache_is_the_users_or_the_configured_one(tmp_path, monkeypatch):
    monkeypatch.setenv(caches.VARIABLE, str(tmp_path / "named"))
    assert caches.cache_folder("coq") == tmp_path / "named" / "coq" and caches.lasts("coq")


@pytest.mark.parametrize("folder_name", ["~/.cache/ratproof", "/proc/none"])
def test_without_a_cache_a_temporary_folder_is_used(folder_name, monkeypatch):
    # Set this first, so that it is restored. Otherwise, later tests build in a folder that was deleted.
    monkeypatch.setenv(caches.VARIABLE, folder_name)
    monkeypatch.delenv(caches.VARIABLE)
    monkeypatch.setattr(caches.platformdirs, "user_cache_path", lambda name: Path(folder_name))
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
def test_a_package_of_the_same_name_gives_a_one_line_error(package, tmp_path):
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text("")
    command = [sys.executable, "-m", "ratproof", "--version"]  # Python searches this folder first
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    hides = f"{tmp_path / package} shadows ratproof's package {package}; "
    assert ran.returncode == 2 and ran.stderr.startswith(f"ratproof: {hides}") and ran.stderr.count("\n") == 1
    status, _, error = ratproof("import ratproof; ratproof.WFSA", folder=tmp_path)
    assert status == 1 and error.splitlines()[-1].startswith(f"ImportError: {hides}")


@pytest.mark.parametrize(("package", "command"), [("training", "train --list")])
def test_a_package_that_only_some_commands_need_stops_only_those(package, command, tmp_path):
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text("")
    for arguments, status in ((command, 2), (f"rank {EXAMPLES / 'fading.json'}", 0)):
        ran, _, error = ratproof(AS_INSTALLED, *arguments.split(), folder=tmp_path)
        assert ran == status, error
        hides = f"{tmp_path / package} shadows ratproof's package {package}; run ratproof in another folder"
        assert (hides in error and error.count("\n") == 1) if status else not error


OURS = ("automata", "theory", "neural", "ratproof")
THEIRS = ("base", "fa", "pda", "regex", "tm")
"""The packages in automata-lib's ``automata``, which also has an empty ``__init__.py``."""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return a folder with our packages, as a wheel installs them."""
    folder = tmp_path_factory.mktemp("site")
    for name in OURS:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(EXAMPLES.parents[1] / name, folder / name, ignore=ignored)
    return folder


BESIDE = {
    "automata-lib was installed last": ({"__init__.py": "", "fa/__init__.py": ""}, ""),
    "ratproof was installed last": ({"fa/__init__.py": "", "regex/__init__.py": "import networkx"}, ""),
    "automata-lib was removed": ({"__init__.py": None, "py.typed": None}, ""),
    "their package cannot be imported": (
        {"__init__.py": "import a_package_that_is_not_there"},
        "cannot be imported (No module named 'a_package_that_is_not_there')",
    ),
    "a part of ours was removed": ({"wfsa.py": None}, "automata.wfsa is missing from the installation"),
}
"""Changes to files in ``automata``, where ``None`` removes a file, with ratproof's messages."""


@pytest.mark.parametrize("files, says", BESIDE.values(), ids=BESIDE)
def test_next_to_automata_lib_ratproof_works_or_prints_a_fix(files, says, site, tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)
    package = site / "automata"
    before = {name: (package / name).read_text() for name in files if (package / name).exists()}
    program = AS_INSTALLED.replace(repr(str(EXAMPLES.parents[1])), repr(str(site)))
    try:
        for name, text in files.items():
            (package / name).parent.mkdir(exist_ok=True)
            (package / name).unlink() if text is None else (package / name).write_text(text)
        status, out, error = ratproof(program, "score", str(EXAMPLES / "fading.json"), "a b", folder=tmp_path)
    finally:
        for name in files:
            (package / name).unlink(missing_ok=True)
        for name, text in before.items():
            (package / name).write_text(text)
    if not says:
        assert (status, out, error) == (0, "1/2\n", "")
        return
    assert status == 2 and not out and error.count("\n") == 1
    assert says in error and "pip install --force-reinstall --no-deps . in a clone of ratproof" in error


def test_no_module_of_ours_has_the_name_of_an_automata_lib_module():
    ours = {path.stem for path in (EXAMPLES.parents[1] / "automata").iterdir()}
    assert not ours & set(THEIRS)


HIDING = """
import sys
hidden = set(sys.argv.pop(1).split(","))
class Hiding:
    def __init__(self, finder):
        self.finder = finder
    def __getattr__(self, name):
        return getattr(self.finder, name)
    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in hidden else self.finder.find_spec(name, path, target)
sys.meta_path = [Hiding(finder) for finder in sys.meta_path]
from ratproof.start import main
main()
"""
"""Source of a program that runs the command line while the packages ``hidden`` cannot be imported."""
LIGHT = {"numpy", "numba", "flint", "typer", "rich"}
"""The packages that docs/get_started/install.md requires to score and compare automata."""
PACKAGES = {*extras.NEEDED, *(name for names in extras.EXTRAS.values() for name in names)}


@pytest.mark.parametrize(
    "arguments, says",
    [
        ("score fading.json", "1/2\n"),
        ("equivalent fading.json parity.json --certificate {0}", "equivalent: "),
        ("check-certificate {0} --of fading.json parity.json", "accepted: "),
        ("equivalent fading.json typo.json", 'different: on "a a b"'),
        ("equivalent chain.att chain.att", "equivalent: "),
    ],
)
def test_five_packages_suffice_to_compare_automata(arguments, says, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp() / "light"
    if not folder.is_dir():
        shutil.copytree(EXAMPLES, folder)
        chain = [f"{i} {i + 1} {'x' if i % 3 else '<eps>'} {i % 5}" for i in range(200)]
        (folder / "chain.att").write_text("\n".join([*chain, "200", ""]))
    words = arguments.format("equal.json").split()
    words += ["a b"] if words[0] == "score" else []
    without = ",".join(PACKAGES - LIGHT)
    status, out, error = ratproof(HIDING, without, *words, folder=folder)
    assert out.startswith(says) and status == ("typo.json" in words) and not error


def test_automata_import_without_torch_hypothesis_and_sympy(tmp_path):
    root = EXAMPLES.parents[1]
    program = HIDING.replace(
        "from ratproof.start import main\nmain()",
        "from importlib import import_module\nfor name in sys.argv[1:]: import_module(name)",
    )
    names = [
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted((root / "automata").rglob("*.py"))
        if "testing" not in path.parts and "strategies" not in path.stem and "openfst" not in path.stem
    ]
    without = ",".join(PACKAGES - LIGHT - {"platformdirs", "lark"})
    assert ratproof(program, without, *names, folder=tmp_path) == (0, "", "")


MISSING = [
    ("optuna", "train tomita --grammar 5 -o run", "train tomita needs optuna, which is not installed: "),
    ("optuna,scipy", "campaign run a.toml --data .", "campaign run needs optuna, scipy, which are not"),
    ("matplotlib", "figures tomita-2.safetensors -o p", "figures needs matplotlib, which is not installed: "),
    ("pygraphviz", "draw fading.json -o a.svg", "needs pygraphviz, which is not installed: pip install"),
    ("distributed", "hunt --cluster tcp://a:1", "--cluster needs distributed, which is not installed: "),
    ("torch", "doctor", "this command needs torch, which is not installed: pip install torch"),
    ("hypothesis", "check my_claim.py", "needs hypothesis, which is not installed: pip install hypothesis"),
    ("flint", "score fading.json a", "needs python-flint, which is not installed: pip install python-flint"),
    ("numpy", "score fading.json a", "ratproof needs numpy, which is not installed: pip install numpy"),
]


@pytest.mark.parametrize("hidden, arguments, says", MISSING, ids=[" ".join(row[:2]) for row in MISSING])
def test_a_missing_package_is_reported_with_its_install_command(hidden, arguments, says):
    status, out, error = ratproof(HIDING, hidden, *arguments.split(), folder=EXAMPLES)
    assert status == 2 and out == "" and says in error.splitlines()[-1] and "Traceback" not in error


def test_the_extras_are_those_of_the_project_file():
    project = tomllib.loads((EXAMPLES.parents[1] / "pyproject.toml").read_text())["project"]
    optional = project["optional-dependencies"]

    def names(requirements):
        return {re.split(r"[>=;\[ ]", line)[0].replace("-", "_") for line in requirements}

    assert {name: set(modules) for name, modules in extras.EXTRAS.items()} == {
        name: names(lines) for name, lines in optional.items() if name != "all"
    }
    assert optional["all"] == [f"ratproof[{','.join(sorted(extras.EXTRAS))}]"]
    assert {name.replace("-", "_") for name in extras.NEEDED.values()} == names(project["dependencies"])
