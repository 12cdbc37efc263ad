"""Coq files in which the kernel checks that no automaton with few states computes a cell."""

from __future__ import annotations

from collections.abc import Callable

import flint

from automata.errors import InputError
from ratproof.certification.not_rational.hankel_bound import Bound
from ratproof.certification.not_rational.matrix import Word, hankel
from ratproof.coq import certificate as coq_files
from ratproof.coq import reals
from ratproof.coq.terms import list_term
from ratproof.coq.terms_of_cells import cell_term
from theory.not_rational.arithmetic import BALLS, NotKnown

BELOW = ("semiring", "sums", "automaton", "paths", "instances", "hankel")
"""The files of ``theory/coq`` that the theory of lower bounds needs, in the order of their inlining."""
IMPORTS = """\
From Coq Require Import QArith Qcanon.
From mathcomp Require Import all_ssreflect all_algebra.
"""
OPENING = """\
From Coq Require Import Reals ZArith QArith.
Import sums real_factors terms lower_bound.
Open Scope nat_scope.
"""
THEOREM = "few_states_are_not_enough"
MOST_BITS = 1024
HEADING = """\
(* The cell {} with {} letters: no automaton with fewer than {} states computes its unit. Written by ratproof
   for Coq 8.16, mathcomp 1.15 and coq-interval 4.6. Check it with coqc. The file contains a checker that is
   proved sound. From "The cell" on, it contains the cell, the strings, and the theorem. *)
"""
STATEMENT = """\
(* An automaton that gives every word the value of the unit has at least {states} states. Its weights may be
   in any field that contains the real numbers. The unit is computed with real numbers, and tanh and the
   sigmoid are the real functions. *)
Theorem {theorem} (F : fieldType) (of_real : R -> F) (Q : finite) (A : wfa (of_ring F) nat_eqType Q) :
  contains_reals of_real ->
  (forall word, score A word = of_real (unit_after letters {numbers} {unit} word)) ->
  {states} <= card Q.
Proof.
apply: (few_states_do_not_suffice (bits := {bits}) (prefixes := prefixes) (suffixes := suffixes)
  (inverse := inverse)).
vm_cast_no_check (erefl true).
Qed.
Print Assumptions {theorem}.
"""


require_file = reals.LOWER_BOUND.require_file


def write(path: str, result: Bound, progress: Callable[[str], None] = lambda stage: None) -> None:
    """Write the Coq file of a bound if Coq accepts it, with the lowest precision that is sufficient.

    Raises:
        InputError: If the cell's step uses a function other than sigmoid and tanh, or no precision up to
            :data:`MOST_BITS` is sufficient.
        Rejected: If Coq does not accept the theory, which would be a bug in ratproof.
    """
    bits = result.bits
    while bits <= MOST_BITS:
        progress(f"Coq, {bits} bits")
        if reals.write_if_accepted(path, file_text(result, bits), f"check {bits} letters"):
            return
        bits *= 2
    raise InputError(f"--kernel supports at most {MOST_BITS} bits, which are not enough for this bound")


def file_text(result: Bound, bits: int) -> str:
    """Return the text of the Coq file, whose checker computes intervals with ``bits`` binary digits."""
    weighted = result.weighted
    cell, number_of = weighted.cell, {x: i for i, x in enumerate(weighted.letters)}
    try:
        letters = cell_term(weighted)
    except NotKnown as error:
        raise InputError(f"--kernel is not supported for {cell.name}: {error}") from None
    start = weighted.start(BALLS)
    unit = sum(map(len, start[: cell.vectors.index(cell.output)])) + result.unit
    names = ", ".join(f"{i} is {coq_files.plain(x)}" for x, i in number_of.items())

    def words(strings: tuple[Word, ...]) -> str:
        return list_term(list_term(str(number_of[x]) for x in word) for word in strings)

    return "\n".join(
        [
            HEADING.format(coq_files.plain(cell.name), len(weighted.letters), result.states),
            theory(),
            OPENING,
            f"(* The cell. Letters, by their numbers: {names}. For each letter, the next state. *)",
            f"Definition letters : cell := {letters}.",
            "(* The strings of the rows and of the columns of the Hankel block. *)",
            f"Definition prefixes : list (list nat) := {words(result.prefixes)}.",
            f"Definition suffixes : list (list nat) := {words(result.suffixes)}.",
            f"(* The columns of an approximate inverse, in units of 2^-{bits}. *)",
            f"Definition inverse : list (list Z) := {_inverse(result, bits)}.",
            STATEMENT.format(
                theorem=THEOREM, states=result.states, numbers=sum(map(len, start)), unit=unit, bits=bits
            ),
        ]
    )


def theory() -> str:
    """Return the files of the theory of lower bounds as Coq modules, those without mathcomp first."""
    files = reals.LOWER_BOUND.files
    mathcomp = files.index("real_factors")  # the first file that needs it
    first, rest = files[:mathcomp], files[mathcomp:]
    own = [reals.inline_module(name).replace("From ratproof Require Import", "Import") for name in rest]
    return "\n".join([*map(reals.inline_module, first), IMPORTS, *map(coq_files.inline_module, BELOW), *own])


def _inverse(result: Bound, bits: int) -> str:
    with flint.ctx.workprec(4 * bits):
        block = hankel(result.weighted, result.unit, result.prefixes, result.suffixes, BALLS)
        columns = flint.arb_mat(block).mid().inv().mid().transpose().tolist()
        scale = flint.arb(2) ** bits
        return list_term(
            list_term(f"({int((scale * number).mid().floor().unique_fmpz())})%Z" for number in column)
            for column in columns
        )
