"""Queries that ask Coq for each theorem's assumptions, and its statement after all sections are closed.

Coq prints a hypothesis of a section as a premise of the statement, and an axiom as an assumption. The
text of the files is therefore not parsed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path

from ratproof.coq.programs import output_of
from ratproof.coq.sources import Printed, Statement, statements

CLOSED = "Closed under the global context"
MARK, PART = "@@ ", "@-\n"
PART_COMMAND = f'Goal True. idtac "{PART.strip()}". Abort.'
PRELUDE = """\
From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton paths.
Unset Printing Implicit Defensive.
Set Printing Depth 1000000.
"""
"""Only notations of these files are used for printing, so that other files cannot change the output."""
WIDTH = 108


@dataclass(frozen=True)
class TheoremAnswer:
    """Coq's answer about a theorem.

    Attributes:
        statement: Its statement.
        assumptions: :data:`CLOSED`, or the names of the axioms (:func:`axioms_in_words`).
    """

    statement: Printed
    assumptions: str

    def problem(self, theorem: Statement, assumptions: str = CLOSED) -> str:
        """Return why the theorem is not accepted with these assumptions, or an empty string."""
        if self.assumptions != assumptions:
            return f"{theorem.name} has assumptions: {self.assumptions}"
        if theorem.kept is None:
            return f"{theorem.name} is not in statements.txt"
        if theorem.kept != self.statement:
            return (
                f"the statement of {theorem.name} differs from statements.txt; Coq prints"
                f" {self.statement.text}"
            )
        return ""


@cache
def theorem_answers(root: Path) -> dict[str, TheoremAnswer]:
    """Return Coq's answer about every theorem of a compiled development."""
    return ask(list(statements().values()), root)


def ask(theorems: Sequence[Statement], root: Path) -> dict[str, TheoremAnswer]:
    """Return Coq's answers about these theorems.

    The assumptions of all theorems together are printed first, because Coq searches all proofs and libraries
    again for each ``Print Assumptions``. If there are any, those of each theorem are printed.

    Raises:
        Rejected: If a theorem does not exist.
    """
    lines = [PRELUDE, *(f"Require {module}." for module in dict.fromkeys(t.module for t in theorems))]
    commands = [queries(theorem.name, f"ratproof.{theorem.name}") for theorem in theorems]
    statements_only = chain.from_iterable(command[:-1] for command in commands)
    together = ["Definition together_0 := Coq.Init.Logic.I."]
    for number, theorem in enumerate(theorems):
        term = f"let _ := @ratproof.{theorem.name} in together_{number}"
        together.append(f"Definition together_{number + 1} := {term}.")
    last = [*together, PART_COMMAND, f"Print Assumptions together_{len(theorems)}."]
    output = output_of("\n".join([*lines, *statements_only, *last]) + "\n", root)
    printed, _, assumed = output.rpartition(PART)
    if assumed.strip() == CLOSED:
        return {name: replace(answer, assumptions=CLOSED) for name, answer in answers_in(printed).items()}
    return answers_in(output_of("\n".join([*lines, *chain.from_iterable(commands)]) + "\n", root))


def queries(name: str, in_coq: str) -> list[str]:
    """Return the commands that print a theorem's statement and assumptions below the heading ``name``."""
    return [
        f'Goal True. idtac "{MARK}{name}". Abort.',
        f"Set Printing Width {WIDTH}. Check @{in_coq}.",
        PART_COMMAND,
        f"Set Printing Width 1000000. Set Printing All. Check @{in_coq}. Unset Printing All.",
        PART_COMMAND,
        f"Print Assumptions {in_coq}.",
    ]


def answers_in(output: str) -> dict[str, TheoremAnswer]:
    """Return the answer about each theorem, from Coq's output for the commands of :func:`queries`."""
    answers = {}
    for part in output.split(MARK)[1:]:
        name, _, rest = part.partition("\n")
        text, full_text, assumed = rest.split(PART)
        digest = hashlib.sha256(" ".join(full_text.split()).encode()).hexdigest()[:32]
        answers[name.strip()] = TheoremAnswer(Printed(_statement(text), digest), _assumptions(assumed))
    return answers


def axioms_in_words(axioms: Iterable[str]) -> str:
    """Return the names of axioms as one line."""
    return f"the axioms {', '.join(sorted(axioms))}"


def printed_axioms(output: str) -> list[set[str]]:
    """Return the entries of each output of ``Print Assumptions`` that lists axioms.

    The entry of an axiom is its name. The entry of any other assumption, such as "f is assumed to be
    guarded.", is the whole line, so that no assumption is omitted. Lines that continue an entry are indented.
    """
    return [
        {_entry(line) for line in listed.splitlines() if line[:1].strip()}
        for listed in output.split("Axioms:\n")[1:]
    ]


def _entry(line: str) -> str:
    name = re.match(r"[\w.']+(?= :|$)", line)
    return line if name is None else name[0]


def _assumptions(output: str) -> str:
    axioms = printed_axioms(output)
    return axioms_in_words(axioms[0]) if axioms and output.startswith("Axioms:") else " ".join(output.split())


def _statement(output: str) -> str:
    """Return the type in the output of ``Check``, moved to the left margin."""
    lines = [line.rstrip() for line in output.partition("     : ")[2].rstrip().splitlines()]
    return "\n".join([lines[0], *(line.removeprefix(" " * 7) for line in lines[1:])])
