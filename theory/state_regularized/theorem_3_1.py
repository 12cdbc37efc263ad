"""Theorem 3.1: with equation 4, a memoryless state-regularized network is a probabilistic automaton.

Wang & Niepert 2019, section 3, equations 1 to 4, and appendix A.1, which do not specify where the
network starts.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Misprint, Source, holding, refuted
from theory.induction import Identity, Induction, step_identity
from theory.places import AnyPlaces, Concrete, symbolic
from theory.reading import Equality, NoAutomaton, NoInitialDistribution, Recurrence
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.state_regularized.shared.limits import distinct
from theory.state_regularized.shared.memory import at_zero, with_cell_state
from theory.state_regularized.shared.networks import (
    ANY,
    EXAMPLE,
    NETWORK,
    SIZES,
    SMALL,
    Law,
    Place,
    Vector,
    arrive,
    at,
    at_each,
    at_first,
    centroids,
    component,
    integers,
    pushed,
    sampled,
    similarities,
    soft,
    softmax,
    table,
)
from theory.theorem import Theorem
from theory.weights import Weights, total

# The network starts at a centroid, after a step from a vector h_0 with a start token (an extra symbol), or at
# h_0.


TOKEN = "^"


def with_token(w: Weights) -> Weights:
    """Return the network's weights for an alphabet with one symbol, the start token."""
    return Weights(w.over, TOKEN, {**w.entries, "W": {TOKEN: w.W_start}}, w.size)


def at_token(w: Weights) -> Law:
    """Return the distribution after reading the start token in state h_0.

    In proofs, its probabilities are variables, because cells are arbitrary.
    """
    if "first" in w.entries:
        return tuple(Place(s, j) for j, s in enumerate(centroids(w), start=1)), tuple(w.first)
    return pushed(with_token(w), at(w, Place(w.h_0, 0)), TOKEN)


def anywhere(w: Weights) -> Law:
    """Return the distribution in which h_0 has probability one; h_0 need not be a centroid.

    If the cell is given as a table, the table's last row belongs to h_0.
    """
    return at(w, Place((w.n + 1,) if "alpha" in w.entries else w.h_0, 0))


from_centroid, from_token, from_anywhere = sampled(), sampled(at_token), sampled(anywhere)


# Equation 5 instead of equation 4: h = sum_i alpha_i s_i, which is not a centroid. From a centroid, alpha is
# rational. At a mixture, it is rational if the similarities differ by integers over m. Otherwise the
# automaton's distribution replaces the network from there on, so that no difference arises.


def mixed(w: Weights, state: Any, x: str) -> Any:
    """Return the state after symbol x: alpha, and the mixture h = sum_i alpha_i s_i (equation 5).

    h is ``None`` if alpha, the probability of each centroid, is irrational.
    """
    alpha, h = state
    b = () if h is None else similarities(w, component(w, h, x))
    if not b or any((w.m * (n - b[0])).denominator != 1 for n in map(Fraction, b)):
        rows = table(w, x)
        return tuple(sum(p * row[j] for p, row in zip(alpha, rows, strict=True)) for j in range(w.n)), None
    after = softmax(w, b)
    return after, tuple(
        sum(p * n for p, n in zip(after, column, strict=True)) for column in zip(*w.S, strict=True)
    )


with_equation_5 = Recurrence(
    start=lambda w: (tuple(one_at(w, 1, w.n)), w.S[0]), step=mixed, out=lambda w, state: state[0]
)


# Two layers (section 3): each has its own centroids and stochastic component, and the second layer reads the
# new centroid of the first. The global state is a pair of centroids.


def second_layer(w: Weights) -> Weights:
    """Return the second layer as a network that reads the centroids of the first layer.

    It computes u = hardtanh(U_2 h + V s).
    """
    reads = {
        str(i): tuple(sum(v * n for v, n in zip(row, s, strict=True)) for row in w.V)
        for i, s in enumerate(w.S)
    }
    return Weights(w.over, "".join(reads), {**w.entries, "S": w.S_2, "U": w.U_2, "W": reads}, w.size)


def sample_both(w: Weights, law: Vector, x: str) -> Vector:
    """Return the distribution of pairs of centroids after a symbol; layer 2 reads layer 1's new centroid."""
    k, size, second = w.over, range(w.n), second_layer(w)
    moved = [[k.zero] * w.n for _ in size]  # layer 1 has moved, layer 2 has not
    for i, j in product(size, size):
        for after, p in enumerate(soft(w, w.S[i], None, x)[0]):
            moved[after][j] = k.plus(moved[after][j], k.times(law[i * w.n + j], p))
    both = [k.zero] * w.n**2
    for i, j in product(size, size):
        for after, p in enumerate(soft(second, w.S_2[j], None, str(i))[0]):
            both[i * w.n + after] = k.plus(both[i * w.n + after], k.times(moved[i][j], p))
    return tuple(both)


two_layers = Recurrence(start=lambda w: tuple(one_at(w, 1, w.n**2)), step=sample_both, out=lambda w, law: law)


# After the string, the cell reads an end token (section 3.3) without the stochastic component, and a linear
# classifier reads its output u. The network's score is the classifier's expected value over the centroids at
# which the run may be.

END = "$"


def values_at_end(w: Weights) -> list[Any]:
    """Return, for each centroid, the classifier's value of the cell's output for the end token.

    In proofs, the values are variables, because cells are arbitrary.
    """
    if "at_end" in w.entries:
        return list(w.at_end)
    ended = Weights(w.over, END, {**w.entries, "W": {END: w.W_end}}, w.size)
    return [
        sum((a * n for a, n in zip(w.classifier, component(ended, s, END), strict=True)), start=Fraction(0))
        for s in w.S
    ]


def expected_value(w: Weights, law: Law) -> tuple[Any]:
    """Return the expected value of the classifier after the end token."""
    return (total(w.over, map(w.over.times, at_each(w, law), values_at_end(w))),)


to_end_token = Recurrence(start=at_first, step=from_centroid.step, out=expected_value, modes=True)


# The construction: one automaton per state, with states 1 to k, in which tau(i, j, x) is the cell's
# probability of s_j at s_i for x.


def tau(of: AnyPlaces, i: Any, j: Any) -> Any:
    """Return the weight of the transition from state i to state j."""
    return of.at("alpha", i, j)


def automata(w: Weights, initial: Any, rows: dict[str, list[list[Any]]]) -> list[WFSA]:
    """Return k automata with this initial distribution and these transition tables.

    The only final state of automaton j is state j.
    """
    k, states = w.over, len(initial)
    tables = {}
    for x, alpha in rows.items():
        of = Concrete(k, states, {"alpha": alpha})
        tables[x] = [
            [tau(of, i, j) if j <= w.n else k.zero for j in range(1, states + 1)]
            for i in range(1, states + 1)
        ]
    return [
        WFSA(k, initial, [k.one if j == i else k.zero for j in range(states)], tables) for i in range(w.n)
    ]


def one_at(w: Weights, state: int, states: int) -> list[Any]:
    """Return the initial distribution in which ``state``, counted from 1, has probability one."""
    return [w.over.one if i == state else w.over.zero for i in range(1, states + 1)]


def transition_tables(w: Weights) -> dict[str, list[list[Any]]]:
    """Return, for each symbol, the k x k table of transition probabilities."""
    return {x: table(w, x) for x in w.alphabet}


def extracted(w: Weights) -> list[WFSA]:
    """Return the automata that begin in state 1, the network's first centroid."""
    return automata(w, one_at(w, 1, w.n), transition_tables(w))


def extracted_after_token(w: Weights) -> list[WFSA]:
    """Return the automata whose initial distribution is the network's after the start token.

    This distribution is alpha = g(S, u) with u = hardtanh(U h_0 + W_start).
    """
    if "first" in w.entries:
        return automata(w, list(w.first), transition_tables(w))
    return automata(
        w, list(softmax(w, similarities(w, component(with_token(w), w.h_0, TOKEN)))), transition_tables(w)
    )


def extracted_with_end_token(w: Weights) -> list[WFSA]:
    """Return the automaton that starts at the first centroid and reads an end token.

    Its final weights are the classifier's values after the end token (:func:`values_at_end`).
    """
    return [WFSA(w.over, one_at(w, 1, w.n), values_at_end(w), transition_tables(w))]


def extracted_with_one_more_state(w: Weights) -> list[WFSA]:
    """Return the automata with k + 1 states; the last one stands for h_0, and no transition leads to it."""
    (start,), _ = anywhere(w)
    rows = {x: [*alpha, list(soft(w, start.h, None, x)[0])] for x, alpha in transition_tables(w).items()}
    return automata(w, one_at(w, w.n + 1, w.n + 1), rows)


def extracted_by_similarity(w: Weights) -> list[WFSA]:
    """Return the automata with k states whose initial distribution is g(S, h_0).

    It is the softmax of the similarities of h_0 and the centroids S.
    """
    return automata(w, list(softmax(w, similarities(w, w.h_0))), transition_tables(w))


def extracted_at_zero(w: Weights) -> list[WFSA]:
    """Return the automata for a network with memory, whose cell is evaluated only at the cell state 0."""
    return automata(w, one_at(w, 1, w.n), {x: table(w, x, at_zero) for x in w.alphabet})


def product_automaton(w: Weights) -> list[WFSA]:
    """Return the automata with a state for each pair of centroids.

    The weight of a transition is the first layer's transition probability for the symbol, times the second
    layer's transition probability for the first layer's new centroid.
    """
    second = second_layer(w)
    of_second = {symbol: table(second, symbol) for symbol in second.alphabet}
    pairs = list(product(range(w.n), repeat=2))
    tables = {}
    for x in w.alphabet:
        first = table(w, x)
        tables[x] = [
            [w.over.times(first[i][after], of_second[str(after)][j][last]) for after, last in pairs]
            for i, j in pairs
        ]
    initial = one_at(w, 1, len(pairs))
    return [WFSA(w.over, initial, one_at(w, q, len(pairs)), tables) for q in range(1, len(pairs) + 1)]


def laws(w: Weights) -> dict[str, Any]:
    """Return the values of the placeholders in Coq terms: transition tables, and distributions after h_0.

    The key ``first`` holds the distribution after the start token if there is one, otherwise the distribution
    after each symbol.
    """
    values: dict[str, Any] = {
        "alpha": {x: tuple(map(tuple, rows)) for x, rows in transition_tables(w).items()},
        "k": w.n,
    }
    if "W_start" in w.entries:
        values["first"] = tuple(extracted_after_token(w)[0].initial.tolist())
    elif "h_0" in w.entries:
        (start,), _ = anywhere(w)
        values["first"] = {x: tuple(soft(w, start.h, None, x)[0]) for x in w.alphabet}
    return values


def laws_of_layers(w: Weights) -> dict[str, Any]:
    """Return the values of the placeholders in Coq terms: the transition tables of the two layers.

    The second layer has a table for each centroid of the first layer, because it reads these centroids.
    """
    second = second_layer(w)
    return {
        "alpha": {x: tuple(map(tuple, table(w, x))) for x in w.alphabet},
        "alpha_2": {i: tuple(map(tuple, table(second, i))) for i in second.alphabet},
        "k": w.n,
    }


CELL = "(fun (h : place {k}) x j => {alpha} x h j)"
CELL_AND_H_0 = "(fun h x j => if h is Some i then {alpha} x i j else {first} x j)"
AT_FIRST = "(fun i => if i == ord0 then one else zero)"
"""The cell, with and without a row for h_0, and the initial weights as Coq terms."""
PAIRS = "let first := ord0 : place {k} in"
FIRST, SECOND = "(fun h x j => {alpha} x h j)", "(fun h (s : place {k}) j => {alpha_2} (s : nat) h j)"
PAIR = "(nth (first, first) (elements (prod_finite (place {k}) (place {k}))) {unit})"
"""The layers and a pair of centroids as Coq terms."""


# The proof: the Forward vector is the distribution of the run. A memoryless cell is any function of the
# hidden state and the symbol. In the proof, its results are therefore variables, alpha[i,j] for centroid i.
# Both the network and the table read them.


def any_cell(k: int, rows: int = 0, more: Any = ()) -> Signature:
    """Return the names and shapes of the tables alpha that define an arbitrary cell, one per symbol.

    A table has a row for each centroid, and ``rows`` further rows for h_0.
    """
    return Signature((by_symbol("alpha", (k + rows, k)), *more), size=("k", k))


def at_centroids(w: Weights, variable: Any) -> Law:
    """Return the distribution over the centroids whose probabilities are variables."""
    return tuple(Place((j,), j) for j in range(1, w.n + 1)), tuple(
        variable(f"p[{j}]") for j in range(1, w.n + 1)
    )


def for_every_k() -> list[Identity]:
    """Return the induction step as an identity with a symbolic k.

    Both sides are computed by the functions that also run the network and construct the automaton.
    """
    of = symbolic()
    left, right = of.sum(lambda i: of.times(of.at("p", i), tau(of, i, of.j))), arrive(of, of.j)
    return [step_identity(of, "at every index j, 1 <= j <= n = k", left, right)]


VECTOR_OF_LAW = (
    "after every string, the Forward vector is the distribution of the run: for each centroid, the"
    " probability that the run is there"
)


def proof(
    of: Any,
    start: Any = at_first,
    says: str = VECTOR_OF_LAW,
    invariant: Any = lambda w, law, unit: at_each(w, law),
) -> Induction:
    """Return the proof by induction over ``invariant``, for k = 2 to 4 and for a symbolic k.

    ``of`` returns the names and shapes of the weights for a number k of centroids. ``start`` is the first
    distribution; if it is ``None``, it is a distribution over the centroids like all others.
    """
    first = [] if start is None else [start]
    return Induction(
        says=says,
        invariant=invariant,
        states=lambda w, variable: [*(law(w) for law in first), at_centroids(w, variable)],
        instances=tuple((of(k), "a") for k in (2, 3, 4)),
        enough=(
            "One letter whose results are variables stands for every letter, because a step reads one"
            " letter. The cell is any function of hidden state and symbol, because it is memoryless. For"
            " every k: the probability of moving to s_j, and the weights of the automaton, are functions of"
            " an index, and the step at an index j is one identity of sums of them."
        ),
        sizes=for_every_k,
    )


AT_CENTROID = proof(any_cell)
TO_END = proof(lambda k: any_cell(k, more=(constant("at_end", (k,)),)))
AFTER_TOKEN = proof(lambda k: any_cell(k, more=(constant("first", (k,)),)), start=None)
FROM_H_0 = proof(
    lambda k: any_cell(k, rows=1),
    anywhere,
    VECTOR_OF_LAW + ", and finally the probability that it is still at h_0",
    lambda w, law, unit: [*at_each(w, law), w.over.one if law[0][0].last == 0 else w.over.zero],
)


# The cases: integer networks, with h_0, the start token's W and the cell state's V if needed.


def differ_at_end(w: Weights) -> bool:
    """Return whether the centroids are distinct and the values at the end are not all equal."""
    return distinct(w) and len(set(values_at_end(w))) > 1


def cases(names: tuple[str, ...] = (), where: Any = None, informative: Any = distinct) -> dict[str, Any]:
    """Return a variant's ``cases`` and ``small_cases``: random networks, and small informative ones.

    ``names`` are the additional weights, such as ``h_0``.
    """

    def more(values: Any, d: int) -> tuple[Any, ...]:
        return tuple(constant(name, (d, d) if name == "V" else (d,), values) for name in names)

    asks = informative if where is None else lambda w: informative(w) and where(w)
    small = Sizes(
        lambda size: integers(size, SMALL, (1,), more(SMALL, size[1]), asks, most=120), (), ((2, 1), (3, 1))
    )
    random = Sizes(lambda size: integers(size, ANY, more=more(ANY, size[1]), where=where), SIZES, ())
    return {"cases": random.random, "small_cases": small.small}


def layers(values: Any, d: int) -> tuple[Any, ...]:
    """Return the entries S_2, U_2 and V for the weights of a second layer with two centroids."""
    return constant("S_2", (2, d), values), constant("U_2", (d, d), values), constant("V", (d, d), values)


def both_layers_count(w: Weights) -> bool:
    """Return whether the centroids and the letters' vectors are distinct, and layer 2 reads layer 1.

    Centroids are compared within each layer. Layer 2 reads layer 1 if V is not 0. Few of the simplest cases
    satisfy this.
    """
    different = all(len(set(values)) == len(values) for values in (w.S, w.S_2, list(w.W.values())))
    return different and any(v != 0 for row in w.V for v in row)


SMALL_LAYERS = Sizes(
    lambda size: integers(size, SMALL, (1,), layers(SMALL, size[1]), both_layers_count, most=60),
    (),
    ((2, 1),),
)
LAYERS = Sizes(lambda size: integers(size, ANY, more=layers(ANY, size[1])), ((2, 1), (2, 2)), ())


def no_centroid(w: Weights) -> bool:
    """Return whether h_0 is not a centroid."""
    return w.h_0 not in w.S


UNDECIDED = ("sampled", "cross-checked", "exhausted")

CLAIM = Claim(
    name="theorem-3.1",
    title="equation 4 makes a probabilistic automaton",
    statement=(
        "A memoryless state-regularized network that samples its next centroid from alpha (equation 4) is a"
        " probabilistic automaton with a state for each centroid: the probability of being at a centroid"
        " after a string is the Forward score of that automaton."
    ),
    source=Source("wang2019state", "3", "Theorem 3.1", ("1", "2", "3", "4")),
    hypotheses=(
        "The network is memoryless: steps pass on only h, so alpha depends only on h and the symbol.",
        (
            "It starts at a centroid; or a start token, read in any h_0, gives the initial distribution; or"
            " the automaton has one more state, for h_0. The paper does not state which."
        ),
        (
            "The exact cases are networks with integer weights, the activation hardtanh, and a temperature"
            " 1 / (m ln 2), at which the softmax is rational: alpha_i = 2^(m b_i) / (the sum over all i)."
            " The torch layers have arbitrary weights."
        ),
        (
            "The results of the cell are distributions, like those of a softmax. The initial weights and the"
            " rows of the automaton are then also distributions (Coq: theorem_3_1_probabilistic). The"
            " equality itself does not need this."
        ),
    ),
    variants=(
        holding(
            name="corrected",
            says="k states, for a network that starts at a centroid",
            reading=Equality(recurrence=from_centroid, construction=extracted),
            proof=AT_CENTROID,
            theorem=Theorem(
                "state_regularized.theorem_3_1.theorem_3_1",
                network=f"{{sampled}} {CELL} id ord0 (Some ord0) {{word}} {{unit}}",
                automaton=f"k_states {CELL} id {AT_FIRST} {{unit}}",
                values=laws,
            ),
            **cases(),
        ),
        holding(
            name="corrected-start-token",
            says=(
                "k states, for a network that reads a start token in any h_0: its alpha is the initial"
                " distribution"
            ),
            reading=Equality(recurrence=from_token, construction=extracted_after_token),
            proof=AFTER_TOKEN,
            theorem=Theorem(
                "state_regularized.theorem_3_1.theorem_3_1_start_token",
                network="{sampled} {cell} {centroid} {h_0} None ({token} :: {word}) {unit}",
                automaton="k_states {cell} {centroid} {first} {unit}",
                claims=(
                    "forall (K : semiring) (S : eqType) (H : Type) k (cell : H -> S -> 'I_k -> K)"
                    " (centroid : 'I_k -> H) (h_0 : H) (token : S), let first := cell h_0 token in"
                    " forall word unit, {automaton} = {network}"
                ),
                values=lambda w: {
                    **laws(w),
                    "cell": "(fun h x j => if h is Some i then {alpha} x i j else {first} j)",
                    "centroid": "Some",
                    "h_0": "None",
                    "token": "0%N",
                },
            ),
            **cases(("h_0", "W_start")),
        ),
        holding(
            name="corrected-end-token",
            says=(
                "k states, for a network whose cell reads an end token without the stochastic component:"
                " the expected value of a linear classifier of its output"
            ),
            reading=Equality(recurrence=to_end_token, construction=extracted_with_end_token),
            proof=TO_END,
            theorem=Theorem(
                "state_regularized.theorem_3_1.theorem_3_1_end_token",
                network=(
                    f"\\sum_(j : place {{k}}) times ({{sampled}} {CELL} id ord0 (Some ord0) {{word}} j)"
                    " ({at_end} j)"
                ),
                automaton=f"with_values_at_end {CELL} id {{at_end}} {AT_FIRST}",
                values=lambda w: {**laws(w), "at_end": tuple(values_at_end(w))},
            ),
            **cases(("W_end", "classifier"), informative=differ_at_end),
        ),
        holding(
            name="corrected-one-more-state",
            says=(
                "k + 1 states, for a network that starts in any h_0: the last state is h_0, and no transition"
                " leads to it"
            ),
            reading=Equality(recurrence=from_anywhere, construction=extracted_with_one_more_state),
            proof=FROM_H_0,
            theorem=Theorem(
                "state_regularized.theorem_3_1.theorem_3_1_one_more_state",
                network=f"{{sampled}} {CELL_AND_H_0} Some None None {{word}} {{unit}}",
                automaton=f"with_one_more_state {CELL_AND_H_0} Some None {{unit}}",
                values=laws,
            ),
            **cases(("h_0",)),
        ),
        holding(
            name="corrected-layers",
            without={
                "proved": (
                    "the argument is not an identity of polynomials that a step preserves: the distribution"
                    " is over pairs of any number of centroids"
                )
            },
            says=(
                "k^2 states, for a network with two layers of k centroids that both sample; a state is a"
                " pair of centroids"
            ),
            reading=Equality(recurrence=two_layers, construction=product_automaton),
            cases=LAYERS.random,
            small_cases=SMALL_LAYERS.small,
            effort=Effort(examples=25, strings=8, longest=6, run=6, exhausted=3),
            theorem=Theorem(
                "state_regularized.theorem_3_1.theorem_3_1_layers",
                network=f"{PAIRS} both_sampled id id {FIRST} {SECOND} (first, first) {{word}} {PAIR}",
                automaton=f"{PAIRS} product_automaton id id {FIRST} {SECOND} (first, first) {PAIR}",
                values=laws_of_layers,
            ),
        ),
        refuted(
            name="without-centroid-start",
            without={
                "decided": (
                    "the variant says that no initial distribution is correct; a range of scores shows this,"
                    " whereas this check is about one automaton"
                )
            },
            says="k states, for a network that starts in an h_0 that is not a centroid, with no start token",
            reading=NoInitialDistribution(
                recurrence=from_anywhere, construction=extracted_by_similarity, shortest=1
            ),
            theorem=Theorem(
                "state_regularized.theorem_3_1.without_centroid_start_is_refuted",
                network="{sampled} (soft_cell {N}) (centroid {N}) {h} None {word} {unit}",
                automaton="k_states (soft_cell {N}) (centroid {N}) {initial} {unit}",
                claims=(
                    "not (forall (S : eqType) n d (N : network S n d) (h : vector), distinct N ->"
                    " (forall i, h <> centroid N i) -> exists initial : 'I_n.+1 -> rationals,"
                    " [/\\ forall i, (Q2Qc 0 <= initial i)%Qc, \\sum_(i : place n.+1) initial i = one"
                    " & forall word unit, word <> [::] -> {automaton} = {network}])"
                ),
                values=lambda w: {
                    **w.entries,
                    "N": NETWORK,
                    "h": "(vector_of {h_0})",
                    "initial": "(fun i : 'I_{k} => rational_softmax {N} (similarities {N} {h}) i)",
                },
            ),
            kinds=UNDECIDED,
            **cases(("h_0",), no_centroid),
        ),
        refuted(
            name="without-equation-4",
            without={
                "decided": "the mixtures are irrational, and take infinitely many values",
                "kernel-checked": "the numbers of the counterexample are exponentials of irrational mixtures",
            },
            says=(
                "k states, for a network that continues with the mixture of centroids (equation 5): before"
                " equation 4, section 3 says that its dynamics are those of a probabilistic automaton"
            ),
            reading=NoInitialDistribution(recurrence=with_equation_5, construction=extracted),
            kinds=UNDECIDED,
            **cases(),
        ),
        refuted(
            name="without-memoryless",
            without={
                "decided": (
                    "the cell state takes infinitely many values, so the distribution of the network is not"
                    " over a finite set"
                )
            },
            says="k states, for a network with a cell state, c = c + V h + W_x and u = hardtanh(U h + c)",
            reading=NoAutomaton(recurrence=with_cell_state, construction=extracted_at_zero),
            theorem=Theorem(
                "state_regularized.theorem_3_1.without_memoryless_is_refuted",
                network="with_cell_state (K := {over}) {inverse} {N} {v} {word} {unit}",
                automaton=(
                    "k_states (fun h x j => cell_with_memory (K := rationals) Qcinv {N} {v} h"
                    " (cell_at_0 {d}) x j) (centroid {N}) (fun i => if i == ord0 then one else zero) {unit}"
                ),
                claims=(
                    "forall F : numFieldType, let over := of_ring F in let inverse := @GRing.inv F in"
                    " not (forall (S : eqType) n d (N : network S n d) (v : 'I_d -> 'I_d"
                    " -> int), distinct N ->"
                    " exists (Q : finite) (A : wfa over S Q), forall word, let unit := ord0 in"
                    " ratproof.automaton.score A word = {network})"
                ),
                values=lambda w: {
                    **w.entries,
                    "d": len(w.S[0]),
                    "N": NETWORK,
                    "inverse": "Qcinv",
                    "v": "(fun i j => integer_of ({V} i j))",
                },
            ),
            kinds=UNDECIDED,
            **cases(("V",)),
        ),
    ),
    differences=(
        (
            "Identical behavior is read as: after every string, the probability of being at each"
            " centroid is the score of a state of the automaton."
        ),
        (
            "The network starts at a centroid, or reads a start token, or the automaton has one more"
            " state. The theorem does not state where it starts."
        ),
        (
            "In exact arithmetic, the recurrent component is hardtanh(U h + W_x) with integer"
            " weights, at temperatures 1 / (m ln 2), and equation 3 is used in one dimension. In the"
            " proof and the theorem, the recurrent and the stochastic component are any functions of"
            " the state and the symbol. The torch layers are a simple recurrent cell and a GRU."
        ),
        "Equations 2 and 3 sum over another index than the one that they fix.",
        (
            "A separate theorem states that rows and initial weights are distributions"
            " (theorem_3_1_probabilistic); the equality does not need it."
        ),
        (
            "The variants corrected-end-token and corrected-layers are about section 3.3 and the end"
            " of section 3. The classifier after the end token is linear, and there are two layers,"
            " with the same number of centroids each."
        ),
    ),
    example=EXAMPLE,
    layers=("sr-elman", "sr-gru"),
    differentiable=False,  # they sample their centroids
    effort=Effort(examples={"cross-checked": 40, "decided": 40}, strings=20, run=8, exhausted=3),
    misprints=(
        Misprint(
            printed="the simplex is the set of nonnegative vectors with a norm of 1 (section 3)",
            right="the 1-norm, the only p-norm in which every distribution has norm 1",
            test="proofs_tests/state_regularized/test_simplex.py::test_a_distribution_has_the_1_norm_1_and_no_other",
        ),
        Misprint(
            printed=(
                "the transition function of a pushdown automaton is a subset of Q x (Sigma with epsilon) x"
                " Gamma -> Q x Gamma* (section 2)"
            ),
            right=(
                "a relation, a subset of Q x (Sigma with epsilon) x Gamma x Q x Gamma*; for a deterministic"
                " automaton, a partial function from the first three sets to the last two"
            ),
            test="proofs_tests/automata/test_pushdown.py::test_transitions_are_pairs_of_arguments_and_values",
        ),
        Misprint(
            printed=(
                "palindromes, w followed by w reversed, show that SR-LSTMs, which have a memory, behave"
                " like deterministic pushdown automata (section 4.2)"
            ),
            right=(
                "no deterministic pushdown automaton recognises them (a known theorem, which is cited and"
                " not verified); with a marker in the middle, one does"
            ),
            test="proofs_tests/automata/test_pushdown.py::test_palindromes_with_a_mark_have_one",
        ),
        Misprint(
            printed=(
                "equations 2 and 3, and the softmax in appendix A.2, sum over the index i that their left"
                " side fixes"
            ),
            right="another index, as in a softmax",
            test="proofs_tests/state_regularized/test_simplex.py::test_with_the_index_that_is_fixed_the_sum_is_k",
        ),
    ),
)
