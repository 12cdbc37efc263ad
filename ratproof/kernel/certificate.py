"""A Coq file in which a checker that is proved sound accepts one certificate: it needs Coq and mathcomp, and no file of ours beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from ratproof.kernel import coq
from ratproof.kernel.assumptions import CLOSED
from ratproof.kernel.links import Link, Listed, Matrix, Shown
from ratproof.kernel.sources import source_folder
from ratproof.kernel.terms import listed

FILES = ("semiring", "sums", "automaton", "paths", "instances", "equivalence", "evaluation", "checker")
"""What the checker is made of, in order."""
SAME = {
    "rationals": "same_rationals", "booleans": "same_booleans", "rational_max_plus": "same_max_plusP",
    "rational_min_plus": "same_min_plusP", "rational_max_times": "same_max_timesP",
}  # fmt: skip
"""For each semiring the proof that its weights can be compared."""
WEIGHT = {
    "rationals": "Q2Qc (Qmake n d)", "rational_max_plus": "Some (Q2Qc (Qmake n d))", "rational_min_plus": "Some (Q2Qc (Qmake n d))",
    "rational_max_times": "max_times_weight (Q2Qc (Qmake n d))",
}  # fmt: skip


def theorem_of(shown: Shown) -> str:
    """The name of the theorem."""
    return "equivalent" if shown.word is None else "different"


def written(shown: Shown, names: tuple[str, str]) -> str:
    """The text of the file."""
    over = shown.over
    lines = [
        f"(* Do {_plain(names[0])} and {_plain(names[1])} give every word the same score? Written by ratproof; Coq 8.16 and mathcomp 1.15",
        "   accept it by themselves: coqc on this file. First the theory, from semirings to a checker that is proved sound; then, from",
        '   "The automata" on, the two automata, and what shows it. *)',
        "",
        "From Coq Require Import QArith Qcanon.",
        "From mathcomp Require Import all_ssreflect all_algebra.",
        "",
        *(_inlined(name) for name in FILES),
        "(* The automata. Letters, by their numbers: "
        + ", ".join(f"{i} is {_plain(str(x))}" for i, x in enumerate(shown.alphabet))
        + ". *)",
        "",
        f"Definition o : {over} := zero.",
    ]
    if over == "booleans":
        lines.append("Definition i : booleans := one.")
    else:
        lines.append(f"Definition w (n : Z) (d : BinNums.positive) : {over} := {WEIGHT[over]}.")
    for place, automaton in enumerate(shown.automata):
        lines += ["", _automaton(_name(place, names), automaton, over)]
    lines += ["", "(* The value of a word is the sum over all its paths (value_is_sum_over_paths). *)"]
    lines += _different(shown) if shown.word is not None else _equivalent(shown)
    return "\n".join([*lines, f"Print Assumptions {theorem_of(shown)}.", ""])


def accepted(file: Path) -> None:
    """Let Coq check the file; :class:`~ratproof.kernel.coq.Rejected` where it does not accept it, or something is assumed."""
    said = coq.compiled(file, file.parent, ["-o", str(file.with_suffix(".vo"))])
    if CLOSED not in said:
        raise coq.Rejected(str(file), f"the theorem assumes something: {said.strip()}")


def _name(place: int, names: tuple[str, str]) -> str:
    return "A" if place == 0 else "B" if place == 1 else f"C{place}"


def _plain(text: str) -> str:
    """The text as a comment can have it."""
    return re.sub(r"[^\w .,/:+-]", "?", text)


def _inlined(name: str) -> str:
    """A file of the development as a module, imported."""
    text = (source_folder() / f"{name}.v").read_text(encoding="utf-8")
    text = re.sub(r"^From (Coq|mathcomp) Require Import .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^From ratproof Require Import .*\n", "", text, flags=re.MULTILINE)
    return f"Module {name}.\n{text}End {name}.\nExport {name}.\n"


def _automaton(name: str, automaton: Listed, over: str) -> str:
    parts = [
        _row(automaton.first, over),
        "\n  " + listed("\n   " + _matrix(m, over) for m in automaton.matrices),
        "\n  " + _matrix(automaton.silent, over),
        _row(automaton.last, over),
    ]
    return f"Definition {name} : listed {over} := Listed {len(automaton.first)} {' '.join(parts)}."


def _equivalent(shown: Shown) -> list[str]:
    lines, used = [], dict[tuple[int, int], str]()
    for number, link in enumerate(shown.links):
        used[link.source, link.target] = f"link_{number}"
        lines += _link(number, link, shown)
    assert shown.left[0] == shown.right[0]
    lines += ["Theorem equivalent : forall word, value A word = value B word.", "Proof.", "move=> word."]

    def equation(source: int, target: int) -> str:
        """Value of the one, value of the other: by the link in whichever direction it is."""
        return f"({used[source, target]} word)" if (source, target) in used else f"(esym ({used[target, source]} word))"

    chain = [f"(esym {equation(*step)})" for step in reversed(list(pairwise(shown.left)))]
    chain += [equation(*step) for step in pairwise(shown.right)]
    term = chain[-1] if chain else "erefl"
    for part in reversed(chain[:-1]):
        term = f"(etrans {part} {term})"
    return [*lines, f"exact: {term}.", "Qed.", ""]


def _different(shown: Shown) -> list[str]:
    lines, proof = [], []
    for number, link in enumerate(shown.links):
        lines += _link(number, link, shown)
        proof.append(f"rewrite -(link_{number} word).")
    left, right = (_name(way[0], ("", "")) for way in (shown.left, shown.right))
    same = SAME[shown.over]
    return [
        *lines,
        f"Definition word : seq nat := {listed(f'{x}%N' for x in shown.word or [])}.",
        "Theorem different : value A word <> value B word.",
        "Proof.",
        *proof,
        f"apply: (parts_is_sound {same} (A := {left}) (B := {right})); vm_cast_no_check (erefl true).",
        "Qed.",
        "",
    ]


def _link(number: int, link: Link, shown: Shown) -> list[str]:
    source, target = _name(link.source, ("", "")), _name(link.target, ("", ""))
    ranks = listed(f"{rank}%N" for rank in link.ranks)
    return [
        f"(* {source} goes to {target} by this matrix. *)",
        f"Definition X_{number} : seq (seq {shown.over}) := {_matrix(link.matrix, shown.over)}.",
        f"Lemma link_{number} word : value {source} word = value {target} word.",
        "Proof.",
        f"apply: (goes_to_is_sound {SAME[shown.over]} (X := X_{number}) (ranks := {ranks})); vm_cast_no_check (erefl true).",
        "Qed.",
        "",
    ]


def _row(values: Iterable[Any], over: str) -> str:
    return listed(_weight(value, over) for value in values)


def _matrix(rows: Matrix, over: str) -> str:
    return listed(_row(row, over) for row in rows)


def _weight(value: Any, over: str) -> str:
    if over == "booleans":
        return "i" if value else "o"
    infinite = over in ("rational_max_plus", "rational_min_plus") and value in (float("-inf"), float("inf"))
    if infinite or (value == 0 and over in ("rationals", "rational_max_times")):
        return "o"
    exact = Fraction(value)
    return f"w {f'({exact.numerator})' if exact < 0 else exact.numerator} {exact.denominator}"
