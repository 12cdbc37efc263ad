"""Section 5.2: if a semiring's plus selects, like max-plus, a score can be traced back to one path.

Peng et al. 2018, section 5.2, after Example 15: "One advantage of max operator is that the model's
decisions can be back-traced and interpreted [...]. Such a technique is applicable to all the models
with rational recurrences." Over the reals, a score is a sum over paths, and no single path need
have this weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from hypothesis import strategies as st

from automata import paths
from automata.semirings import BOOLEAN, MAX_PLUS, MAX_TIMES
from automata.strings import String
from automata.testing.strategies import LETTERS, automata
from automata.viterbi import viterbi
from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Source, holding, refuted
from theory.rational_recurrences.definition_4 import Drawn, forward_equals
from theory.rational_recurrences.proposition_7 import AT_ZERO, figure_1
from theory.signature import TROPICAL_GRID, Signature, by_symbol
from theory.theorem import Theorem
from theory.weights import Weights

# A rational recurrence is the Forward algorithm of some automaton (Definition 8). Its scores are compared
# with the weight of a single path (equation 1), computed from its transitions.


def traced_back(automaton: WFSA, string: String) -> Any:
    """Return the weight of the path that the Viterbi algorithm finds, or zero if there is no path."""
    best = viterbi(automaton, string)
    if best is None:
        return automaton.semiring.zero
    return paths.path_score(automaton, (best.start, best.edges))


def of_one_path(automaton: WFSA, string: String) -> Any:
    """Return the score if some path has this weight, and otherwise the greatest weight of a path.

    The result therefore differs from the score only if no single path has its weight.
    """
    score = paths.score(automaton, string)
    weights = [paths.path_score(automaton, path) for path in paths.paths(automaton, string)]
    return score if score in weights else max(weights, default=automaton.semiring.zero)


# The cases are automata over semirings whose plus selects. For long strings, they are the automaton B of
# Figure 1 over max-plus, which has paths of any length. Over the reals, they are the automaton B of
# Proposition 7, which equals a gated unit with c_0 = 0.

SELECTIVE = (MAX_PLUS, MAX_TIMES, BOOLEAN)
GATES_OVER_MAX_PLUS = Signature((by_symbol("f"), by_symbol("u")), MAX_PLUS)


def drawn(alphabet: str) -> st.SearchStrategy[Drawn]:
    """Return random automata over semirings whose plus selects."""
    return st.one_of(*(automata(k, alphabet=alphabet, most_states=3) for k in SELECTIVE)).map(Drawn)


def figure_1_of_gates(w: Weights) -> Drawn:
    """Return the automaton B (Figure 1) for a unit of Example 6, as a case."""
    (b,) = figure_1(w)
    return Drawn(b)


def small_selective(letters: int) -> Iterator[Drawn]:
    """Yield small automata B over max-plus with weights -infinity, 0 and -1.

    With one letter, also yield automata with other initial and final weights.
    """
    zero, one = MAX_PLUS.zero, MAX_PLUS.one
    for weights in product(TROPICAL_GRID[:3], repeat=2 * letters):
        tables: dict[str, Any] = {
            x: [[one, weights[2 * i]], [zero, weights[2 * i + 1]]] for i, x in enumerate(LETTERS[:letters])
        }
        for first, last in ((zero, zero), (one, zero), (zero, one)) if letters == 1 else ((zero, zero),):
            yield Drawn(WFSA(MAX_PLUS, [one, first], [last, one], tables))


ONE_PATH = {"decided": "one path is compared with a sum over all paths, which is not an automaton"}
KINDS = ("sampled", "exhausted")  # the weight of a path is not computed step by step, so it is not decided

CLAIM = Claim(
    name="back-tracing",
    title="If plus selects, a score is the weight of one path",
    statement=(
        "Over a semiring whose plus returns one of its two arguments, like a maximum, the score of a"
        " rational recurrence is the weight of one path, which back-tracing finds."
    ),
    source=Source("peng2018rational", "5.2", "Back-tracing", ("1", "2", "21c")),
    hypotheses=(
        "The semiring's plus selects: a plus b is a or b. The paper does not state this hypothesis.",
    ),
    variants=(
        holding(
            name="corrected",
            without={
                **ONE_PATH,
                "proved": "it is a statement about paths, and this check is about the steps of a recurrence",
            },
            says="over max-plus, max-times and the booleans, the weight of Viterbi's path is the score",
            reading=forward_equals(traced_back),
            cases=drawn,
            long_cases=lambda alphabet: GATES_OVER_MAX_PLUS.random(alphabet).map(figure_1_of_gates),
            small_cases=small_selective,
            kinds=KINDS,
            theorem=Theorem(
                "rational_recurrences.back_tracing.back_tracing",
                untied="Viterbi's algorithm is for any automaton; test_back_tracing.py tests it",
            ),
        ),
        refuted(
            name="printed",
            without=ONE_PATH,
            says="over the reals as well, the score is the weight of some path",
            reading=forward_equals(of_one_path),
            cases=lambda alphabet: AT_ZERO.random(alphabet).map(figure_1_of_gates),
            small_cases=lambda letters: map(figure_1_of_gates, AT_ZERO.small(letters)),
            kinds=KINDS,
            theorem=Theorem(
                "rational_recurrences.back_tracing.printed_is_refuted",
                untied="Viterbi's algorithm is for any automaton; test_back_tracing.py tests it",
            ),
        ),
    ),
    differences=(
        (
            "The semiring's plus selects one of its arguments. The paper states that back-tracing"
            " applies to all models with rational recurrences."
        ),
        (
            "The statement is that the score is the weight of one path, which Viterbi's algorithm"
            " finds. That the path explains a decision is not formal."
        ),
    ),
    example=Drawn(
        WFSA.from_edges(
            MAX_PLUS,
            2,
            "ab",
            [(0, 0)],
            [(1, 0)],
            [
                (0, 0, "a", 0),
                (0, 0, "b", 0),
                (0, 1, "a", 3),
                (0, 1, "b", -1),
                (1, 1, "a", "-1/2"),
                (1, 1, "b", 0),
            ],
        )
    ),
    uses=("definition-4", "example-15"),
    case=Drawn,
    effort=Effort(examples=50, strings=6, longest=4, run=0, exhausted=3),
)
