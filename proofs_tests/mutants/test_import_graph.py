"""Tests of which tests run for a mutant, and in which order."""

from pathlib import Path

import pytest

import_graph = pytest.importorskip("mutants.import_graph", reason="mutants/ is not installed with ratproof")


def tree(root: Path, files: dict[str, str]) -> Path:
    for room in (*import_graph.ROOMS, "training", "proofs_tests"):
        (root / room).mkdir()
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_tests_that_import_a_module_run_in_the_order_of_their_distance(tmp_path):
    root = tree(
        tmp_path,
        {
            "automata/__init__.py": "",
            "automata/sum.py": '""">>> 1"""',
            "automata/more.py": "def f():\n    from automata.sum import g",
            "automata/apart.py": "",
            "proofs_tests/automata/test_far.py": "from automata import more",
            "proofs_tests/automata/test_near.py": "import automata.sum",
            "proofs_tests/automata/test_sum.py": "from proofs_tests.help import more",
            "proofs_tests/help.py": "from automata import more",
            "proofs_tests/automata/test_apart.py": "import automata.apart",
        },
    )
    tests = import_graph.test_files(root)
    assert import_graph.ImportGraph(root).ordered("automata/sum.py", tests) == [
        "automata/sum.py",
        "proofs_tests/automata/test_sum.py",
        "proofs_tests/automata/test_near.py",
        "proofs_tests/automata/test_far.py",
    ]


def test_programs_conftest_and_walked_packages_count_as_imports(tmp_path):
    root = tree(
        tmp_path,
        {
            "theory/claims.py": "import pkgutil, theory\nfor m in pkgutil.walk_packages(theory.__path__): m",
            "theory/paper/one.py": "",
            "neural/layer.py": "",
            "ratproof/main.py": "from theory import claims",
            "proofs_tests/ratproof/test_program.py": "import subprocess",
            "proofs_tests/neural/conftest.py": "import neural.layer",
            "proofs_tests/neural/test_layer.py": "",
        },
    )
    tests, seen = import_graph.test_files(root), import_graph.ImportGraph(root)
    assert seen.ordered("theory/paper/one.py", tests) == ["proofs_tests/ratproof/test_program.py"]
    assert seen.ordered("neural/layer.py", tests) == ["proofs_tests/neural/test_layer.py"]


def test_a_package_has_the_tests_of_its_folders_and_a_paper_belongs_to_theory(tmp_path):
    folders = ("automata/rules", "theory/paper", "neural/paper", "ratproof/certify", "ratproof/commands")
    tests = ("automata", "rules", "theory", "neural", "paper", "ratproof", "certify", "training")
    root = tree(tmp_path, {f"{f}/x.py": "" for f in (*folders, *(f"proofs_tests/{t}" for t in tests))})
    assert {room: import_graph.own_folders(root, room) for room in import_graph.ROOMS} == {
        "automata": ["proofs_tests/automata", "proofs_tests/rules", "automata"],
        "theory": ["proofs_tests/theory", "proofs_tests/paper", "theory"],
        "neural": ["proofs_tests/neural", "neural"],
        "ratproof": ["proofs_tests/ratproof", "proofs_tests/certify", "ratproof"],
    }
