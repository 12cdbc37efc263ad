"""Hypotheses that several claims about linear recurrences share."""

from __future__ import annotations

from theory.claim import QUOTED

TOKENS = (
    "Keys, values, queries and gates are functions of only the token: there is one layer over embeddings."
    " In a second layer, after a convolution, or with position encodings, they depend on more."
)
COLUMN = (
    "A unit is one component of the output of one head; it reads only one column of the state S, because"
    " columns do not interact."
)
FIRST_STATE = "The layer starts in S_0 = 0, or the automaton has S_0 among its initial weights."
FIRST_UNIT = "The layer starts in h_0 = 0, or the automaton has h_0 among its initial weights."
NO_TOKENS = "Before the first token there is no output: its value for the empty string is 0."
LINEAR_OUTPUT = "Norms, output gates and projections come after the unit."
ONE_COLUMN = (TOKENS, COLUMN, FIRST_STATE, NO_TOKENS)
"""The hypotheses of claims about one column of a matrix memory."""


def column(*about: str, left_out: str = "", start: str = FIRST_STATE) -> tuple[str, ...]:
    """Return the hypotheses of a claim about one column of a matrix memory; ``about`` adds further ones."""
    return (TOKENS, *filter(None, (left_out,)), COLUMN, start, NO_TOKENS, *about, LINEAR_OUTPUT)


# How the statements differ from the papers, which define layers.

OURS = (
    "The paper defines the layer, and does not state that it is an automaton; the automaton and its number of"
    " states are ours."
)
ANY_FUNCTIONS = (
    "Keys, values, queries and gates are any functions of one token, in place of the paper's maps of its"
    " vector."
)
ANY_START = "The first state is any vector, which is among the automaton's initial weights."
ONLY_RECURRENCE = "Norms, output gates and projections after the recurrence are left out."
ONE_COMPONENT = "The statement is about one component of the output of one head."
COLUMN_DIFFERENCES = (OURS, ONE_COMPONENT, ANY_FUNCTIONS, ANY_START, ONLY_RECURRENCE, QUOTED)
UNIT_DIFFERENCES = (
    OURS,
    "The statement is about one unit, whose gates and inputs are any functions of the tokens it reads.",
    ANY_START,
    ONLY_RECURRENCE,
    QUOTED,
)
CHUNK_DIFFERENCES = (
    (
        "The equality of the chunked form and the recurrence is read as: the chunked form gives the scores"
        " of the recurrence's automaton, for chunks of any size; the last chunk may be shorter."
    ),
    ONE_COMPONENT,
    ANY_FUNCTIONS,
    ANY_START,
    ONLY_RECURRENCE,
    QUOTED,
)
