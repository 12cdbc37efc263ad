"""Self-contained Coq files in which a verified checker accepts a certificate."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from automata.aliases import Weight
from automata.equivalence import Different, Equivalent
from automata.errors import InputError
from automata.io.files import read_text, write_whole
from automata.wfsa import WFSA
from ratproof.coq import programs as coq
from ratproof.coq.links import Link, LinkProof, ListedAutomaton, Matrix, link_proof
from ratproof.coq.sources import source_folder
from ratproof.coq.terms import list_term
from ratproof.coq.theorems import CLOSED

FILES = ("semiring", "sums", "automaton", "paths", "instances", "equivalence", "evaluation", "checker")
"""The files of the checker, in the order in which they are inlined."""
SAME = {
    "rationals": "same_rationals",
    "booleans": "same_booleans",
    "rational_max_plus": "same_max_plusP",
    "rational_min_plus": "same_min_plusP",
    "rational_max_times": "same_max_timesP",
}
"""For each semiring, the name of the proof that equality of its weights is decidable."""
WEIGHT = {
    "rationals": "Q2Qc (Qmake n d)",
    "rational_max_plus": "Some (Q2Qc (Qmake n d))",
    "rational_min_plus": "Some (Q2Qc (Qmake n d))",
    "rational_max_times": "max_times_weight (Q2Qc (Qmake n d))",
}

HEADING = """\
(* Do {} and {} give every word the same score? Written by ratproof for Coq 8.16 and mathcomp 1.15.
   Check it with coqc. The file contains the theory, from semirings to a checker that is proved sound.
   From "The automata" on, it contains the two automata and the proof. *)

From Coq Require Import QArith Qcanon.
From mathcomp Require Import all_ssreflect all_algebra.
"""


def file_name(file: str | None, a: str, b: str) -> str:
    """Return the name of the Coq file, by default a name that contains the names of the automata.

    Coq's version is also checked, so that an error is reported before any work.

    Raises:
        InputError: If the name is not valid for Coq, the file cannot be written, or Coq is missing.
    """
    coq.version()
    return checked_name(f"equivalent_{name_in_coq(a)}_{name_in_coq(b)}.v" if file is None else file)


def name_in_coq(path: str) -> str:
    """Return the stem of a file's name, with underscores for characters that Coq's names cannot have."""
    return re.sub(r"\W", "_", Path(path).stem, flags=re.ASCII)


def checked_name(name: str) -> str:
    """Return the name of a Coq file if it is valid and the file can be written; else raise InputError."""
    if not re.fullmatch(r"[A-Za-z_]\w*\.v", Path(name).name, re.ASCII):
        raise InputError(
            f"--kernel-file {name}: the file name must consist of letters, digits and underscores, must not"
            " start with a digit, and must end in .v"
        )
    folder = Path(name).absolute().parent
    if not folder.is_dir():
        raise InputError(f"--kernel-file {name}: the folder {folder} must exist")
    if Path(name).is_file() and "Written by ratproof" not in read_text(name)[:1000]:
        raise InputError(
            f"{name} already exists and was not written by ratproof; use --kernel-file with another name"
        )
    return name


def write(path: str, a: WFSA, b: WFSA, answer: Equivalent | Different, names: tuple[str, str]) -> str:
    """Write the Coq file if Coq accepts it, and return the name of its theorem.

    Raises:
        InputError: If there is no proof for Coq, or Coq is not installed.
        OutOfTime: If Coq does not end before the limit of the command's time.
        Rejected: If Coq does not accept the file, which would be a bug in ratproof.
    """
    proof = link_proof(a, b, answer, names)
    text = file_text(proof, names)
    with TemporaryDirectory() as folder:
        file = Path(folder) / Path(path).name
        file.write_text(text, encoding="utf-8")
        check_file(file)
    write_whole(path, text)
    return theorem_name(proof)


def theorem_name(proof: LinkProof) -> str:
    """Return the name of the theorem in the Coq file: ``"equivalent"`` or ``"different"``."""
    return "equivalent" if proof.word is None else "different"


def file_text(proof: LinkProof, names: tuple[str, str]) -> str:
    """Return the text of the Coq file that states and proves the result about the automata."""
    over = proof.over
    lines = [
        HEADING.format(*map(plain, names)),
        *(inline_module(name) for name in FILES),
        "(* The automata. Letters, by their numbers: "
        + ", ".join(f"{i} is {plain(str(x))}" for i, x in enumerate(proof.alphabet))
        + ". *)",
        "",
        f"Definition o : {over} := zero.",
    ]
    if over == "booleans":
        lines.append("Definition i : booleans := one.")
    else:
        lines.append(f"Definition w (n : Z) (d : BinNums.positive) : {over} := {WEIGHT[over]}.")
    for index, automaton in enumerate(proof.automata):
        lines += ["", _automaton(_name(index, names), automaton, over)]
    lines += ["", "(* The value of a word is the sum over all its paths (value_is_sum_over_paths). *)"]
    lines += _different(proof) if proof.word is not None else _equivalent(proof)
    return "\n".join([*lines, f"Print Assumptions {theorem_name(proof)}.", ""])


def check_file(file: Path) -> None:
    """Check the file with Coq; raise Rejected if Coq does not accept it or the theorem has assumptions."""
    output = coq.compile_file(file, file.parent, ["-o", str(file.with_suffix(".vo"))])
    if CLOSED not in output:
        raise coq.Rejected(str(file), f"the theorem has assumptions: {output.strip()}")


def _name(index: int, names: tuple[str, str]) -> str:
    return "A" if index == 0 else "B" if index == 1 else f"C{index}"


def plain(text: str) -> str:
    """Return the text for a Coq comment, with unusual characters replaced by their code points.

    Only ASCII letters, digits, spaces and ``_.,/:+-`` are kept.
    """
    return re.sub(r"[^\w .,/:+-]", lambda match: f"<U+{ord(match[0]):04X}>", text, flags=re.ASCII)


def inline_module(name: str) -> str:
    """Return the text of a file of ``theory/coq`` as a Coq module that is exported after its definition."""
    text = (source_folder() / f"{name}.v").read_text(encoding="utf-8")
    text = re.sub(r"^From (Coq|mathcomp) Require Import .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^From ratproof Require Import .*\n", "", text, flags=re.MULTILINE)
    return f"Module {name}.\n{text}End {name}.\nExport {name}.\n"


def _automaton(name: str, automaton: ListedAutomaton, over: str) -> str:
    parts = [
        _row(automaton.first, over),
        "\n  " + list_term("\n   " + _matrix(m, over) for m in automaton.matrices),
        "\n  " + _matrix(automaton.epsilon, over),
        _row(automaton.last, over),
    ]
    return f"Definition {name} : listed {over} := Listed {len(automaton.first)} {' '.join(parts)}."


def _equivalent(proof: LinkProof) -> list[str]:
    lines, used = [], dict[tuple[int, int], str]()
    for number, link in enumerate(proof.links):
        used[link.source, link.target] = f"link_{number}"
        lines += _link(number, link, proof)
    assert proof.left[0] == proof.right[0]
    lines += ["Theorem equivalent : forall word, value A word = value B word.", "Proof.", "move=> word."]

    def equation(source: int, target: int) -> str:
        """Return a proof that two automata give ``word`` the same value, from the link between them."""
        return (
            f"({used[source, target]} word)"
            if (source, target) in used
            else f"(esym ({used[target, source]} word))"
        )

    chain = [f"(esym {equation(*step)})" for step in reversed(list(pairwise(proof.left)))]
    chain += [equation(*step) for step in pairwise(proof.right)]
    term = chain[-1] if chain else "erefl"
    for part in reversed(chain[:-1]):
        term = f"(etrans {part} {term})"
    return [*lines, f"exact: {term}.", "Qed.", ""]


def _different(proof: LinkProof) -> list[str]:
    lines, steps = [], []
    for number, link in enumerate(proof.links):
        lines += _link(number, link, proof)
        steps.append(f"rewrite -(link_{number} word).")
    left, right = (_name(way[0], ("", "")) for way in (proof.left, proof.right))
    same = SAME[proof.over]
    return [
        *lines,
        f"Definition word : seq nat := {list_term(f'{x}%N' for x in proof.word or [])}.",
        "Theorem different : value A word <> value B word.",
        "Proof.",
        *steps,
        f"apply: (parts_is_sound {same} (A := {left}) (B := {right})); vm_cast_no_check (erefl true).",
        "Qed.",
        "",
    ]


def _link(number: int, link: Link, proof: LinkProof) -> list[str]:
    source, target = _name(link.source, ("", "")), _name(link.target, ("", ""))
    ranks = list_term(f"{rank}%N" for rank in link.ranks)
    return [
        f"(* X_{number} maps {source} to {target}. *)",
        f"Definition X_{number} : seq (seq {proof.over}) := {_matrix(link.matrix, proof.over)}.",
        f"Lemma link_{number} word : value {source} word = value {target} word.",
        "Proof.",
        (
            f"apply: (goes_to_is_sound {SAME[proof.over]} (X := X_{number}) (ranks := {ranks}));"
            " vm_cast_no_check (erefl true)."
        ),
        "Qed.",
        "",
    ]


def _row(values: Iterable[Weight], over: str) -> str:
    return list_term(_weight(value, over) for value in values)


def _matrix(rows: Matrix, over: str) -> str:
    return list_term(_row(row, over) for row in rows)


def _weight(value: Weight, over: str) -> str:
    if over == "booleans":
        return "i" if value else "o"
    infinite = over in ("rational_max_plus", "rational_min_plus") and value in (float("-inf"), float("inf"))
    if infinite or (value == 0 and over in ("rationals", "rational_max_times")):
        return "o"
    exact = Fraction(value)
    top, bottom = _numeral(abs(exact.numerator)), _numeral(exact.denominator)
    return f"w {f'(-{top})' if exact < 0 else top} {bottom}"


def _numeral(n: int) -> str:
    """Format a number in decimal, or in hexadecimal if it is long, because Coq reads that faster."""
    return str(n) if n < 10**18 else hex(n)
