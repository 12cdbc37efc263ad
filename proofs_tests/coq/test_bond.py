"""Tests that the definitions in Coq equal those in Python, for every executable claim.

Both compute the same values for random rational weights and words. One run of Coq evaluates all cases. The
words are few and short, because Coq's fractions are slow.
"""

import shutil
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from automata.forward import prefix_scores
from automata.wfsa import WFSA
from neural.layer_kind import layer_kinds
from neural.linear_recurrence_cell import LinearRecurrenceCell
from ratproof.coq import programs as coq
from ratproof.coq.bond import (
    WORDS,
    VariantCase,
    compare_definitions,
    differences,
    runnable_variants,
    some_cases,
)
from ratproof.coq.evaluation import Question, evaluate
from ratproof.implementations.layer import LayerComparison
from ratproof.implementations.layer_spec import spec
from theory.claim import Variant
from theory.rational_recurrences import proposition_12, proposition_13
from theory.registry import claim_named, claims
from theory.signature import signatures_of
from theory.weights import Weights


def shorten_fractions(case: Any, variant: Variant) -> Any:
    """Return the case with short fractions of the same signs, because Coq's gcd of long numbers is slow.

    Mathcomp's fractions use unary numbers, and must be even shorter. Derived weights are computed again.
    """
    unary = variant.theorem is not None and variant.theorem.over.startswith("fractions")
    limit, numerators, denominators = (3, 3, 2) if unary else (1000, 7, 5)

    def short(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: short(part) for key, part in value.items()}
        if isinstance(value, tuple):
            return tuple(map(short, value))
        if not isinstance(value, Fraction) or max(abs(value.numerator), value.denominator) < limit:
            return value
        fraction = Fraction(abs(value.numerator) % numerators + 1, value.denominator % denominators + 1)
        return fraction if value > 0 else -fraction

    if not isinstance(case, Weights):
        return case
    shortened = replace(case, entries=short(case.entries))
    own = [signature for signature in signatures_of(variant) if signature.size == case.size][:1]
    for entry in (entry for signature in own for entry in signature.entries if entry.derived is not None):
        entries = shortened.entries | {entry.name: entry.derive(shortened)}
        shortened = replace(shortened, entries=entries)
    return shortened


def is_small(case: Any) -> bool:
    """Return whether the case has at most three states; with seven states, Coq takes ten times as long."""
    return not isinstance(case, Weights) or case.size is None or case.n <= 3


def agree(pairs: list[VariantCase], compiled: Path) -> None:
    """Assert that Coq and Python compute the same values for each case."""
    for values, difference in differences(pairs, compiled):
        assert values > 0 and difference == ""


def test_on_the_cases_of_the_verdict(compiled):
    """Coq and Python agree on some of the cases over two letters that the verdict of each variant uses."""
    by_variant = compare_definitions(compiled)
    assert by_variant.keys() == {(claim.name, variant.name) for claim, variant in runnable_variants()}
    assert [(values > 0, difference) for values, difference in by_variant.values()] == [(True, "")] * len(
        by_variant
    )


@pytest.mark.parametrize("part", range(2))  # Hypothesis limits the size of what a test draws
@settings(max_examples=2, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_on_random_weights(compiled, part, data):
    """Each variant has one case with rational weights of few digits, because Coq's gcd of long numbers is
    slow.
    """
    agree(
        [
            (claim, variant, shorten_fractions(data.draw(variant.cases("ab").filter(is_small)), variant))
            for claim, variant in list(runnable_variants())[part::2]
        ],
        compiled,
    )


def test_theorems_that_are_not_run_have_a_reason():
    """A theorem has executable terms to which it is tied, or a reason for having none."""
    for claim in claims().values():
        for variant in claim.variants:
            if variant.theorem is not None:
                assert ((claim, variant) in runnable_variants()) == (not variant.theorem.untied)


def test_on_gates_of_torch_modules(compiled):
    """With the exact gates of a torch module, Coq's network has the scores of the automata extracted from the
    module. Max-plus layers are excluded, because their theorems are about mathcomp's fractions.
    """
    torch.manual_seed(3)
    pairs = [
        (claim.name, layer)
        for claim in claims().values()
        for layer in claim.layers
        if claim.layers_are_cases
        and layer in layer_kinds()
        # a unit of these layers has one output, and some theorems have several; test_torch_layers compares
        # them
        and not issubclass(layer_kinds()[layer].cls.cell_class, LinearRecurrenceCell)
        and (claim, claim.variant("corrected")) in runnable_variants()
        # Mathcomp's fractions use unary numbers, and a float has 53 bits.
        and not claim.variant("corrected").theorem.over.startswith("fractions")
    ]
    assert pairs
    modules = [read_off(*pair) for pair in pairs]
    questions = [
        Question(claim_named(claim).variant("corrected").theorem, case, WORDS, len(units))
        for (claim, _), (case, units) in zip(pairs, modules, strict=True)
    ]
    for pair, (_, units), values in zip(pairs, modules, evaluate(questions, compiled), strict=True):
        scores = [[list(prefix_scores(unit, word))[-1] for unit in units] for word in WORDS]
        assert values.network == scores, pair
        assert values.automaton in (None, scores), pair


def read_off(claim: str, kind: str) -> tuple[Weights, list[WFSA]]:
    """Return the first unit of a random module as a case of the claim, and the unit's automaton.

    If the units read each other, return a case of all units, and all automata.
    """
    options = {"input_size": 2, "hidden_size": 2}
    cell = layer_kinds()[kind].cls(**options, dtype=torch.float64).cell
    vectors = [0, 1] if cell.reads_symbols else torch.randn(2, 2, dtype=torch.float64)
    parameters = {name: values.numpy() for name, values in cell.state_dict().items()}
    network = LayerComparison(claim, "corrected", spec(kind, options, parameters, vectors, "ab", "float64"))
    case, recurrence = network.claim_weights(0), claim_named(claim).variant("corrected").reading.recurrence
    return case, network.automata()[: len(recurrence.out(case, recurrence.start(case)))]


def test_a_changed_definition_is_detected(compiled, tmp_path):
    """W is transposed in network and automaton, so that Coq still accepts every theorem."""
    root = tmp_path / "coq"
    shutil.copytree(compiled, root)
    file = root / "rational_recurrences" / "proposition_13.v"
    text = file.read_text().replace("W x i j * c j", "W x j i * c j")
    file.write_text(
        text.replace("inl k => W x k j", "inl k => W x j k").replace("Some k => W x k j", "Some k => W x j k")
    )
    coq.compile_file(file, root)
    claim = claim_named("proposition-13")
    ((_, wrong),) = differences([(claim, claim.variant("corrected"), claim.example)], root)
    assert "Coq's network gives" in wrong or "Coq's automaton gives" in wrong


@pytest.mark.parametrize(
    ("module", "name", "wrong", "claim"),
    [
        (proposition_13, "within_c", lambda of, i, j: of.at("W", i, j), "proposition-13"),
        (
            proposition_13,
            "next_number",
            lambda of, j: of.sum(lambda i: of.times(of.at("W", i, j), of.at("c", i))),
            "proposition-13",
        ),
        (proposition_12, "tau_to_first", lambda of, i: of.zero, "proposition-12"),
    ],
    ids=["W is transposed in the automaton", "and in the network, without b", "q_0 does not loop"],
)
def test_a_mutation_of_ours_is_detected_on_the_cases_of_the_verdict(
    module, name, wrong, claim, compiled, monkeypatch
):
    """The cases of the verdict distinguish mutations of the Python code, because they are large and
    generic.
    """
    variant = claim_named(claim).variant("corrected")
    monkeypatch.setattr(module, name, wrong)
    assert any(
        wrong
        for _, wrong in differences(
            [(claim_named(claim), variant, case) for case in some_cases(variant)], compiled
        )
    )


PROPOSITION_11 = ("proposition-11-qrnn", "proposition-11-t-gru", "proposition-11-t-lstm")


def with_fewer_states(change: Any = lambda a: a) -> list[VariantCase]:
    """Return the cases of Proposition 11's smaller automata with a changed Python implementation."""
    pairs: list[VariantCase] = []
    for claim in map(claim_named, PROPOSITION_11):
        variant = claim.variant("corrected-with-fewer-states")
        right = variant.reading.construction
        wrong = variant.changed(construction=lambda w, right=right: [change(a) for a in right(w)])
        pairs += [(claim, wrong, case) for case in some_cases(variant)]
    return pairs


def test_the_smaller_automaton_of_proposition_11_is_run(compiled):
    """Network and automaton run on each word, with windows of one and of two symbols."""
    results = differences(with_fewer_states(), compiled)
    assert results == [(2 * len(WORDS), "")] * len(results) and len(results) >= len(PROPOSITION_11)


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.replace(matrices=a.matrices.swapaxes(1, 2).copy()),
        lambda a: a.replace(initial=a.initial[[*range(1, a.states), 0]]),
        lambda a: a.replace(index=dict(zip(a.index, reversed(a.index.values()), strict=True))),
    ],
    ids=["transposed", "another start", "letters change places"],
)
def test_a_mutated_smaller_automaton_of_proposition_11_is_detected(change, compiled):
    """Coq's weights differ from those of the mutation."""
    results = differences(with_fewer_states(change), compiled)
    assert all("Coq's automaton gives" in difference for _, difference in results)


def test_the_proposition_of_a_variant_about_nonempty_strings_excludes_the_empty_word():
    """Otherwise a theorem about the empty word would refute it."""
    nonempty = [v for claim in claims().values() for v in claim.variants if v.reading.shortest]
    propositions = [v.theorem.claims for v in nonempty if v.theorem is not None]
    assert propositions and all("word <> [::] -> {automaton} = {network}" in p for p in propositions)
