"""Proposition 13: the input switched affine network (ISAN) is rational, with d + 1 states.

Peng et al. 2018, section 4.3, equations 16 to 18, and appendix C, which assigns the initial weights
to the wrong half of the states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Source, TableRow, holding, refuted
from theory.induction import ONE_LETTER, Identity, Induction, step_identity
from theory.places import AnyPlaces, Concrete, symbolic
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights

if TYPE_CHECKING:
    from theory.symbolic_places import SymbolicPlaces


# The weights: for each symbol a matrix W and a vector b, and c_0.


def isan(d: int, start: Sequence[Any] | None = None) -> Signature:
    """Return the names and shapes of the weights of an ISAN of hidden size d; ``start`` restricts c_0."""
    return Signature(
        (constant("c_0", (d,), start), by_symbol("W", (d, d)), by_symbol("b", (d,))),
        size=("d", d),
        most_small=300,
    )


# The recurrence, as printed, at one index. Applied to all indices, it is the step; applied to a symbolic
# index, it is a part of the proof.


def next_number(of: AnyPlaces, j: Any) -> Any:
    """Return component j of the state c_t: the sum over i of [W]_{j,i} [c_{t-1}]_i + [b]_j (equation 16)."""
    return of.plus(of.sum(lambda i: of.times(of.at("W", j, i), of.at("c", i))), of.at("b", j))


def step(w: Weights, c: Any, x: str) -> tuple[Any, ...]:
    """Return the state c_t = W_{x_t} c_{t-1} + b_{x_t} (equation 16)."""
    at = Concrete(w.over, w.n, {"W": w.W[x], "b": w.b[x], "c": c})
    return tuple(next_number(at, j) for j in range(1, w.n + 1))


isan_recurrence = Recurrence(start=lambda w: w.c_0, step=step, out=lambda w, c: c)


# The weights of the automata between indices, with eta = b and mu = W. Q_1 has a state q_i for each component
# of c. Q_2 has as many states q_{d+i} for the constant 1 (appendix C), or only one.


def within_c(of: AnyPlaces, i: Any, j: Any) -> Any:
    """Return mu_{j,i}, the weight tau(q_i, q_j) of a transition between states of Q_1.

    It is entry (j, i) of W.
    """
    return of.at("W", j, i)


def to_c(of: AnyPlaces, i: Any, j: Any) -> Any:
    """Return the weight tau(q_{d+i}, q_j) of a transition from Q_2 to Q_1: eta_j if i = j, else 0."""
    return of.where(i, j, lambda: of.at("b", j))


def within_ones(of: AnyPlaces, i: Any, j: Any) -> Any:
    """Return the weight tau(q_{d+i}, q_{d+j}) of a transition between states of Q_2: 1 if i = j, else 0."""
    return of.where(i, j, lambda: of.one)


def to_c_from_one(of: AnyPlaces, j: Any) -> Any:
    """Return eta_j, the weight of the transition to q_j from the single state for the constant 1."""
    return of.at("b", j)


def doubled(w: Weights, initial: Any) -> list[WFSA]:
    """Return the automata G_1, ..., G_d of appendix C with these initial weights.

    The final state of G_i is q_i.
    """
    k, d = w.over, w.n
    indices = range(1, d + 1)
    tables = {}
    for x in w.alphabet:
        at = Concrete(k, d, {"W": w.W[x], "b": w.b[x]})
        upper = [[within_c(at, i, j) for j in indices] + [k.zero] * d for i in indices]
        lower = [
            [to_c(at, i, j) for j in indices] + [within_ones(at, i, j) for j in indices] for i in indices
        ]
        tables[x] = upper + lower
    return [WFSA(k, initial, [k.one if j == i else k.zero for j in range(2 * d)], tables) for i in range(d)]


def printed(w: Weights) -> list[WFSA]:
    """Return the automata of appendix C as printed: lambda(q_i) = 1 for i = 1, ..., d (the states Q_1)."""
    return doubled(w, [w.over.one] * w.n + [w.over.zero] * w.n)


def corrected(w: Weights) -> list[WFSA]:
    """Return the automata of appendix C with lambda(q_i) = 1 in Q_2, and lambda(q_i) = [c_0]_i in Q_1."""
    return doubled(w, [*w.c_0] + [w.over.one] * w.n)


def with_one_more_state(w: Weights) -> list[WFSA]:
    """Return the automata with d + 1 states: one for the constant 1 and one for each component of c.

    The state for the constant 1 replaces the d states Q_2 of appendix C.
    """
    k, d = w.over, w.n
    indices = range(1, d + 1)
    tables = {}
    for x in w.alphabet:
        at = Concrete(k, d, {"W": w.W[x], "b": w.b[x]})
        first = [k.one, *(to_c_from_one(at, j) for j in indices)]
        tables[x] = [first, *([k.zero, *(within_c(at, i, j) for j in indices)] for i in indices)]
    initial = [k.one, *w.c_0]
    return [
        WFSA(k, initial, [k.zero, *(k.one if j == i else k.zero for j in range(d))], tables) for i in range(d)
    ]


# The step with a symbolic d, from the functions above: the value at q_j, from c_i at each q_i and 1 at each
# other state, is [W c + b]_j, and the value at the other states is 1.


def with_2d_states() -> list[Identity]:
    """Return the induction step as identities, for the automata of appendix C and a symbolic d."""
    of = symbolic()
    left = of.plus(
        of.sum(lambda i: of.times(of.at("c", i), within_c(of, i, of.j))), of.sum(lambda i: to_c(of, i, of.j))
    )
    ones = of.sum(lambda i: within_ones(of, i, of.j))
    return [at_place(of, left), step_identity(of, "at every state of the constant 1", ones, of.one)]


def with_d_plus_1_states() -> list[Identity]:
    """Return the induction step as identities, for the automata with d + 1 states and a symbolic d."""
    of = symbolic()
    left = of.plus(of.sum(lambda i: of.times(of.at("c", i), within_c(of, i, of.j))), to_c_from_one(of, of.j))
    return [at_place(of, left)]


def at_place(of: SymbolicPlaces, left: Any) -> Identity:
    """Return the identity between the expression ``left`` and the recurrence's step at an index j of c."""
    return step_identity(of, "at every index j of c, 1 <= j <= n = d", left, next_number(of, of.j))


def proof(says: str, invariant: Any, sizes: Any) -> Induction:
    """Return the proof by induction over ``invariant``, for d = 1 to 5 and for a symbolic d."""
    return Induction(
        says=says,
        invariant=invariant,
        states=lambda w, variable: [tuple(variable(f"c[{i + 1}]") for i in range(w.n))],
        instances=tuple((isan(d), "a") for d in range(1, 6)),
        enough=(
            f"{ONE_LETTER} For every d: the recurrence and the automaton are given by functions of an"
            " index, and the step at an index j is one identity of sums of these functions, in which j and"
            " d are symbols."
        ),
        sizes=sizes,
    )


ANYWHERE = Sizes(isan, (1, 2, 3), (1, 2))
FROM_ZERO = Sizes(lambda d: isan(d, start=[0]), (1, 2, 3), (1, 2))

CLAIM = Claim(
    name="proposition-13",
    title="ISAN is rational",
    statement=(
        "Each of the d components of the state of a single-layer ISAN is the Forward score of an automaton"
        " with 2d states; d + 1 states suffice."
    ),
    source=Source("peng2018rational", "4.3", "Proposition 13", ("16", "17", "18")),
    hypotheses=("The network starts in c_0 = 0, or the automaton has c_0 among its initial weights.",),
    variants=(
        holding(
            name="corrected",
            says=(
                "appendix C with lambda(q_i) = [c_0]_i for i = 1, ..., d, and lambda(q_i) = 1 for i = d +"
                " 1, ..., 2d"
            ),
            reading=Equality(recurrence=isan_recurrence, construction=corrected),
            cases=ANYWHERE.random,
            proof=proof(
                "after every string, the Forward vector is (c, 1, ..., 1)",
                lambda w, c, unit: (*c, *[w.over.one] * w.n),
                with_2d_states,
            ),
            theorem=Theorem(
                "rational_recurrences.proposition_13.proposition_13",
                network="isan {c_0} {W} {b} {word} {unit}",
                automaton="doubled {W} {b} (fun q => if q is inl j then {c_0} j else one) {unit}",
            ),
        ),
        holding(
            name="corrected-with-fewer-states",
            says="an automaton with d + 1 states: one for the constant 1 instead of d",
            reading=Equality(recurrence=isan_recurrence, construction=with_one_more_state),
            cases=ANYWHERE.random,
            proof=proof(
                "after every string, the Forward vector is (1, c)",
                lambda w, c, unit: (w.over.one, *c),
                with_d_plus_1_states,
            ),
            theorem=Theorem(
                "rational_recurrences.proposition_13.proposition_13_with_fewer_states",
                network="isan {c_0} {W} {b} {word} {unit}",
                automaton="with_one_more_state {c_0} {W} {b} {unit}",
            ),
        ),
        refuted(
            name="printed",
            says="appendix C as printed: lambda(q_i) = 1 for i = 1, ..., d, which are the states Q_1",
            reading=Equality(recurrence=isan_recurrence, construction=printed),
            cases=FROM_ZERO.random,
            theorem=Theorem(
                "rational_recurrences.proposition_13.printed_is_refuted",
                claims=(
                    "forall (K : semiring) (S : Type) d W (b : S -> 'I_d.+1 -> K) unit, one <> zero "
                    ":> K -> not (forall c_0 word, {automaton} = {network})"
                ),
                network="isan {c_0} {W} {b} {word} {unit}",
                automaton="doubled {W} {b} (fun q => if q is inl _ then one else zero) {unit}",
            ),
        ),
    ),
    differences=(
        (
            "The states with lambda = 1 are q_{d+1}, ..., q_{2d}, which are Q_2; appendix C also"
            " prints lambda(q_i) = 1 for i = 1, ..., d."
        ),
        (
            "The initial weights of q_1, ..., q_d are the components of c_0, which the paper does not"
            " state. The empty string is included."
        ),
        "The construction with d + 1 states is ours.",
    ),
    example=ANYWHERE.of(2).example(),
    row=TableRow("1", ("ISAN", "c_t = W_{x_t} c_{t-1} + b_{x_t}", "D_1, D_2")),
    layers=("isan",),
    effort=Effort(strings=20, longest=8, run=10),
)
