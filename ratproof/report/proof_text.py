"""The text of a proof by induction, from the certificate that the run stored."""

from __future__ import annotations

from collections.abc import Iterator

from automata.aliases import JsonObject

MOST_LINES = 6  # maximum number of shown identities of each kind; the identities of all units are similar


def paragraphs(proof: JsonObject) -> Iterator[tuple[str, list[str]]]:
    """Yield the parts of a proof in order, each as a text and its formulas.

    Args:
        proof: A certificate of type ``"induction"``.
    """
    yield (
        (
            f"Invariant: {proof['invariant']}. It is proved by induction on the string, with a variable for"
            " every weight."
        ),
        [],
    )
    yield "The automaton, with variables for weights:", proof["automaton"]
    yield (
        "Base, the empty string: Forward's first vector (equation 3a) is the invariant of the first state.",
        _some(proof["base"]),
    )
    yield (
        (
            "Step, one more symbol: the invariant, times the symbol's matrix (equation 3b), is the invariant"
            " of the next state."
        ),
        _some(proof["step"]),
    )
    yield (
        "Readout: the invariant, times the final weights (equation 3c), is the network's output.",
        _some(proof["readout"]),
    )
    yield (
        (
            f"{proof['identities']:,} identities were checked, for {', and for '.join(proof['instances'])}:"
            f" in N[X] (which has no subtraction), and again over Q with SymPy. {proof['enough']} An identity"
            " in N[X] holds in every commutative semiring."
        ),
        [],
    )
    if proof["sizes"]:
        yield "With a symbol for the size:", _some(proof["sizes"], MOST_LINES)
    yield proof["order"], []


def _some(lines: list[str], most: int = MOST_LINES) -> list[str]:
    more = len(lines) - most
    return lines[:most] + ([f"and {more} more"] if more > 0 else [])
