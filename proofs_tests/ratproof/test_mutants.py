"""Tests that deliberate mutations of the code change some evidence.

Claims that hold are refuted, or refuted claims hold. The mutations are typical mistakes, such as a transposed
matrix, a shifted initial state, or an update in the wrong order.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from automata import forward
from automata.recurrences.affine import NotAffine
from automata.rounding import units
from automata.semirings import REAL
from automata.testing.strategies import readings
from automata.wfsa import WFSA
from neural import gated, scan
from neural.example_6 import Example6, Example6Cell
from proofs_tests.breaks import FIRST_CASES
from ratproof.evidence.counterexample import Disagreement
from ratproof.implementations.exact import ExactComparison
from ratproof.implementations.layer import LayerComparison
from ratproof.implementations.layer_spec import spec
from ratproof.implementations.layer_strategies import networks
from ratproof.implementations.openfst import OpenFstComparison
from ratproof.ladder.rungs.agreement import agree
from ratproof.ladder.rungs.decided import decide, decide_units
from ratproof.ladder.rungs.exhausted import exhaust
from ratproof.ladder.rungs.no_automaton import refute
from theory.rational_recurrences import proposition_7
from theory.reading import NoAutomaton
from theory.registry import claims
from theory.weights import Weights

CLAIM = claims()["proposition-7"]
VARIANT = CLAIM.variant("corrected")


def on_random_cases(way: Any) -> Callable[[Any], None]:
    """Return the sampled or cross-checked evidence for a variant, in exact arithmetic."""

    @settings(max_examples=60, derandomize=True, phases=[Phase.generate, Phase.shrink])
    @given(st.data())
    def run(variant: Any, data: Any) -> None:
        names, strings = data.draw(readings(most=6, run=0))
        agree(way(CLAIM.name, variant.name, data.draw(VARIANT.cases("abc")).renamed(names)), strings)

    return run


@settings(FIRST_CASES, max_examples=60)
@given(st.data())
def decided(variant: Any, data: Any) -> None:
    """Run the decided evidence for a variant."""
    decide(ExactComparison(CLAIM.name, variant.name, data.draw(VARIANT.cases("ab"))))


EVIDENCE: dict[str, Callable[[Any], None]] = {
    "sampled": on_random_cases(ExactComparison),
    "cross-checked": on_random_cases(OpenFstComparison),
    "decided": decided,
    "exhausted": lambda variant: exhaust(CLAIM.name, variant, longest=3, letters=1),
}


def network(dtype: str = "float64") -> None:
    """Run the sampled evidence of the claim's torch layer."""

    @settings(FIRST_CASES, max_examples=60)
    @given(st.data())
    def run(data: Any) -> None:
        names, strings = data.draw(readings(most=6))
        start = st.floats(-2, 2, width=32)
        drawn = data.draw(networks("abc", "example-6", CLAIM.name, "corrected", dtype, "cpu", start=start))
        agree(drawn.renamed(names), strings)

    run()


def of_recurrence(step: Callable[..., Any]) -> Any:
    """Return the corrected variant with another step in its recurrence."""
    return VARIANT.changed(recurrence=replace(VARIANT.reading.recurrence, step=step))


def of_construction(change: Callable[[WFSA], WFSA]) -> Any:
    """Return the corrected variant with its automata changed."""
    return VARIANT.changed(construction=lambda w: [change(a) for a in VARIANT.reading.construction(w)])


MUTANTS_OF_THE_CLAIM = {
    "update before forget": of_recurrence(lambda w, c, x: w.f[x] * (c + w.u[x])),
    "state squared": of_recurrence(lambda w, c, x: w.f[x] * c * c + w.u[x]),
    "forget gate complemented": of_recurrence(lambda w, c, x: (1 - w.f[x]) * c + w.u[x]),
    "initial weight shifted": of_construction(lambda a: a.replace(initial=a.initial + Fraction(1, 2**60))),
    "final weight off by one part in 2^60": of_construction(
        lambda a: a.replace(final=a.final * (1 + Fraction(1, 2**60)))
    ),
}
"""Mutations that differ from those of ``nox -s mutants -- claims``."""
# These errors are smaller than the resolution of OpenFst's floats.
BELOW_FLOATS = ("initial weight shifted", "final weight off by one part in 2^60")
SEEN_BY = [
    (name, kind)
    for name in MUTANTS_OF_THE_CLAIM
    for kind in EVIDENCE
    if kind != "cross-checked" or name not in BELOW_FLOATS
]


@pytest.mark.parametrize(("name", "kind"), SEEN_BY)
def test_a_mutated_claim_is_refuted(name, kind, monkeypatch):
    """All mutations give different automata, except that a squared state is not an automaton."""
    broken = MUTANTS_OF_THE_CLAIM[name]
    monkeypatch.setattr(
        "ratproof.implementations.exact.claim_named", lambda _: replace(CLAIM, variants=(broken,))
    )
    with pytest.raises(NotAffine if (name, kind) == ("state squared", "decided") else Disagreement):
        EVIDENCE[kind](broken)


RIGHT_GATES, RIGHT_AUTOMATA, RIGHT_LOOP = Example6Cell.gates, Example6.to_automata, scan.gated


def units_rotated(self, *arguments, **options):
    return [
        *RIGHT_AUTOMATA(self, *arguments, **options)[1:],
        *RIGHT_AUTOMATA(self, *arguments, **options)[:1],
    ]


def start_forgotten(self, embeddings, vocabulary, start=None, exact=True):
    return RIGHT_AUTOMATA(self, embeddings, vocabulary, None, exact)


def in_half_precision(gate, update, start):
    return RIGHT_LOOP(gate, update, start).half().to(update.dtype)


def an_ulp_too_much(gate, update, start):
    """Return the states with a relative error of 64 machine epsilons."""
    states = RIGHT_LOOP(gate, update, start)
    return states * (1 + 64 * torch.finfo(states.dtype).eps)


LAYERS = [
    (gated, "gated", in_half_precision),
    (gated, "gated", an_ulp_too_much),
    (Example6, "to_automata", units_rotated),
    (Example6, "to_automata", start_forgotten),
]


@pytest.mark.parametrize(("owner", "name", "wrong"), LAYERS, ids=[wrong.__name__ for *_, wrong in LAYERS])
def test_a_mutated_loop_and_wrongly_extracted_automata_are_refuted(owner, name, wrong, monkeypatch):
    monkeypatch.setattr(owner, name, wrong)
    with pytest.raises(Disagreement):
        network()


def test_gates_that_differ_between_the_two_evaluations_are_refuted(monkeypatch):
    def drifting(self, inputs):
        gates = RIGHT_GATES(self, inputs)
        return gates if inputs.dim() == 2 else gates | {"f": gates["f"] * (1 - 1e-9)}

    monkeypatch.setattr(Example6Cell, "gates", drifting)
    monkeypatch.setattr(Example6Cell, "fused", lambda self, view, state: None)
    with pytest.raises(Disagreement):
        network()


def test_a_forward_that_reads_the_previous_symbol_is_refuted(monkeypatch):
    right = forward.step
    last: dict[int, tuple[Any, Any]] = {}

    def late(automaton, omega, symbol):
        _, before = last.get(id(automaton), (automaton, symbol))
        last[id(automaton)] = automaton, symbol  # keep it, so that no other automaton gets its id
        return right(automaton, omega, before)

    monkeypatch.setattr("ratproof.implementations.exact.step", late)
    with pytest.raises(Disagreement):
        EVIDENCE["sampled"](VARIANT)


def test_a_bound_of_zero_is_refuted_because_floats_round(monkeypatch):
    right = units.unit_bounds
    nothing = lambda *a: [(values, np.zeros_like(bounds)) for values, bounds in right(*a)]
    monkeypatch.setattr("ratproof.implementations.layer.unit_bounds", nothing)
    with pytest.raises(Disagreement):
        network("float32")


TWO_UNITS = {"input_size": 1, "hidden_size": 2}


def comparison_with_two_units(way: str) -> Any:
    """Return a comparison of a layer with two units over one letter, whose gates are 1/2 and 1."""
    if way == "network":
        parameters = {
            "forget.weight": [[0.0]] * 2,
            "forget.bias": [0.0] * 2,
            "update.weight": [[1.0]] * 2,
            "update.bias": [0.0] * 2,
        }
        layer = spec("example-6", TWO_UNITS, parameters, [[1.0]], "a", dtype="float64")
        return LayerComparison("corollary-9", "corrected", layer)
    half, one = Fraction(1, 2), Fraction(1)
    layer = Weights(
        REAL, "a", {"c_0": (0 * one, 0 * one), "f": {"a": (half, half)}, "u": {"a": (one, one)}}, ("d", 2)
    )
    return {"exact": ExactComparison, "openfst": OpenFstComparison}[way]("corollary-9", "corrected", layer)


@pytest.mark.parametrize("way", ["exact", "openfst", "network"])
@pytest.mark.parametrize("unit", [0, 1])
@pytest.mark.parametrize("length", [0, 1, 60])
@pytest.mark.parametrize("index", [0, 2])
def test_a_single_error_in_a_unit_is_detected(way, unit, length, index, monkeypatch):
    """The error is in the first or second unit, at the empty prefix or the last symbol of a long string, in
    the first or last string of the batch.
    """
    sides = comparison_with_two_units(way)
    strings = ["a", "aa", "aaa"]
    strings[index] = "a" * max(60, length) if length == 60 else "a" * 3
    if way == "network":
        states = sides.states(strings)
        states[index][length, unit] += 1e-9
        monkeypatch.setattr(LayerComparison, "states", lambda *_: states)
    else:
        right = claims()["corollary-9"].variant("corrected").reading

        def out(layer, c, right=right.recurrence.out):
            values = list(right(layer, c[0]))
            if c[1] == length:
                values[unit] += Fraction(1, 10**9)
            return tuple(values)

        counted = replace(
            right.recurrence,
            start=lambda layer: (right.recurrence.start(layer), 0),
            step=lambda layer, c, x: (right.recurrence.step(layer, c[0], x), c[1] + 1),
            out=out,
        )
        sides.read = replace(right, recurrence=counted)
        strings = [strings[index]]
    with pytest.raises(Disagreement) as error:
        agree(sides, strings)
    assert (len(error.value.counterexample.string), error.value.counterexample.unit) == (length, unit)


@pytest.mark.parametrize("length", [0, 1, 4])
@pytest.mark.parametrize("unit", [0, 1])
def test_exhaustion_covers_every_unit_and_every_stated_length(length, unit):
    sides = comparison_with_two_units("exact")
    right = sides.read

    class Spoilt:
        start, step, out = right.recurrence.start, right.recurrence.step, right.recurrence.out

        def levels(self, case, longest):
            for n, level in enumerate(right.recurrence.levels(case, longest)):
                yield [
                    tuple(v + (i == unit and n == length) for i, v in enumerate(values)) for values in level
                ]

    sides.read = replace(right, recurrence=Spoilt())
    compared = sides.compare_all(4)
    assert compared.difference is not None
    assert (compared.difference.length, compared.difference.unit) == (length, unit)


def test_exhaustion_counts_its_comparisons():
    assert comparison_with_two_units("exact").compare_all(4).cases == 5


def test_unmutated_code_holds():
    """Without a mutation the same evidence holds, so the refutations above are due to the mutations."""
    for evidence in EVIDENCE.values():
        evidence(VARIANT)
    network("float32")
    network("float64")
    assert proposition_7.CLAIM is CLAIM


def test_a_control_is_not_refuted_and_does_not_hold():
    with pytest.raises(RuntimeError, match="nothing is shown"):
        refute("sru")


def test_differences_need_a_certificate_that_excludes_small_automata():
    printed = CLAIM.variant("printed")  # another automaton computes the unit
    reading = NoAutomaton(printed.reading.recurrence, printed.reading.construction)
    variant = replace(printed, reading=reading)
    with pytest.raises(RuntimeError, match="no certificate excludes another automaton"):
        exhaust(CLAIM.name, variant, longest=2, letters=1)


def test_deciding_nothing_is_not_evidence():
    comparison = ExactComparison(CLAIM.name, "corrected", CLAIM.example)
    with pytest.raises(RuntimeError, match="there must be at least one unit to decide"):
        decide_units(comparison, [], [])
