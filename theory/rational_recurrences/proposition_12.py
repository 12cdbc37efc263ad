"""Proposition 12: the n-gram RCNN is a chain of n + 1 states.

Peng et al. 2018, section 4.2, equations 14a, 14b and 15, and appendix B, which starts with z^(j) =
0 for all j.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Source, TableRow, holding, refuted
from theory.induction import ONE_LETTER, Identity, Induction, step_identity
from theory.places import AnyPlaces, Concrete, symbolic
from theory.rational_recurrences.shared import over_reals
from theory.reading import Equality, NoAutomaton, Recurrence
from theory.signature import Signature, Sizes, WeightEntry, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights

if TYPE_CHECKING:
    from theory.symbolic_places import SymbolicPlaces


class FromZero(Concrete):
    """Vectors whose indices run from 1 to n, except the vector c, whose indices run from 0 to n."""

    def at(self, name: str, *indices: int) -> Any:
        """Return the entry of the vector ``name`` at this index, which may be 0 for the vector c."""
        return self.entries[name][indices[0]] if name == "c" else super().at(name, *indices)


# The weights of one unit: lambda_t (here f) and u^(1), ..., u^(n) as functions of the symbol, and c^(1)_0,
# ..., c^(n)_0.


def rcnn(
    n: int, start: Sequence[Any] | None = None, decay: WeightEntry | None = None, *more: WeightEntry
) -> Signature:
    """Return the names and shapes of the weights of an n-gram unit.

    ``start`` restricts c^(j)_0. ``decay`` is lambda, which depends on the symbol by default. ``more`` are
    additional weights.
    """
    return Signature(
        (constant("c_0", (n,), start), *more, decay or by_symbol("f"), by_symbol("u", (n,))),
        size=("n", n),
        most_small=300,
    )


def with_constant_lambda(n: int) -> Signature:
    """Return the names and shapes of the weights of an n-gram unit; lambda is constant."""
    return rcnn(n, None, constant("f"))


# The recurrence, as printed, at one index j; with c^(0) = 1, equations 14a and 14b are identical.


def next_number(of: AnyPlaces, j: Any) -> Any:
    """Return component j of the next state: c^(j) lambda + c^(j-1) u^(j) (equations 14a and 14b)."""
    return of.plus(of.times(of.at("c", j), of.at("lambda")), of.times(of.at("c", j - 1), of.at("u", j)))


def step(w: Weights, c: Any, x: str) -> tuple[Any, ...]:
    """Return the state (c^(1), ..., c^(n)) after symbol x."""
    return chained(w, c, w.f[x] if isinstance(w.f, dict) else w.f, w.u[x])


def chained(w: Weights, c: Any, lam: Any, u: Any) -> tuple[Any, ...]:
    """Return the next state by equations 14a and 14b, for given values of lambda and u."""
    at = FromZero(w.over, w.n, {"c": (w.over.one, *c), "lambda": lam, "u": u})
    return tuple(next_number(at, j) for j in range(1, w.n + 1))


def step_with_feedback(w: Weights, c: Any, x: str) -> tuple[Any, ...]:
    """Return the next state with lambda_t = f(x_t) + w c^(n)_{t-1}."""
    return chained(w, c, w.f[x] + w.w * c[-1], w.u[x])


rcnn_recurrence = Recurrence(start=lambda w: w.c_0, step=step, out=lambda w, c: (c[-1],))
with_feedback = Recurrence(start=lambda w: w.c_0, step=step_with_feedback, out=lambda w, c: (c[-1],))


# The construction of appendix B, with mu_j = u^(j) and phi = lambda (equation 15): the weights between the
# states q_0, ..., q_n.


def tau(of: AnyPlaces, i: Any, j: Any) -> Any:
    """Return the weight of the transition from q_i to q_j for j >= 1: phi if i = j, and mu_j if j = i + 1."""
    return of.plus(of.where(i, j, lambda: of.at("lambda")), of.where(i, j - 1, lambda: of.at("u", j)))


def tau_to_first(of: AnyPlaces, i: Any) -> Any:
    """Return the weight of the transition from q_i to q_0: one if i = 0, else zero."""
    return of.where(i, 0, lambda: of.one)


def chain(w: Weights, initial: Any) -> list[WFSA]:
    """Return the automaton of appendix B with these initial weights.

    q_0 has a loop of weight 1, and q_1 to q_n have loops of weight phi. A transition of weight mu_j leads
    from q_{j-1} to q_j. The final state is q_n.
    """
    k, n = w.over, w.n
    tables = {}
    for x in w.alphabet:
        at = FromZero(k, n, {"lambda": w.f[x] if isinstance(w.f, dict) else w.f, "u": w.u[x]})
        tables[x] = [
            [tau(at, i, j) if j else tau_to_first(at, i) for j in range(n + 1)] for i in range(n + 1)
        ]
    return [WFSA(k, initial, [k.zero] * n + [k.one], tables)]


def corrected(w: Weights) -> list[WFSA]:
    """Return the automaton with lambda(q_0) = 1 and lambda(q_j) = c^(j)_0, without padding of strings."""
    return chain(w, [w.over.one, *w.c_0])


def from_q_0(w: Weights) -> list[WFSA]:
    """Return the automaton as printed: lambda(q_0) = 1, and all other initial weights are zero."""
    return chain(w, [w.over.one, *[w.over.zero] * w.n])


# The Forward algorithm as appendix B prints it, which reads its weights from that automaton: z^(0) = 1 for t
# >= 1, and before the first symbol z^(j) = 0 for all j, including z^(0).

program_as_printed = Recurrence(
    start=lambda automaton: (automaton.semiring.zero,) * automaton.states,
    step=lambda automaton, z, x: printed_step(automaton, z, x),
    out=lambda automaton, z: (z[-1],),
)


zero_at_every_t = Recurrence(
    start=lambda automaton: (automaton.semiring.zero,) * automaton.states,
    step=lambda automaton, z, x: z,
    out=lambda automaton, z: (z[-1],),
)


def printed_step(automaton: WFSA, z: Any, x: str) -> tuple[Any, ...]:
    """Return the program's next values: 1 for z^(0), and z^(j) phi(x) + z^(j-1) mu_j(x) for j >= 1."""
    k, table = automaton.semiring, automaton.matrix(x)
    after = [
        k.plus(k.times(z[j], table[j, j]), k.times(z[j - 1], table[j - 1, j]))
        for j in range(1, automaton.states)
    ]
    return (k.one, *after)


# The step with a symbolic n, from the functions above.


def for_every_n() -> list[Identity]:
    """Return the induction step as identities at every index, with a symbolic n.

    If the Forward vector is (c_0, ..., c_n) with c_0 = 1, its next value at q_j is the recurrence's step at
    index j (for j = 1 and for j >= 2), and its next value at q_0 is c_0.
    """
    return [
        reaching(symbolic(first=True), "at index 1, where c[0] = 1"),
        reaching(symbolic(first=False), "at every index j with 2 <= j <= n"),
        reaching_first(symbolic()),
    ]


def reaching(of: SymbolicPlaces, where: str) -> Identity:
    """Return the identity that the next Forward value at q_j is the step at index j, for j >= 1."""
    left = of.plus(
        of.times(of.at("c", 0), tau(of, 0, of.j)), of.sum(lambda i: of.times(of.at("c", i), tau(of, i, of.j)))
    )
    return step_identity(of, where, left, next_number(of, of.j))


def reaching_first(of: SymbolicPlaces) -> Identity:
    """Return the identity that the next Forward value at q_0 is c_0."""
    left = of.plus(
        of.times(of.at("c", 0), tau_to_first(of, 0)),
        of.sum(lambda i: of.times(of.at("c", i), tau_to_first(of, i))),
    )
    return step_identity(of, "at index 0", left, of.at("c", 0))


def chain_proof(of: Callable[[int], Signature]) -> Induction:
    """Return the proof that the Forward vector is (1, c^(1), ..., c^(n))."""
    return Induction(
        says="after every string, the Forward vector is (1, c^(1), ..., c^(n))",
        invariant=lambda w, c, unit: (w.over.one, *c),
        states=lambda w, variable: [tuple(variable(f"c[{j + 1}]") for j in range(w.n))],
        instances=tuple((of(n), "a") for n in range(1, 7)),
        enough=(
            f"{ONE_LETTER} For every n: the recurrence and the automaton are given by functions of an"
            " index, and the step at an index j is one identity of sums of these functions, in which j and"
            " n are symbols."
        ),
        sizes=for_every_n,
    )


ANYWHERE = Sizes(rcnn, (1, 2, 3, 4, 5, 6), (1, 2, 3))
CONSTANT = Sizes(with_constant_lambda, (1, 2, 3, 4, 5, 6), (1, 2, 3))
FROM_ZERO = Sizes(lambda n: rcnn(n, start=[0]), (1, 2, 3), (1, 2, 3))
FEEDBACK = Sizes(lambda n: rcnn(n, [0], None, constant("w", only=[1, -1, Fraction(1, 2)])), (1, 2), (1, 2))
"""lambda reads c^(n)_{t-1} with weight w."""
C_0 = (
    "Before the string c^(j)_0 = 0 for all j >= 1, or the automaton has the initial weights lambda(q_j) ="
    " c^(j)_0."
)

PROGRAM: dict[str, Any] = {
    "network": "rcnn {c_0:from 1} {f} {u:from 1} {word} {n}",
    "claims": (
        "forall K : semiring, one <> zero :> K -> not (forall (S : Type) n (c_0 : nat -> "
        "K) (f : S -> K) (u : S -> nat -> K) word, (1 <= n)%N -> {automaton} = {network})"
    ),
}

CLAIM = Claim(
    name="proposition-12",
    title="The n-gram RCNN is rational",
    statement=(
        "A unit of the single-layer n-gram RCNN, whose lambda_t is constant or depends only on the symbol,"
        " is the Forward score of a chain of n + 1 states, for every n."
    ),
    source=Source("peng2018rational", "4.2", "Proposition 12", ("14a", "14b", "15")),
    hypotheses=("lambda_t is constant or depends only on x_t.", C_0),
    variants=(
        holding(
            name="corrected",
            says="with lambda(q_0) = 1 and lambda(q_j) = c^(j)_0; lambda_t depends on the symbol",
            reading=Equality(recurrence=rcnn_recurrence, construction=corrected),
            cases=ANYWHERE.random,
            proof=chain_proof(rcnn),
            theorem=Theorem(
                "rational_recurrences.proposition_12.proposition_12",
                network="rcnn {c_0:from 1} {f} {u:from 1} {word} {n}",
                automaton="chain {n} {c_0:from 1} {f} {u:from 1}",
            ),
        ),
        holding(
            name="corrected-constant-lambda",
            says="with lambda(q_0) = 1 and lambda(q_j) = c^(j)_0; lambda_t is constant",
            reading=Equality(recurrence=rcnn_recurrence, construction=corrected),
            cases=CONSTANT.random,
            proof=chain_proof(with_constant_lambda),
            theorem=Theorem(
                "rational_recurrences.proposition_12.proposition_12_constant_lambda",
                network="rcnn {c_0:from 1} (fun _ => {f}) {u:from 1} {word} {n}",
                automaton="chain {n} {c_0:from 1} (fun _ => {f}) {u:from 1}",
            ),
        ),
        refuted(
            name="printed",
            says=(
                "the program in appendix B, which starts with z^(j) = 0 for all j, including z^(0); its z_t"
                " is interpreted as z_0"
            ),
            reading=Equality(recurrence=rcnn_recurrence, construction=from_q_0, algorithm=program_as_printed),
            cases=FROM_ZERO.random,
            kinds=("sampled", "exhausted", "decided"),
            theorem=Theorem(
                "rational_recurrences.proposition_12.printed_is_refuted",
                **PROGRAM,
                score="program {n} {f} {u:from 1} {word}",
            ),
        ),
        refuted(
            name="printed-at-every-t",
            says="z_t^(j) = 0 for all j and at every t, as printed in appendix B",
            reading=Equality(recurrence=rcnn_recurrence, construction=from_q_0, algorithm=zero_at_every_t),
            theorem=Theorem(
                "rational_recurrences.proposition_12.printed_at_every_t_is_refuted", **PROGRAM, score="zero"
            ),
            cases=FROM_ZERO.random,
            kinds=("sampled", "exhausted", "decided"),
        ),
        refuted(
            name="without-input-only-lambda",
            says=(
                "lambda_t also reads the previous state, here as lambda_t = f(x_t) + w c^(n)_{t-1} with w"
                " not 0"
            ),
            reading=NoAutomaton(recurrence=with_feedback, construction=corrected, unit="rcnn"),
            real_theorem=over_reals.FEEDBACK,
            cases=FEEDBACK.random,
            theorem=Theorem(
                "rational_recurrences.proposition_12.without_input_only_lambda_is_refuted",
                claims=(
                    "forall (F : numFieldType) n (w : of_ring F), (1 <= n)%N -> w != 0%R :> F -> not "
                    "(forall (S : eqType) (f : S -> of_ring F) (u : S -> nat -> of_ring F), exists (Q "
                    ": finite) (A : wfa (of_ring F) S Q), forall word, score A word = {network})"
                ),
                network="rcnn_with_feedback {n} {w} {f} {u:from 1} {word} {n}",
            ),
        ),
    ),
    differences=(
        (
            "lambda_t and the u^(j)_t are any functions of the symbol (or constants), in place of a"
            " sigmoid or g of an affine map of an embedding."
        ),
        (
            "Forward starts with z^(0)_0 = 1, and with z^(j)_0 = c^(j)_0 for j >= 1. Appendix B"
            " prints z_t^(j) = 0 for all j."
        ),
        "The statement is about all strings; appendix B assumes strings longer than n.",
        "The score is c^(n)_t. A nonlinearity after it is left out.",
        "The statement is about every n; section 4.2 prints the equations for n = 2.",
    ),
    example=ANYWHERE.of(2).example(),
    uses=("model-c",),
    row=TableRow(
        "1",
        ("RCNN", "c^(1)_t = c^(1)_{t-1} l_t + u^(1)_t, c^(2)_t = c^(2)_{t-1} l_t + c^(1)_{t-1} u^(2)_t", "C"),
    ),
    layers=("rcnn",),
    effort=Effort(strings=40),
)
