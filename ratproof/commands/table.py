"""The table of commands by group, so that ``--help`` does not import them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A command, or a group of commands.

    Attributes:
        name: Name of the command.
        does: One-line description. The command's docstring begins with it.
        module: Module that adds it to the application, or ``None`` for a command from an entry point.
    """

    name: str
    does: str
    module: str | None


def _rows(module: str | None, **does: str) -> tuple[Row, ...]:
    where = None if module is None else f"ratproof.commands.{module}"
    return tuple(Row(name.replace("_", "-"), line, where) for name, line in does.items())


GROUPS: dict[str, tuple[Row, ...]] = {
    "First steps": (
        *_rows("examples", examples="Write the example files of the documentation."),
        *_rows("diagnosis", doctor="Print the installed components and the kernels' backends."),
    ),
    "Claims": (
        *_rows(
            "claims",
            verify="Verify the papers' claims.",
            check="Check your own claims.",
            claims="List the claims, their variants and kinds of evidence.",
        ),
        *_rows(
            "hunting",
            hunt="Search for counterexamples with fresh random cases.",
            replay="Run a saved counterexample again.",
        ),
        *_rows("proving", prove="Compile the Coq development, and check its theorems."),
    ),
    "Automata": (
        *_rows(
            "automata",
            score="Print the exact score of each string.",
            sample="Print random strings, each with its score.",
            convert="Write an automaton in another format.",
            draw="Draw an automaton.",
        ),
        *_rows(
            "deciding",
            equivalent="Decide whether two automata have the same scores.",
            minimise="Find the smallest automaton with the same scores.",
            rank="Print the rank of an automaton's Hankel matrix.",
        ),
        *_rows(
            "building",
            intersect="Multiply the scores of two automata.",
            union="Add the scores of two automata.",
            difference="Accept the strings that A accepts and B does not.",
            complement="Accept the strings that a boolean automaton rejects.",
            reverse="Reverse an automaton.",
            determinise="Make a boolean automaton deterministic.",
            trim="Remove the states that are on no accepting path.",
            regex="Turn a regex into a DFA, or a DFA into a regex.",
        ),
        *_rows(
            "listing",
            enumerate="List the strings with a nonzero score, in shortlex order.",
            count="Count the strings of a length, or add their scores.",
            shortest="Print the shortest string with a nonzero score.",
        ),
        *_rows("checking", check_certificate="Check certificates with short independent programs."),
    ),
    "Networks": (
        *_rows(
            "state_regularized",
            certify="Prove that a trained network follows an automaton.",
            extract="Convert a trained network to its automaton.",
            figures="Draw the papers' figures for a network.",
        ),
        *_rows("not_rational", not_rational="Show that no small automaton computes a unit."),
        *_rows(
            None,
            train="Train a network on a language, from rules, or on text.",
            results="Print the results of the experiments.",
            campaign="Run many experiments.",
        ),
    ),
    "Rules": (
        *_rows("rules.compiling", compile="Compile rules over words to a boolean automaton."),
        *_rows("rules", rules="Rules on labelled sentences, and their networks."),
    ),
}
ROWS = {row.name: row for rows in GROUPS.values() for row in rows}
