"""Elman networks with the Heaviside function are equivalent to deterministic probabilistic automata.

Svete and Cotterell 2023. Minsky's construction has a unit for each pair of a state and a symbol, the
last one read.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

from automata.wfsa import WFSA
from theory.claim import QUOTED, Claim, Effort, Source, holding, refuted
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights, total

Bits = tuple[int, ...]
State = tuple[Bits, Any]
"""A state of the network: the units, and the product of the probabilities of all symbols so far."""


def automaton_of(n: int) -> Signature:
    """Return the names and shapes of the weights of a DFA with n states and start state 0."""
    states = tuple(range(n))
    entries = by_symbol("delta", (n,), states), by_symbol("p", (n,)), constant("rho", (n,))
    return Signature(entries, size=("N", n), most_small=300)


def deterministic(w: Weights) -> list[WFSA]:
    """Return the automaton in which symbol x leads from state q to delta(x)[q] with weight p(x)[q]."""
    k, states = w.over, range(len(w.rho))
    tables = {
        x: [[w.p[x][q] if w.delta[x][q] == other else k.zero for other in states] for q in states]
        for x in w.alphabet
    }
    return [WFSA(k, [k.one if q == 0 else k.zero for q in states], w.rho, tables)]


# Minsky's network: its units are the start, and the pairs of a state and a symbol.


def units(w: Weights) -> list[tuple[int, str]]:
    """Return the units as pairs of a state and the symbol that led to it; the first unit is the start."""
    return [(0, ""), *product(range(len(w.rho)), w.alphabet)]


def recurrent_weights(w: Weights) -> list[Bits]:
    """Return the row of W for each unit (q, y).

    The weight is 1 from the units of all states from which symbol y leads to q, and 0 from all others.
    """
    every = units(w)
    return [tuple(int(bool(y) and w.delta[y][source] == q) for source, _ in every) for q, y in every]


def heaviside(w: Weights, h: Bits, x: str, bias: int = -1) -> Bits:
    """Return the next units, H(W h + U x + b), where H(z) is 1 if z is positive, else 0."""
    rows = zip(recurrent_weights(w), units(w), strict=True)
    return tuple(
        int(sum(a * b for a, b in zip(row, h, strict=True)) + (y == x) + bias > 0) for row, (_, y) in rows
    )


def read(w: Weights, h: Bits, values: Any) -> Any:
    """Return the sum of ``values[q]`` over the states q of the units that are 1."""
    return total(w.over, (values[q] for bit, (q, _) in zip(h, units(w), strict=True) if bit))


def step(w: Weights, state: State, x: str, bias: int = -1) -> State:
    """Return the next units, and the running product multiplied by the probability of x."""
    h, product_so_far = state
    return heaviside(w, h, x, bias), w.over.times(product_so_far, read(w, h, w.p[x]))


def output(w: Weights, state: State) -> tuple[Any]:
    """Return the running product multiplied by the final weight of the current state."""
    return (w.over.times(state[1], read(w, state[0], w.rho)),)


def initial_state(w: Weights) -> State:
    """Return the initial units: 1 for the unit of the start, and 0 for all others."""
    return (1, *[0] * (len(units(w)) - 1)), w.over.one


minsky = Recurrence(initial_state, step, output, modes=True)
without_start = Recurrence(lambda w: ((0,) * len(units(w)), w.over.one), step, output, modes=True)
without_bias = Recurrence(initial_state, lambda w, state, x: step(w, state, x, bias=0), output, modes=True)


# Any Heaviside network: its reachable vectors of units are the states of an automaton.


def network(d: int) -> Signature:
    """Return the names and shapes of the weights of a network with d units.

    Each vector of units, which are 0 or 1, has a probability for each symbol.
    """
    small = (-2, -1, 0, 1, 2)
    return Signature(
        (
            constant("W", (d, d), small),
            by_symbol("U", (d,), small),
            constant("b", (d,), small),
            by_symbol("p", (2**d,)),
            constant("rho", (2**d,)),
        ),
        size=("D", d),
        most_small=300,
    )


def vectors(w: Weights) -> list[Bits]:
    """Return all vectors of bits that the units may have."""
    return list(product((0, 1), repeat=len(w.b)))


def next_vector(w: Weights, h: Bits, x: str) -> Bits:
    """Return the next units of any network, H(W h + U x + b)."""
    rows = zip(w.W, w.U[x], w.b, strict=True)
    return tuple(
        int(sum(a * bit for a, bit in zip(row, h, strict=True)) + u + bias > 0) for row, u, bias in rows
    )


def any_step(w: Weights, state: State, x: str) -> State:
    """Return the next units, and the running product multiplied by the probability of x."""
    h, product_so_far = state
    return next_vector(w, h, x), w.over.times(product_so_far, w.p[x][vectors(w).index(h)])


def any_output(w: Weights, state: State) -> tuple[Any]:
    """Return the running product multiplied by the final weight of the current unit vector."""
    return (w.over.times(state[1], w.rho[vectors(w).index(state[0])]),)


any_network = Recurrence(lambda w: ((0,) * len(w.b), w.over.one), any_step, any_output, modes=True)


def with_delta(w: Weights) -> Weights:
    """Return the weights with a table ``delta`` of the next vector for each vector of units and symbol.

    A vector is represented by its index in :func:`vectors`.
    """
    every = vectors(w)
    delta = {x: tuple(every.index(next_vector(w, h, x)) for h in every) for x in w.alphabet}
    return w.changed(delta=delta)


def indices_in_coq(rows: Iterable[Iterable[int]], n: int, arguments: str) -> str:
    """Return Coq's function from a symbol x and a state q of n states to the state in row x and column q.

    ``arguments`` are the binders of x and q.
    """
    lists = "; ".join(f"[:: {'; '.join(f'{q}%N' for q in row)}]" for row in rows)
    index = f"nth 0%N (nth [::] [:: {lists}] x) (q : 'I__)"
    return f"(fun {arguments} => nth (ord0 : place {n}) (places {n}) ({index}))"


def maps_in_coq(w: Weights, n: int) -> dict[str, Any]:
    """Return Coq's terms for the set Q of n states, the set S of symbols, and the transitions delta.

    delta is a table of state indices.
    """
    rows = (f"[:: {'; '.join(f'{q}%N' for q in w.delta[x])}]" for x in w.alphabet)
    table = f"nth 0%N (nth [::] [:: {'; '.join(rows)}] (x : 'I__)) (q : 'I__)"
    delta = f"(fun (x : place {len(w.alphabet)}) (q : place {n}) => nth ord0 (places {n}) ({table}))"
    return {"Q": f"(place {n})", "S": f"(place {len(w.alphabet)})", "delta": delta}


def in_coq(w: Weights) -> dict[str, Any]:
    """Return the values of the placeholders in Coq's terms, with delta as a table of state indices."""
    if "delta" not in w.entries:
        w = with_delta(w)
    n = len(w.rho)
    return {**w.entries, **maps_in_coq(w, n), "q_0": f"(ord0 : place {n})"}


AUTOMATA = Sizes(automaton_of, (1, 2, 3), (1, 2))
NETWORKS = Sizes(network, (1, 2), (1, 2))
GIVEN = "(Q := {Q}) (S := {S}) {q_0} {delta} {p:finite} {rho}"
IN_COQ: dict[str, Any] = {
    "claims": (
        "forall (K : semiring) (Q S : finite) (q_0 : Q) (delta : S -> Q -> Q) (p : S -> Q -> K)"
        " (rho : Q -> K) letters, {automaton} = {network}"
    ),
    "automaton": f"pfsa {GIVEN}",
    "score": f"{{score}} (pfsa {GIVEN}) {{letters}}",
    "values": in_coq,
}
NO_THEOREM = {"kernel-checked": "the counterexample is a finite table of integers, which the suite computes"}

CLAIM = Claim(
    name="heaviside-elman",
    title="a Heaviside Elman network is a deterministic automaton",
    statement=(
        "Every deterministic probabilistic automaton with N states is an Elman network with the Heaviside"
        " function and N V + 1 units, where V is the number of symbols; and every such network with D units"
        " is an automaton with at most 2^D states."
    ),
    source=Source("svete2023recurrent", "", "Heaviside Elman RNNs"),
    hypotheses=(
        "H(z) is 1 if z is positive, and 0 otherwise.",
        "Before the first symbol, the unit of the start is 1, and all other units are 0.",
        "Probabilities are linear in the units, without a softmax.",
    ),
    variants=(
        holding(
            name="corrected",
            says="Minsky's construction, for any weights, which need not be probabilities",
            reading=Equality(minsky, deterministic),
            cases=AUTOMATA.random,
            small_cases=AUTOMATA.near_generic,
            programs=("heaviside-elman",),
            theorem=Theorem(
                "expressivity.heaviside_elman.heaviside_elman", network=f"elman {GIVEN} {{letters}}", **IN_COQ
            ),
        ),
        holding(
            name="corrected-converse",
            says="any Heaviside network with integer weights, as the automaton of its vectors of units",
            reading=Equality(any_network, lambda w: deterministic(with_delta(w))),
            cases=NETWORKS.random,
            small_cases=NETWORKS.near_generic,
            theorem=Theorem(
                "expressivity.heaviside_elman.heaviside_elman_converse",
                network=f"product_of {GIVEN} {{letters}}",
                **IN_COQ,
            ),
        ),
        refuted(
            name="without-start-unit",
            says="all units are 0 before the first symbol: then no unit is ever 1",
            without=NO_THEOREM,
            reading=Equality(without_start, deterministic),
            cases=AUTOMATA.random,
        ),
        refuted(
            name="without-bias",
            says="without the bias -1, units are 1 although their symbol is not read",
            without=NO_THEOREM,
            reading=Equality(without_bias, deterministic),
            cases=AUTOMATA.random,
        ),
    ),
    differences=(
        (
            "Weights of the automaton are any numbers, in place of probabilities, and the output is"
            " linear in the units, without a softmax."
        ),
        "The start is a unit of its own, which is 1 before the first symbol only.",
        (
            "For the converse, the network has integer weights, and the automaton's states are the"
            " vectors of units: the number 2^D is an upper bound."
        ),
        QUOTED,
    ),
    example=automaton_of(2).example(),
    effort=Effort(examples=40, strings=12, longest=8, run=10, exhausted=3),
)
