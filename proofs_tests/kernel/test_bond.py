"""Coq's definitions are ours: on random rational weights and words both compute the same, for every claim
that can be run.

One run of Coq computes all questions. The words are few and short, since Coq computes with fractions in its
own lists.
"""

from __future__ import annotations

import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from automata.forward import prefix_scores
from automata.wfsa import WFSA
from ratproof.kernel import coq
from ratproof.kernel.bond import WORDS, Pair, compared, differences, in_few_digits, runnable, some_cases
from ratproof.kernel.evaluation import Question, evaluate
from ratproof.network_kinds import NETWORKS
from theory.rational_recurrences import proposition_12, proposition_13
from theory.registry import claim_named, claims
from theory.weights import Weights

ABSTRACT = {
    "definition-4": "the sum over paths is about any automaton; the certificates' tests run it",
    "example-15": "section 5.2 is about any real exponential",
    "theorem-3.2": "the limits are about any real exponential",
    "fa-rnn-eq-4": "columns are refuted on one automaton, which the statement holds",
    "fa-rnn-eq-10": "blocks are those of any two networks",
    "fa-rnn-beta-1": "a match is over any ordered domain",
}
"""Variants of these claims have theorems that are not run, and why."""


def agree(pairs: list[Pair], compiled: Path) -> None:
    """What Coq computes of each case is what Python computes."""
    for values, wrong in differences(pairs, compiled):
        assert values > 0 and wrong == ""


def test_on_the_cases_of_the_verdict(compiled: Path) -> None:
    """Some cases over two letters, of each variant: what the verdict itself rests on."""
    differences_by_variant = compared(compiled)
    assert differences_by_variant.keys() == {(claim.name, variant.name) for claim, variant in runnable()}
    assert all(values > 0 and wrong == "" for values, wrong in differences_by_variant.values())


@settings(
    max_examples=2,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
    database=None,
)
@given(data=st.data())
def test_on_random_weights(compiled: Path, data: Any) -> None:
    """Random rational weights, a case of each variant, of few digits: Coq's gcd of long numbers is slow."""
    agree(
        [
            (claim, variant, data.draw(variant.cases("ab").map(in_few_digits)))
            for claim, variant in runnable()
        ],
        compiled,
    )


def test_what_is_not_run_is_said() -> None:
    """Every other theorem speaks of what has no numbers."""
    others = {c.name for c in claims().values() for v in c.variants if v.theorem and (c, v) not in runnable()}
    assert others <= set(ABSTRACT)


def test_on_what_is_read_off_the_torch_modules(compiled: Path) -> None:
    """A torch module's gates, exactly, in Coq's network: the scores of the automata that the module reads
    itself off as.
    """
    torch.manual_seed(3)
    units_by_kind = {kind: read_off(kind) for kind in OF_KIND}
    questions = [
        Question(claim_named(OF_KIND[kind]).variant("corrected").theorem, case, WORDS, len(units))
        for kind, (case, units) in units_by_kind.items()
    ]
    for (kind, (_, units)), values in zip(units_by_kind.items(), evaluate(questions, compiled), strict=True):
        read = [[list(prefix_scores(unit, word))[-1] for unit in units] for word in WORDS]
        assert values.network == read, kind
        assert values.automaton in (None, read), kind


OF_KIND = {
    "example-6": "proposition-7",
    "rrnn-b": "model-b",
    "rrnn-b-max-plus": "model-b-max-plus",
    "rrnn-c": "model-c",
    "rrnn-f": "model-f",
    "sru": "corollary-10-sru",
    "qrnn": "proposition-11-qrnn",
    "t-rnn": "corollary-10-t-rnn",
    "t-gru": "proposition-11-t-gru",
    "t-lstm": "proposition-11-t-lstm",
    "scrn": "corollary-10-scrn",
    "rcnn": "proposition-12",
    "isan": "proposition-13",
    "linear-elman": "corollary-14",
}
"""The claim that each kind of module is of."""


def read_off(kind: str) -> tuple[Weights, list[WFSA]]:
    """The first unit of a random module (all, of one whose units read each other) as a case of the claim, and
    its automata.
    """
    layer = NETWORKS[kind](2, 2, dtype=torch.float64)
    vectors = torch.arange(2) if layer.cell_class.reads_symbols else torch.randn(2, 2, dtype=torch.float64)
    semiring = layer.cell.semiring
    gates = {
        name: {"".join(w): exact(v) for w, v in table.items()}
        for name, table in layer.tables(vectors, "ab", 0).items()
    }
    entries: dict[str, Any] = {
        name: table[""] if list(table) == [""] else table for name, table in gates.items()
    }
    size, units = None, slice(0, 1)
    if kind in ("rrnn-c", "rrnn-f"):
        entries |= {"c1_0": Fraction(0), "c2_0": Fraction(0)}
    elif kind == "rcnn":
        entries = {
            "c_0": (Fraction(0),) * 2,
            "f": entries["f"],
            "u": {x: (entries["u1"][x], entries["u2"][x]) for x in "ab"},
        }
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


def test_another_definition_is_seen(compiled: Path, tmp_path: Path) -> None:
    """Changed together in network and automaton, so that Coq accepts every theorem: W is transposed."""
    root = tmp_path / "coq"
    shutil.copytree(compiled, root)
    file = root / "rational_recurrences" / "proposition_13.v"
    text = file.read_text().replace("W x i j * c j", "W x j i * c j")
    file.write_text(
        text.replace("inl k => W x k j", "inl k => W x j k").replace("Some k => W x k j", "Some k => W x j k")
    )
    coq.compiled(file, root)
    claim = claim_named("proposition-13")
    ((_, wrong),) = differences([(claim, claim.variant("corrected"), claim.example)], root)
    assert "Coq's network gives" in wrong or "Coq's automaton gives" in wrong


@pytest.mark.parametrize(
    ("module", "name", "wrong", "claim"),
    [
        (proposition_13, "within_c", lambda of, i, j: of.at("W", i, j), "proposition-13"),
        (
            proposition_13,
            "place",
            lambda of, j: of.sum(lambda i: of.times(of.at("W", i, j), of.at("c", i))),
            "proposition-13",
        ),
        (proposition_12, "tau_to_first", lambda of, i: of.zero, "proposition-12"),
    ],
    ids=["W is transposed in the automaton", "and in the network, without b", "q_0 does not loop"],
)
def test_a_break_of_ours_is_seen_on_the_cases_of_the_verdict(
    module: Any, name: str, wrong: Any, claim: str, compiled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cases are telling ones: large enough, and not all zeros."""
    variant = claim_named(claim).variant("corrected")
    monkeypatch.setattr(module, name, wrong)
    assert any(
        wrong
        for _, wrong in differences(
            [(claim_named(claim), variant, case) for case in some_cases(variant)], compiled
        )
    )
