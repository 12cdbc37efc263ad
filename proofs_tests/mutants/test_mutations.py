"""Tests of which code is mutated; they require cosmic-ray, which ``nox -s mutants`` installs."""

import json
from pathlib import Path

import pytest

pytest.importorskip("cosmic_ray", reason="cosmic-ray is in the environment of nox -s mutants alone")

from mutants import mutations, session

SOURCE = '''"""A docstring with 1 + 1."""
from __future__ import annotations
if TYPE_CHECKING:
    from x import y

class Pair:
    size: int | None = 2

    @property
    def half(self) -> int | None:
        """2 + 2"""
        return self.size // 2

    def __repr__(self):
        return "<" + "Pair" * 1
'''


def mutants_of(source: str) -> set[tuple[str, str]]:
    changes = (mutations.mutation(source, site) for site in mutations.mutation_sites(source))
    return {(c.definition, c.after) for c in changes if c is not None}


def test_annotations_docstrings_and_representations_are_not_mutated():
    assert mutants_of(SOURCE) == {
        ("Pair", "size: int | None = 3"),
        ("Pair", "size: int | None = 1"),
        ("Pair.half", ""),
        ("Pair.half", "return self.size / 2"),
        ("Pair.half", "return self.size * 2"),
        ("Pair.half", "return self.size // 3"),
        ("Pair.half", "return self.size // 1"),
    }


def test_our_own_operators():
    assert ("", "x.append(max(a))") not in mutants_of("x.append(max(a))\n")
    assert {("", "x.append(min(a))"), ("", "pass")} <= mutants_of("x.append(max(a))\n")
    assert ("f", "pass") in mutants_of("def f(x):\n    x[0] = y\n")
    assert ("f", "pass") not in mutants_of("def f(x):\n    x = y\n")


def rooms(root: Path) -> Path:
    for room in ("automata", "neural", "proofs_tests"):
        (root / room).mkdir()
    (root / "automata" / "a.py").write_text("".join(f"x{i} = {i} + y\n" for i in range(30)))
    (root / "neural" / "n.py").write_text("z = 1\n" * 10)
    return root


def test_a_longer_sample_extends_a_shorter_one_and_is_spread_over_the_lines(tmp_path):
    root = rooms(tmp_path)
    short, long = (session.MutantSession(root / "s.json", 1) for _ in range(2))
    short.draw(root, ["automata", "neural"], 4)
    long.draw(root, ["automata", "neural"], 8)
    by_room = lambda s, room: [m.diff for m in s.mutants if m.room == room]
    assert [len(by_room(s, r)) for s in (short, long) for r in ("automata", "neural")] == [3, 1, 6, 2]
    assert by_room(long, "automata")[:3] == by_room(short, "automata")
    short.draw(root, ["automata", "neural"], 8)
    assert by_room(short, "automata") == by_room(long, "automata")


def test_a_session_is_read_back(tmp_path):
    drawn = session.MutantSession(tmp_path / "s.json", 7)
    drawn.draw(rooms(tmp_path), ["automata"], 2)
    drawn.mutants[0].passes["own"] = {"outcome": "killed", "by": "a test"}
    drawn.write()
    again = session.MutantSession.read(tmp_path / "s.json", 1)
    assert again.mutants == drawn.mutants and again.seed == 7 and again.mutants[0].outcome == "killed"


def test_obsolete_entries_of_equivalent_mutants_are_reported(tmp_path):
    root = rooms(tmp_path)
    entries = [("x3 = 3 + y", "x3 = 3 - y"), ("x3 = 3 + y", "x3 = 8 + y"), ("gone", "away")]
    text = "".join(
        f'[[equivalent]]\nroom = "automata"\nin = ""\nwhy = "w"\n'
        f"before = {json.dumps(before)}\nafter = {json.dumps(after)}\n"
        for before, after in entries
    )
    (root / session.EQUIVALENT).write_text(text)
    stale = session.stale(root, ["automata"])
    assert [(before, after) for _, _, before, after in stale] == entries[1:]
