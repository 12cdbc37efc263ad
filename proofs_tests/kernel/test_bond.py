"""Coq's definitions are ours: on random rational weights and words both compute the same, for every claim that can be run.

One run of Coq computes all questions. The words are few and short, since Coq computes with fractions in its own lists.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from automata.forward import prefix_scores
from automata.wfsa import WFSA
from ratproof.kernel.evaluation import Question, evaluate
from ratproof.network_kinds import NETWORKS
from theory.claim import Claim, Variant
from theory.registry import claim_named, claims
from theory.weights import Weights

WORDS = ["", "a", "ba", "aab"]
RUN = [
    (c, v)
    for c in claims().values()
    for v in c.variants
    if v.theorem and (v.theorem.network or v.theorem.automaton or v.theorem.score)
]
ABSTRACT = {
    "definition-4": "the sum over paths is about any automaton; the certificates' tests run it",
    "example-15": "section 5.2 is about any real exponential",
    "theorem-3.2": "the limits are about any real exponential",
    "fa-rnn-eq-4": "columns are refuted on one automaton, which the statement holds",
    "fa-rnn-eq-10": "blocks are made of any two networks",
    "fa-rnn-beta-1": "a match is over any ordered domain",
}
"""Variants of these claims have theorems that are not run, and why."""


def both(variant: Variant, case: Any) -> tuple[list[list[Any]], list[list[Any]]]:
    """For each word the values of the units, of the network and of the automata, as Python computes them."""
    network = [list(list(variant.recurrence.values(case, word))[-1]) for word in WORDS]
    automata = variant.construction(case)
    return network, [[variant.scores(automaton, word)[-1] for automaton in automata] for word in WORDS]


def agree(variants: list[tuple[Claim, Variant]], cases: list[Any], compiled: Path) -> None:
    """What Coq computes of each case is what Python computes."""
    computed = [both(variant, case) for (_, variant), case in zip(variants, cases, strict=True)]
    questions = [
        Question(variant.theorem, case, WORDS, len(network[0]))
        for (_, variant), case, (network, _) in zip(variants, cases, computed, strict=True)
        if variant.theorem is not None
    ]
    for (claim, variant), case, (network, automata), found in zip(
        variants, cases, computed, evaluate(questions, compiled), strict=True
    ):
        where = f"{claim.name}, {variant.name}: {case.describe()}"
        assert found.network in (None, network), where
        assert found.automaton in (None, automata), where
        assert found.network is not None or found.automaton is not None, where


def test_on_small_weights(compiled: Path) -> None:
    """Three small cases over two letters, of each variant."""
    pairs = [(pair, case) for pair in RUN for case in islice(pair[1].small_cases(2), 20, 120, 37)]
    agree([pair for pair, _ in pairs], [case for _, case in pairs], compiled)


@settings(
    max_examples=2, deadline=None, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck), database=None
)
@given(data=st.data())
def test_on_random_weights(compiled: Path, data: Any) -> None:
    """Random rational weights, a case of each variant, of few digits: Coq's gcd of long numbers is slow."""
    agree(RUN, [data.draw(variant.cases("ab").filter(of_few_digits)) for _, variant in RUN], compiled)


def of_few_digits(case: Any) -> bool:
    """No weight is written with more than six digits in a row."""
    return re.search(r"\d{7}", case.describe()) is None


def test_what_is_not_run_is_said() -> None:
    """Every other theorem speaks of what has no numbers."""
    others = {c.name for c in claims().values() for v in c.variants if v.theorem and (c, v) not in RUN}
    assert others <= set(ABSTRACT)


def test_on_what_is_read_off_the_torch_modules(compiled: Path) -> None:
    """A torch module's gates, exactly, in Coq's network: the scores of the automata that the module reads itself off as."""
    torch.manual_seed(3)
    made = {kind: read_off(kind) for kind in OF_KIND}
    questions = [
        Question(claim_named(OF_KIND[kind]).variant("corrected").theorem, case, WORDS, len(units))
        for kind, (case, units) in made.items()
    ]
    for (kind, (_, units)), found in zip(made.items(), evaluate(questions, compiled), strict=True):
        read = [[list(prefix_scores(unit, word))[-1] for unit in units] for word in WORDS]
        assert found.network == read, kind
        assert found.automaton in (None, read), kind


OF_KIND = {
    "example-6": "proposition-7", "rrnn-b": "model-b", "rrnn-b-max-plus": "model-b-max-plus", "rrnn-c": "model-c", "rrnn-f": "model-f",
    "sru": "corollary-10-sru", "qrnn": "proposition-11-qrnn", "t-rnn": "corollary-10-t-rnn", "t-gru": "proposition-11-t-gru",
    "t-lstm": "proposition-11-t-lstm", "scrn": "corollary-10-scrn", "rcnn": "proposition-12", "isan": "proposition-13",
    "linear-elman": "corollary-14",
}  # fmt: skip
"""The claim that each kind of module is of."""


def read_off(kind: str) -> tuple[Weights, list[WFSA]]:
    """The first unit of a random module (all, of one whose units read each other) as a case of the claim, and its automata."""
    layer = NETWORKS[kind](2, 2, dtype=torch.float64)
    vectors = torch.arange(2) if layer.cell_class.reads_symbols else torch.randn(2, 2, dtype=torch.float64)
    semiring = layer.cell.semiring
    gates = {name: {"".join(w): exact(v) for w, v in table.items()} for name, table in layer.tables(vectors, "ab", 0).items()}
    entries: dict[str, Any] = {name: table[""] if list(table) == [""] else table for name, table in gates.items()}
    size, units = None, slice(0, 1)
    if kind in ("rrnn-c", "rrnn-f"):
        entries |= {"c1_0": Fraction(0), "c2_0": Fraction(0)}
    elif kind == "rcnn":
        entries = {"c_0": (Fraction(0),) * 2, "f": entries["f"], "u": {x: (entries["u1"][x], entries["u2"][x]) for x in "ab"}}
        size = ("n", 2)
    elif kind in ("isan", "linear-elman"):
        entries["c_0"], size, units = (Fraction(0),) * 2, ("d", 2), slice(0, 2)
        if kind == "linear-elman":
            entries = {"c_0": entries["c_0"], "W": entries["W"]["a"], "v": entries["b"]}
    else:
        entries["c_0"] = semiring.zero
        if kind == "scrn":
            entries["alpha"] = entries["f"]["a"]
        size = ("K", 2) if kind in ("qrnn", "t-gru", "t-lstm") else None
    return Weights(semiring, "ab", entries, size), layer.to_automata(vectors, "ab", None, exact=True)[units]


def exact(value: Any) -> Any:
    """The fraction that a float is; of lists, as tuples."""
    return tuple(map(exact, value)) if isinstance(value, list) else Fraction(value)
