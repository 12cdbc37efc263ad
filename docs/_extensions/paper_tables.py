"""Tables 1 and 2 of Rational Recurrences, as far as they were verified: a row a claim, with what the run
found.
"""

from __future__ import annotations

from collections.abc import Sequence

from page_text import plain, table
from verdict_text import as_word, when_and_where
from verdicts import Verdicts

from theory.claim import Claim

HEADS = {"1": ("model", "recurrence", "automaton"), "2": ("model", "unigram", "bigram", "semiring")}
SAYS = {
    "1": (
        "Neural architectures and the automata that they are. QRNN, T-GRU and T-LSTM need more than B: their"
        " gates read a window."
    ),
    "2": "The architectures that are derived from automata, and compared in the paper's experiments.",
}


def tables_page(claims: Sequence[Claim], verdicts: Verdicts) -> str:
    """The page of both tables."""
    parts = [
        "# Tables 1 and 2 of the paper, verified\n",
        (
            "What {cite}`peng2018rational` lists, with the verdicts of the run. *States* are those of the"
            " automata for the claim's example; *as printed* says what became of the paper's own words where"
            " they differ from what holds.\n"
        ),
    ]
    for number, head in HEADS.items():
        rows = [
            _row(claim, verdicts) for claim in claims if claim.row is not None and claim.row.table == number
        ]
        parts += [
            f"## Table {number}\n",
            f"{SAYS[number]}\n",
            table((*head, "states", "corrected", "as printed"), rows, css="paper"),
        ]
    return "\n".join([*parts, when_and_where(verdicts)])


def _row(claim: Claim, verdicts: Verdicts) -> list[str]:
    assert claim.row is not None
    model, *cells = claim.row.cells
    variants = [v for v in claim.variants if v.expected == "holds"]
    states = " or ".join(
        dict.fromkeys(str(v.reading.construction(claim.example)[0].states) for v in variants)
    )
    held = as_word(verdicts.summary(claim.name, variants[0]), "holds")
    printed = [v for v in claim.variants if v.name.startswith("printed")]
    verdict = "<br>".join(
        f"`{v.name}`: {as_word(verdicts.summary(claim.name, v), v.expected)}" for v in printed
    )
    return [f"[{plain(model)}](/claims/{claim.name}.md)", *map(plain, cells), states, held, verdict]
