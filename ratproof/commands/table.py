"""The commands by group: where each is, and what it does in a line, so that ``--help`` imports none."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A command, or a group of them.

    Attributes:
        name: as it is typed.
        does: what it does: its docstring begins so.
        module: which adds it to the application; or ``None``, for one that an entry point offers.
    """

    name: str
    does: str
    module: str | None


def _rows(module: str | None, **does: str) -> tuple[Row, ...]:
    where = None if module is None else f"ratproof.commands.{module}"
    return tuple(Row(name.replace("_", "-"), line, where) for name, line in does.items())


GROUPS: dict[str, tuple[Row, ...]] = {
    "First steps": (
        *_rows("examples", examples="Write the files that the pages use."),
        *_rows("diagnosis", doctor="Say what is installed, and which backend runs each kernel."),
    ),
    "Claims": (
        *_rows(
            "claims",
            verify="Verify the papers' claims.",
            check="Check claims of your own.",
            claims="List the claims, their variants and kinds of evidence.",
        ),
        *_rows(
            "hunting",
            hunt="Search for counterexamples with fresh random cases.",
            replay="Run a kept counterexample again.",
        ),
        *_rows("proving", prove="Compile the Coq development, and check its theorems."),
    ),
    "Automata": (
        *_rows(
            "automata",
            score="Print the score of each string, exactly.",
            sample="Print random strings, each with its score.",
            convert="Write an automaton in another format.",
            draw="Draw an automaton.",
        ),
        *_rows(
            "deciding",
            equivalent="Decide whether two automata give every string one score.",
            minimise="Find the least automaton with the same scores.",
            rank="Print the rank of an automaton's Hankel matrix.",
        ),
        *_rows(
            "building",
            intersect="Multiply the scores of two automata.",
            union="Add the scores of two automata.",
            difference="Accept the strings that A accepts and B does not.",
            complement="Accept the strings that a boolean automaton rejects.",
            reverse="Give each string the score of its mirror image.",
            determinise="Make a boolean automaton deterministic.",
            trim="Remove the states that are on no accepting path.",
            regex="Turn a regex into a DFA, or a DFA into a regex.",
        ),
        *_rows(
            "listing",
            enumerate="List strings whose score is not zero, in shortlex order.",
            count="Count the strings of a length, or add their scores.",
            shortest="Print the least string whose score is not zero.",
        ),
        *_rows("checking", check_certificate="Check certificates with short independent programs."),
    ),
    "Networks": (
        *_rows(
            "state_regularized",
            certify="Prove that a soft network follows its automaton.",
            extract="Turn a trained network into its automaton.",
            figures="Draw a network as the papers' figures do.",
        ),
        *_rows("not_rational", not_rational="Show that no small automaton computes a unit."),
        *_rows(
            None,
            train="Train a network on a language, from rules, or on text.",
            results="Print the tables of the experiments.",
            campaign="Run many experiments.",
        ),
    ),
    "Rules": (
        *_rows("rules.compiling", compile="Compile rules over words to a boolean automaton."),
        *_rows("rules", rules="Rules on labelled sentences, and their networks."),
    ),
}
ROWS = {row.name: row for rows in GROUPS.values() for row in rows}
