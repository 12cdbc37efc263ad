"""Section 3.5: the automata of several rules are merged behind BOS, and equation 8 reads each rule's score.

Jiang et al. 2020, section 3.5, equation 8.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Source, holding, refuted
from theory.fa_rnn.shared.networks import Matrix, Vector, dot, in_line, tensor, times
from theory.induction import Induction
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes
from theory.theorem import Theorem
from theory.weights import Weights

FIRST, SECOND = "", "_new"


def two_rules(size: tuple[int, int]) -> Signature:
    """Return the names and shapes of the weights of the automata of two rules.

    ``size`` contains the number of states of each rule.
    """
    first, second = size
    new = (replace(entry, name=entry.name + SECOND) for entry in tensor(second))
    return Signature((*tensor(first), *new), size=("K", first), most_small=700)


def sizes_of(w: Weights) -> tuple[int, int]:
    """Return K_1 and K_2, the numbers of states of the two rules."""
    return len(w.alpha_0), len(w.alpha_0_new)


# The merged automaton has s_0, the states of the first rule, and those of the second. BOS leads from s_0 to
# the states at which a rule begins, with its initial weights, and nothing else leaves s_0.


def bos(w: Weights) -> Vector:
    """Return the row of s_0 in the matrix of BOS; all other rows of this matrix are 0."""
    return (w.over.zero, *w.alpha_0, *w.alpha_0_new)


def merged_matrix(w: Weights, x: str) -> Matrix:
    """Return the matrix of a word: the blocks of both rules, and zeros for s_0."""
    zero, (first, second) = w.over.zero, sizes_of(w)
    nothing = (zero,) * (1 + first + second)
    return (
        nothing,
        *((zero, *row, *[zero] * second) for row in w.T[x]),
        *((zero, *[zero] * first, *row) for row in w.T_new[x]),
    )


def filled(w: Weights) -> tuple[Vector, Vector]:
    """Return the final weights of each rule, filled with zeros for all other states (equation 8)."""
    zero, (first, second) = w.over.zero, sizes_of(w)
    return (zero, *w.alpha_inf, *[zero] * second), (zero, *[zero] * first, *w.alpha_inf_new)


def step(w: Weights, h: Vector, x: str) -> Vector:
    """Return the merged network's state h T[x] after word x (equation 4)."""
    return times(w.over, h, merged_matrix(w, x))


def scores(w: Weights, h: Vector) -> tuple[Any, Any]:
    """Return the score of each rule (equation 8)."""
    first, second = filled(w)
    return dot(w.over, h, first), dot(w.over, h, second)


def scores_without_zeros(w: Weights, h: Vector) -> tuple[Any, Any]:
    """Return, for each rule, the same score, which uses the final weights of both rules."""
    both = dot(w.over, h, (w.over.zero, *w.alpha_inf, *w.alpha_inf_new))
    return both, both


def at_s_0(w: Weights) -> Vector:
    """Return the vector before BOS: 1 at s_0, and 0 at all other states."""
    return (w.over.one, *[w.over.zero] * sum(sizes_of(w)))


merged = Recurrence(start=bos, step=step, out=scores)
without_bos = Recurrence(start=at_s_0, step=step, out=scores)
without_zeros = Recurrence(start=bos, step=step, out=scores_without_zeros)


def each_alone(w: Weights) -> list[WFSA]:
    """Return the automaton of each rule."""
    return [
        WFSA(
            w.over,
            w.entries["alpha_0" + name],
            w.entries["alpha_inf" + name],
            {x: w.entries["T" + name][x] for x in w.alphabet},
        )
        for name in (FIRST, SECOND)
    ]


def blocks(w: Weights, h: Vector) -> tuple[Vector, Vector]:
    """Split h into the components for the first rule's states and those for the second rule's states."""
    first, _ = sizes_of(w)
    return h[1 : 1 + first], h[1 + first :]


RANDOM = Sizes(two_rules, ((1, 1), (2, 1), (2, 2), (1, 3)), ())
SMALL = Sizes(lambda size: in_line(two_rules(size), 700), (), ((1, 1), (2, 1)))

RULES = (
    "(S : Type) (Q Q' : finite) (alpha_0 alpha_inf : Q -> K) (T : S -> Q -> Q -> K)"
    " (alpha_0_new alpha_inf_new : Q' -> K) (T_new : S -> Q' -> Q' -> K) word"
)
ALONE = "@Wfa _ _ _ {alpha_0} {T} {alpha_inf}"
ALONE_NEW = "@Wfa _ _ _ {alpha_0_new} {T_new} {alpha_inf_new}"
BOTH_SCORES = (
    "(let unit : 'I_2 := ord0 in {network} = ratproof.automaton.score (@Wfa K S Q alpha_0 T alpha_inf) word)"
    " /\\ (let unit : 'I_2 := ord_max in {network} ="
    " ratproof.automaton.score (@Wfa K S Q' alpha_0_new T_new alpha_inf_new) word)"
)


def network(ends: str, sentence: str) -> str:
    """Return Coq's term for the score of the merged network with the final weights ``ends``."""
    return (
        f"(let A := {ALONE} in let A' := {ALONE_NEW} in {{score}} (with_start_state (side_by_side A A'"
        f" ({ends}))) ({sentence}))"
    )


OF_UNIT = (
    "if {unit} == ord0 then beside {alpha_inf} (fun _ => zero) else beside (fun _ => zero) {alpha_inf_new}"
)

CLAIM = Claim(
    name="fa-rnn-merged",
    title="rules are merged behind BOS",
    statement=(
        "The automata of rules with K_1, ..., K_m states are merged into one with K_1 + ... + K_m + 1 states,"
        " whose start state has transitions on BOS only. After BOS and a sentence, h_N times the final"
        " weights of a rule, filled with zeros, is the score of that rule's automaton."
    ),
    source=Source("jiang2020cold", "3.5", "Equation 8", ("8",)),
    hypotheses=(
        "Two rules are merged; more are merged one after another.",
        "The sentence begins with BOS, which leads to a rule's states with its initial weights.",
    ),
    variants=(
        holding(
            name="corrected",
            says="as printed, for all weights and including the empty sentence",
            reading=Equality(recurrence=merged, construction=each_alone),
            cases=RANDOM.random,
            small_cases=SMALL.small,
            proof=Induction(
                says="after BOS and every sentence, the Forward vector of each rule is its block of h",
                invariant=lambda w, h, unit: blocks(w, h)[unit],
                states=lambda w, variable: [tuple(variable(f"h[{i}]") for i in range(1 + sum(sizes_of(w))))],
                instances=tuple((two_rules(size), "a") for size in ((1, 1), (2, 1), (2, 2), (1, 3), (3, 3))),
                enough=(
                    "The step is linear in h at every symbol, so one letter with arbitrary weights stands for"
                    " every letter. For all sizes: the Coq theorem."
                ),
            ),
            theorem=Theorem(
                "fa_rnn.merged_rules.merged_rules",
                claims=f"forall (K : semiring) {RULES}, {BOTH_SCORES}",
                network=network(OF_UNIT, "with_bos {word}"),
            ),
        ),
        refuted(
            name="without-bos",
            says="sentences do not begin with BOS: no word leaves the start state, and all scores are 0",
            reading=Equality(recurrence=without_bos, construction=each_alone),
            cases=RANDOM.random,
            small_cases=SMALL.small,
            theorem=Theorem(
                "fa_rnn.merged_rules.without_bos_is_refuted",
                claims=f"forall K : semiring, one <> zero :> K -> not (forall {RULES}, {BOTH_SCORES})",
                network=network(OF_UNIT, "map Some {word}"),
            ),
        ),
        refuted(
            name="without-zeros",
            says="each rule is read with the final weights of all states, without the zeros of equation 8",
            reading=Equality(recurrence=without_zeros, construction=each_alone),
            cases=RANDOM.random,
            small_cases=SMALL.small,
            theorem=Theorem(
                "fa_rnn.merged_rules.without_zeros_is_refuted",
                claims=f"forall R : ringType, let K := of_ring R in not (forall {RULES}, {BOTH_SCORES})",
                network=network("beside {alpha_inf} {alpha_inf_new}", "with_bos {word}"),
            ),
        ),
    ),
    differences=(
        "Two rules are merged; more are merged one after another.",
        (
            "BOS leads to the states of a rule with its initial weights, in place of its single start"
            " state with weight 1. All weights are any numbers."
        ),
        "The sentence begins with BOS, which the paper shows in Table 1 and assumes in section 3.4.",
        "The score is the forward score.",
    ),
    example=RANDOM.of((2, 1)).example(),
    uses=("fa-rnn-eq-4",),
    effort=Effort(examples=40, strings=12, longest=8, run=10, exhausted=3),
)
