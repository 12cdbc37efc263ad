"""SoPa: soft patterns with self-loops and epsilon transitions, which section 1 calls rational by definition.

Peng et al. 2018, section 1, on Schwartz et al. 2018, which has the dynamic program. A pattern of n
words may match anywhere in the string. A self-loop reads an additional word; an epsilon transition
skips one of the pattern's words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from automata.semirings import MAX_PLUS, REAL, Semiring
from automata.symbols import EPSILON
from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Source, holding, refuted
from theory.induction import Induction
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights

# The weights of one pattern: m_j reads a word of the pattern and moves to state j, s_j reads a word and stays
# in state j, and e_j moves to state j and reads nothing. The start loops with weight one, so that a match may
# begin anywhere.


def pattern(n: int, over: Semiring = REAL) -> Signature:
    """Return the names and shapes of the weights of a pattern of n words."""
    entries = (by_symbol("m", (n,)), by_symbol("s", (n,)), constant("e", (n,)))
    return Signature(entries, over=over, size=("n", n), most_small=300)


# The recurrence, over any semiring. A state consists of h_1, ..., h_n and c. Before epsilon transitions, h_j
# is the score of the partial matches that end in state j with the last symbol (h_0 is one). The score of all
# matches so far is c.

State = tuple[tuple[Any, ...], Any]


def left_out(w: Weights, h: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return h after any number of consecutive epsilon transitions.

    Its component j is h_j + h_{j-1} e_j, where h_{j-1} is already the new component.
    """
    k, after = w.over, [w.over.one]
    for value, weight in zip(h, w.e, strict=True):
        after.append(k.plus(value, k.times(after[-1], weight)))
    return tuple(after[1:])


def left_out_once(w: Weights, h: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return h after at most one epsilon transition, as in Schwartz et al.

    Its component j is h_j + h_{j-1} e_j, where h_{j-1} is the old component.
    """
    k = w.over
    before = (k.one, *h[:-1])
    return tuple(k.plus(v, k.times(b, weight)) for v, b, weight in zip(h, before, w.e, strict=True))


def read(w: Weights, h: tuple[Any, ...], x: str) -> tuple[Any, ...]:
    """Return h after the pattern reads symbol x: h_{j-1} m_j(x) + h_j s_j(x) for each j."""
    k = w.over
    before = (k.one, *h[:-1])
    return tuple(
        k.plus(k.times(b, m), k.times(v, s)) for b, v, m, s in zip(before, h, w.m[x], w.s[x], strict=True)
    )


def soft_pattern(epsilon: Any) -> Recurrence:
    """Return the dynamic program in which the function ``epsilon`` applies the epsilon transitions.

    Over max-plus, plus is the maximum, as in SoPa.
    """

    def start(w: Weights) -> State:
        h = (w.over.zero,) * w.n
        return h, epsilon(w, h)[-1]

    def step(w: Weights, state: State, x: str) -> State:
        h = read(w, epsilon(w, state[0]), x)
        return h, w.over.plus(state[1], epsilon(w, h)[-1])

    return Recurrence(start=start, step=step, out=lambda w, state: (state[1],))


sopa, sopa_once = soft_pattern(left_out), soft_pattern(left_out_once)


# The constructions.


def chain(w: Weights) -> list[WFSA]:
    """Return the automaton with states 0 to n, and a state n + 1 that collects complete matches.

    Epsilon leads from state n to state n + 1, which loops on every symbol.
    """
    k, n = w.over, w.n
    arrows = [(j, j + 1, EPSILON, weight) for j, weight in enumerate((*w.e, k.one))]
    for x in w.alphabet:
        arrows += [(0, 0, x, k.one), (n + 1, n + 1, x, k.one)]
        arrows += [(j, j + 1, x, weight) for j, weight in enumerate(w.m[x])]
        arrows += [(j, j, x, weight) for j, weight in enumerate(w.s[x], start=1)]
    return [WFSA.from_edges(k, n + 2, w.alphabet, [(0, k.one)], [(n + 1, k.one)], arrows)]


def chain_in_two_rows(w: Weights) -> list[WFSA]:
    """Return the automaton with at most one consecutive epsilon transition.

    Each state j from 1 to n has a copy n + 1 + j. Epsilon leads to the copy, and only symbols lead
    out of it.
    """
    k, n = w.over, w.n
    arrows = [(j, n + 2 + j, EPSILON, weight) for j, weight in enumerate(w.e)]
    arrows += [(n, n + 1, EPSILON, k.one), (2 * n + 1, n + 1, EPSILON, k.one)]
    for x in w.alphabet:
        arrows += [(0, 0, x, k.one), (n + 1, n + 1, x, k.one)]
        for j, (m, s) in enumerate(zip(w.m[x], w.s[x], strict=True), start=1):
            arrows += [(j - 1, j, x, m), (j, j, x, s), (n + 1 + j, j, x, s)]
            arrows += [(n + j, j, x, m)] if j > 1 else []
    return [WFSA.from_edges(k, 2 * n + 2, w.alphabet, [(0, k.one)], [(n + 1, k.one)], arrows)]


# The proofs: the Forward vector after a symbol and epsilon transitions.


def states(w: Weights, variable: Callable[[str], Any]) -> list[State]:
    """Return a list of one state, whose components are variables."""
    return [(tuple(variable(f"h[{j}]") for j in range(1, w.n + 1)), variable("c"))]


def two_rows(w: Weights, state: State, unit: int) -> tuple[Any, ...]:
    """Return the Forward vector: 1, h_1 to h_n and c in the first row, and h_{j-1} e_j in the second row."""
    k, (h, c) = w.over, state
    return (k.one, *h, c, *(k.times(b, weight) for b, weight in zip((k.one, *h), w.e, strict=False)))


SIZES = Sizes(pattern, (1, 2, 3), (1, 2))
MAX_PLUS_SIZES = Sizes(lambda n: pattern(n, MAX_PLUS), (1, 2, 3), (1, 2))


def proof(says: str, invariant: Callable[[Weights, State, int], Any], reached: str) -> Induction:
    """Return the proof by induction over ``invariant``; ``reached`` says how a state is reached."""
    return Induction(
        says=says,
        invariant=invariant,
        states=states,
        instances=tuple((pattern(n), "a") for n in (1, 2, 3, 4)),
        enough=(
            "One letter whose weights are variables stands for every letter, because a step reads one letter."
            f" {reached}, so a longer pattern only has more states like those between the first and the last."
            " Patterns of 1 to 4 words are checked."
        ),
    )


PROOF = proof(
    "after every string, the Forward vector is 1, h_1 to h_n after epsilon transitions, and c",
    lambda w, state, unit: (w.over.one, *left_out(w, state[0]), state[1]),
    "State j is reached from states j - 1 and j by the symbol, and from state j - 1 by epsilon",
)
PROOF_OF_TWO_ROWS = proof(
    "after every string, the Forward vector is 1, h_1 to h_n before epsilon transitions, c, and h_{j-1}"
    " e_j in state j of the second row",
    two_rows,
    "State j is reached from states j - 1 and j of both rows by the symbol, and state j of the second"
    " row from state j - 1 of the first by epsilon",
)

# The terms that Coq runs: the program with a rule for epsilon transitions, and the score of an automaton with
# at most n + 1 consecutive epsilon transitions.

ONE_ROW = "(chain {n} {m:from 1} {s:from 1}) (silently {e:from 1})"
TWO_ROWS = "(chain_in_two_rows {n} {m:from 1} {s:from 1}) (silently_in_two_rows {e:from 1})"


def in_coq(name: str, *, skip: str = "left_out", automaton: str = ONE_ROW, **options: Any) -> Theorem:
    """Return the Coq theorem of this name.

    ``skip`` is the Coq function that applies epsilon transitions. ``automaton`` is the term of the automaton.
    """
    return Theorem(
        f"rational_recurrences.sopa.{name}",
        network=f"soft_pattern {{n}} {{m:from 1}} {{s:from 1}} ({skip} {{e:from 1}}) {{word}}",
        score=f"{{epsilon_score}} {automaton} (succn {{n}}) {{word}}",
        **options,
    )


CLAIM = Claim(
    name="sopa",
    title="SoPa's soft patterns are rational",
    statement=(
        "The score that a soft pattern of n words with self-loops and epsilon transitions gives to a"
        " string, over all positions where it may match, is the Forward score of an automaton with n + 2"
        " states, over any semiring."
    ),
    source=Source("peng2018rational", "1", "SoPa", ("3a", "3b", "3c")),
    hypotheses=(
        "The weights of transitions depend only on the symbol, and those of epsilon transitions are"
        " constant.",
        "Epsilon transitions may be consecutive; if at most one is allowed, two rows of states count them.",
    ),
    variants=(
        holding(
            name="corrected",
            says="over the reals, a sum over all matches",
            reading=Equality(recurrence=sopa, construction=chain),
            cases=SIZES.random,
            proof=PROOF,
            theorem=in_coq("sopa"),
        ),
        holding(
            name="corrected-max-plus",
            without={
                "proved": ("the proof of corrected covers every commutative semiring, including this one")
            },
            says="over max-plus, as in SoPa: the maximum score of a match",
            reading=Equality(recurrence=sopa, construction=chain),
            cases=MAX_PLUS_SIZES.random,
            small_cases=MAX_PLUS_SIZES.near_generic,
            theorem=in_coq("sopa_max_plus", over="rational_max_plus", proved_over="fractions_max_plus"),
            layers=("sopa-max-plus",),
        ),
        holding(
            name="corrected-one-epsilon",
            says="with at most one consecutive epsilon transition, as in SoPa's program: two rows of states",
            reading=Equality(recurrence=sopa_once, construction=chain_in_two_rows),
            cases=SIZES.random,
            proof=PROOF_OF_TWO_ROWS,
            theorem=in_coq("sopa_one_epsilon", skip="left_out_once", automaton=TWO_ROWS),
            layers=("sopa-one-epsilon",),
        ),
        refuted(
            name="without-epsilon-chains",
            says="with at most one consecutive epsilon transition, SoPa is the automaton of the pattern",
            reading=Equality(recurrence=sopa_once, construction=chain),
            cases=SIZES.random,
            theorem=in_coq(
                "without_epsilon_chains_is_refuted",
                skip="left_out_once",
                claims=(
                    "forall K : semiring, one <> zero :> K -> not (forall (S : eqType) n"
                    " (m s : S -> nat -> K)"
                    " e word, {automaton} = {network})"
                ),
            ),
        ),
    ),
    differences=(
        "The paper prints no equation. The dynamic program is that of Schwartz et al. (2018), paraphrased.",
        (
            "The weights of transitions are any functions of the symbol, in place of a nonlinearity"
            " of an affine map of an embedding."
        ),
        (
            "The variants corrected and corrected-one-epsilon are over the reals, where the score is"
            " a sum over all matches; SoPa's program takes maxima, which is the variant"
            " corrected-max-plus."
        ),
        (
            "Epsilon transitions may be consecutive in corrected and corrected-max-plus. SoPa's"
            " program allows one at a time, which is the variant corrected-one-epsilon."
        ),
        (
            "The numbers of states are ours. One state collects complete matches, so that a pattern"
            " may end before the string does."
        ),
    ),
    example=SIZES.of(2).example(),
    uses=("definition-4",),
    layers=("sopa",),
    effort=Effort(examples=30, strings=12, longest=8, run=10),
)
