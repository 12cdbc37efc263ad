"""Tests that back-tracing in Coq and in Python finds the same paths, on random max-plus automata."""

from fractions import Fraction

from hypothesis import HealthCheck, Phase, given, settings

from automata.semirings import MAX_PLUS
from automata.testing.strategies import automata
from automata.viterbi import viterbi
from ratproof.coq.bond import WORDS
from ratproof.coq.evaluation import Question, evaluate
from theory.theorem import Theorem
from theory.weights import Weights

AUTOMATON = (
    "(@Wfa rational_max_plus nat_eqType (place {n}) (fun q => {first} q) (fun x p q => {T} x p q) (fun q =>"
    " {last} q))"
)
TRACED = f"traced_back {AUTOMATON} (@greater rational_additive) {{word}}"
STATES = Theorem(
    "rational_recurrences.back_tracing.back_tracing",
    network=(
        f"(if {TRACED} is Some (q, qs) then Some (Q2Qc (inject_Z (BinInt.Z.of_nat (foldl (fun number (p :"
        " 'I__) => 10 * number + p)%N 1%N (q :: qs))))) else None)"
    ),
    score=f"of_path {AUTOMATON} ({TRACED}) {{word}}",
    over="rational_max_plus",
)
"""The Coq terms for the traced path (as a decimal number: a 1, followed by the states) and for its weight."""


@settings(max_examples=3, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck))
@given(automaton=automata(MAX_PLUS, least_states=1, most_states=3))
def test_both_find_the_same_path(compiled, automaton):
    case = Weights(
        MAX_PLUS,
        "ab",
        {
            "first": tuple(automaton.initial.tolist()),
            "T": {x: tuple(map(tuple, automaton.matrix(x).tolist())) for x in "ab"},
            "last": tuple(automaton.final.tolist()),
        },
        ("n", automaton.states),
    )
    (values,) = evaluate([Question(STATES, case, WORDS)], compiled)
    assert values.network is not None and values.automaton is not None
    for word, (path,), (weight,) in zip(WORDS, values.network, values.automaton, strict=True):
        best = viterbi(automaton, word)
        if best is None:  # every path has the weight minus infinity, and so does Coq's
            assert weight == float("-inf")
        else:
            states = (best.start, *(edge.target for edge in best.edges))
            assert path == Fraction("1" + "".join(map(str, states)))
            assert weight == best.score
