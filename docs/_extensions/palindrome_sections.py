"""The sections of the page of palindromes about kinds of strings: which language was learned."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean
from typing import Any

from model_names import NAMES
from page_text import table

from training.language_recognition import palindromes
from training.language_recognition.tables import is_recognition, method_of

TRAINED_ON = {"palindromes": "the usual others", "exchanges": "exchanges too"}
FARTHEST, EXCHANGED = (palindromes.COLUMNS[index].name for index in (2, 5))
KINDS = {"palindrome": FARTHEST, "random": FARTHEST, "one letter": FARTHEST, "exchanged": EXCHANGED}
"""Kinds of strings, and the column that has them at the greatest length."""
SUMS, PALINDROMES = ("palindrome", "exchanged"), ("palindrome",)
"""The kinds of which all, or nearly all, are in a language."""
AGREES = 0.9
"""A language is said to be learned where this share of each kind of strings is classified as it has it."""
Runs = Sequence[dict[str, Any]]
Kinds = dict[str, float]


def sections(own: Runs) -> list[str]:
    """The errors by kind, and the language that they say; ``own`` are runs of ``palindromes`` and
    ``exchanges``.
    """
    groups: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for run in own:
        if is_recognition(run):
            key = NAMES[run["model"]], method_of(run), TRAINED_ON[run["experiment"]]
            groups.setdefault(key, []).append(run["errors"])
    means = {
        key: {kind: mean(one[column][kind] for one in errors) for kind, column in KINDS.items()}
        for key, errors in groups.items()
    }
    body = [
        [*key, str(len(groups[key])), *(f"{100 * share:.2f}" for share in errors.values())]
        for key, errors in means.items()
    ]
    header = ("model", "method", "trained on", "seeds", *KINDS)
    learned = [
        f"- {model}, {method}, trained on {others}: {_language(errors)}"
        for (model, method, others), errors in means.items()
    ]
    return [
        "## Kinds of strings\n",
        "Errors in % at lengths up to 500, on each kind of strings by itself; means over seeds.\n",
        table(header, body, css="speed") if body else "Nothing was run yet.\n",
        "## Which language was learned\n",
        f"A language is named where at least {100 * AGREES:.0f} % of the strings of each kind in the table"
        " above are classified as it has them.\n",
        "\n".join(learned or ["Nothing was run yet."]) + "\n",
    ]


def _language(errors: Kinds) -> str:
    accepted = {
        kind: 1 - error if kind in PALINDROMES else error  # only palindromes are to be accepted
        for kind, error in errors.items()
    }
    if _is(accepted, SUMS):
        return "sums of letters with alternating signs, which is no language of palindromes"
    if _is(accepted, PALINDROMES):
        return "palindromes, as far as these kinds of strings go"
    shares = ", ".join(f"{100 * share:.0f} % {kind}" for kind, share in accepted.items())
    return f"neither palindromes nor sums of letters (of each kind it accepts: {shares})"


def _is(accepted: Kinds, language: Sequence[str]) -> bool:
    return all((share if kind in language else 1 - share) >= AGREES for kind, share in accepted.items())
