"""Definition 4: the Forward algorithm computes the score of a string, a sum over all paths.

Peng et al. 2018, section 2, equations 1 to 3c. Definition 3 as printed requires a path to have at
least one transition. (Equation 3b prints x_i for x_{i+1}, which is a variant of Proposition 7.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from hypothesis import strategies as st

from automata import forward, paths
from automata.io import json_format
from automata.semirings import BOOLEAN, COUNTING, MAX_PLUS, REAL
from automata.strings import String
from automata.testing.strategies import LETTERS, automata
from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Misprint, Source, holding, refuted
from theory.rational_recurrences.closed_sums import of_string
from theory.reading import Equality, Recurrence
from theory.signature import GRID, Signature, by_symbol
from theory.theorem import Theorem
from theory.weights import Weights


@dataclass(frozen=True)
class Drawn:
    """An automaton as a case of a claim about automata."""

    automaton: WFSA

    @property
    def alphabet(self) -> str:
        """The symbols, in order."""
        return "".join(self.automaton.alphabet)

    def describe(self) -> str:
        """Return the automaton's size, semiring and nonzero weights on one line."""
        a, write = self.automaton, self.automaton.semiring.format
        ends = [
            f"{name}({q}) = {write(w)}"
            for name, vector in (("lambda", a.initial), ("rho", a.final))
            for q, w in enumerate(vector.tolist())
            if w != a.semiring.zero
        ]
        arrows = [
            f"tau({e.source}, {e.target}, {e.symbol or 'epsilon'}) = {write(e.weight)}" for e in a.edges()
        ]
        states = "1 state" if a.states == 1 else f"{a.states} states"
        return ", ".join([f"{states} over the {a.semiring.name} semiring", *ends, *arrows])

    def renamed(self, names: dict[str, str]) -> Drawn:
        """Return the automaton restricted to the letters in ``names``, which get their new names."""
        index = {new: self.automaton.index[old] for old, new in names.items()}
        return Drawn(self.automaton.replace(index=index))

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object with the automaton, in the format of automaton files."""
        return {"automaton": json_format.to_json(self.automaton)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Drawn:
        """Read the result of :meth:`to_json`."""
        return cls(json_format.from_json(data["automaton"]))


# The Forward algorithm (equations 3a to 3c, with x_{i+1} in 3b) as a recurrence.

forward_algorithm = Recurrence(
    start=lambda drawn: forward.start(drawn.automaton),
    step=lambda drawn, omega, x: forward.step(drawn.automaton, omega, x),
    out=lambda drawn, omega: (forward.read_out(drawn.automaton, omega),),
)


# The sum over paths (equations 1 and 2), as a recurrence whose state is the string so far.


def of_some_transition(automaton: WFSA, string: String) -> Any:
    """Return the sum over the paths that have at least one transition, as Definition 3 requires."""
    k = automaton.semiring
    total = k.zero
    for path in paths.paths(automaton, string):
        if path[1]:
            total = k.plus(total, paths.path_score(automaton, path))
    return total


def of_all_paths(automaton: WFSA, string: String) -> Any:
    """Return the sum over all paths, including epsilon cycles.

    Over the reals, the sum is a limit. If plus selects one of its arguments, a cycle whose sum converges does
    not change the sum over the paths without this cycle.
    """
    return paths.limit(automaton, string) if automaton.semiring is REAL else paths.score(automaton, string)


def forward_equals(value: Callable[[WFSA, String], Any]) -> Equality:
    """Return the statement that the Forward algorithm computes ``value`` of an automaton and a string."""
    return Equality(
        recurrence=forward_algorithm, construction=lambda case: [case.automaton], algorithm=of_string(value)
    )


def drawn(alphabet: str) -> st.SearchStrategy[Drawn]:
    """Return random automata over four semirings, some with epsilon transitions."""
    some = [
        automata(k, alphabet=alphabet, most_states=3, epsilon=e)
        for k in (REAL, MAX_PLUS, COUNTING, BOOLEAN)
        for e in ("none", "acyclic")
    ]
    return st.one_of(*some).map(Drawn)


def small(letters: int) -> Iterator[Drawn]:
    """Yield all one-state real automata with weights 0, 1, -1 or 1/2 and a nonzero final weight.

    With one letter, also yield all automata with two states and weights 0 or 1.
    """
    alphabet = LETTERS[:letters]
    for first, last, *rest in product(GRID, GRID[1:], *[GRID] * letters):
        tables: dict[str, Any] = {x: [[w]] for x, w in zip(alphabet, rest, strict=True)}
        yield Drawn(WFSA(REAL, [str(first)], [str(last)], tables))
    if letters == 1:
        for bits in product((0, 1), repeat=8):
            yield Drawn(WFSA(REAL, bits[:2], bits[2:4], {"a": [bits[4:6], bits[6:]]}))


# In most automata, a long string has too many paths. In the automaton B of Figure 1, it has one per symbol.

GATES = Signature((by_symbol("f"), by_symbol("u")))


def long_drawn(alphabet: str) -> st.SearchStrategy[Drawn]:
    """Return random automata B (Figure 1) for long strings, without huge and tiny weights."""
    return GATES.random(alphabet, extreme=False).map(lambda w: Drawn(_figure_1(w)))


def long_with_cycles(alphabet: str) -> st.SearchStrategy[Drawn]:
    """Return random automata B (Figure 1) with an epsilon loop of weight 1/2 at q_1, for long strings."""
    loop: Any = [[0, 0], [0, "1/2"]]
    return GATES.random(alphabet, extreme=False).map(lambda w: Drawn(_figure_1(w, loop)))


def _figure_1(w: Weights, epsilon: Any = None) -> WFSA:
    tables: dict[str, Any] = {x: [[1, w.u[x]], [0, w.f[x]]] for x in w.alphabet}
    return WFSA(REAL, [1, 0], [0, 1], tables, epsilon=epsilon)


def drawn_with_cycles(alphabet: str) -> st.SearchStrategy[Drawn]:
    """Return random automata whose epsilon transitions may have cycles, if the sums over these converge."""
    some = [
        automata(k, alphabet=alphabet, most_states=3, epsilon="cyclic") for k in (REAL, MAX_PLUS, BOOLEAN)
    ]
    return st.one_of(*some).map(Drawn)


def small_with_cycles(letters: int) -> Iterator[Drawn]:
    """Yield all one-state real automata whose epsilon loop has weight 1/2 or -1/2.

    With one letter, also yield all automata with two states and weights 0 or 1 that have an epsilon cycle of
    two transitions, with the weights 1/2 and -1.
    """
    alphabet = LETTERS[:letters]
    for first, last, *rest in product(GRID, repeat=2 + letters):
        tables: dict[str, Any] = {x: [[w]] for x, w in zip(alphabet, rest, strict=True)}
        for loop in ("1/2", "-1/2"):
            yield Drawn(WFSA(REAL, [str(first)], [str(last)], tables, epsilon=[[loop]]))
    if letters == 1:
        epsilon: Any = [[0, "1/2"], [-1, 0]]
        for bits in product((0, 1), repeat=8):
            yield Drawn(WFSA(REAL, bits[:2], bits[2:4], {"a": [bits[4:6], bits[6:]]}, epsilon=epsilon))


KINDS = ("sampled", "exhausted")
ANEW = "a sum over paths is recomputed for every string: it has no step that could be read as a matrix"
ARROWS = [(0, 0, "a", 1), (0, 1, "a", 2), (1, 1, "a", "1/3"), (0, 1, "b", 1), (1, 1, "b", 1)]
EXAMPLE = WFSA.from_edges(REAL, 2, "ab", [(0, 1)], [(0, "1/2"), (1, 1)], ARROWS)

CLAIM = Claim(
    name="definition-4",
    title="Forward is the sum over paths",
    statement=(
        "The score that an automaton assigns to a string is the sum, over all paths that derive it, of the"
        " products of their weights. The Forward algorithm computes it, including epsilon transitions."
    ),
    source=Source("peng2018rational", "2", "Definition 4", ("1", "2", "3a", "3b", "3c")),
    hypotheses=(
        "A path may have no transition: it derives the empty string, and has the weight lambda(q) rho(q).",
        "The sums over cycles of epsilon transitions exist.",
    ),
    variants=(
        holding(
            name="corrected",
            without={"decided": ANEW},
            says="paths without a transition are also paths",
            reading=forward_equals(paths.score),
            cases=drawn,
            long_cases=long_drawn,
            small_cases=small,
            kinds=("sampled", "cross-checked", "exhausted"),
            theorem=Theorem(
                "rational_recurrences.definition_4.definition_4",
                untied="the sum over paths is for any automaton; the tests of certificates run it",
            ),
        ),
        holding(
            name="corrected-cycles",
            without={
                "decided": ANEW,
                "cross-checked": (
                    "OpenFst leaves a cycle of epsilon transitions when its sum changes by less than a"
                    " delta, which bounds the last turn but not the omitted ones: there is no bound on its"
                    " error"
                ),
                "proved": "a limit is not an identity of polynomials that each step keeps",
                "kernel-checked": "the theorem of corrected is about at most N epsilons in a row, not limits",
            },
            says="including cycles of epsilon transitions, if the sums over their paths converge absolutely",
            reading=forward_equals(of_all_paths),
            cases=drawn_with_cycles,
            long_cases=long_with_cycles,
            small_cases=small_with_cycles,
            kinds=KINDS,
        ),
        refuted(
            name="printed",
            without={"decided": ANEW},
            says="Definition 3 as printed, where a path has at least one transition",
            reading=forward_equals(of_some_transition),
            cases=drawn,
            long_cases=long_drawn,
            small_cases=small,
            kinds=KINDS,
            theorem=Theorem(
                "rational_recurrences.definition_4.printed_is_refuted",
                untied="the sum over paths is for any automaton; the tests of certificates run it",
            ),
        ),
    ),
    differences=(
        (
            "A path without a transition derives the empty string. The paths of Definition 3 have at"
            " least one transition."
        ),
        "Equation 3b reads x_{i+1}; the paper prints x_i.",
        (
            "The Forward algorithm includes epsilon transitions, which section 2 omits for simplicity. The"
            " Coq theorem is about paths with at most N consecutive epsilon transitions, for every N."
        ),
        (
            "Cycles of epsilon transitions are included only in corrected-cycles, over the reals, if"
            " the sums over their paths converge absolutely. The paper requires a star semiring, or a"
            " limit of the number of consecutive epsilon transitions."
        ),
    ),
    example=Drawn(EXAMPLE),
    case=Drawn,
    effort=Effort(strings=12, longest=5, run=0),
    misprints=(
        Misprint(
            printed=(
                "the string that a path derives is the substring of its symbols that excludes epsilon"
                " (Definition 3)"
            ),
            right=("the subsequence: removing epsilon from a, epsilon, b leaves ab, which is not contiguous"),
            test="proofs_tests/rational_recurrences/test_definition_4.py::test_a_path_derives_a_subsequence",
        ),
    ),
)
