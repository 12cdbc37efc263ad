"""Removal of rules by deleting states that do not affect any other rule's score.

Jiang et al. 2020, section 6, retain the states of the rule "that can be reached from states of other REs".
This can retain states that should be removed. It can also remove states that should be retained, because
after training a path of another rule may begin in a state of the removed rule.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from theory.claim import Claim, Effort, Source, holding, refuted
from theory.fa_rnn.shared.networks import BITS, Vector, score, step_4, with_tensor
from theory.fa_rnn.shared.rules import one_start
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights

DISABLED, OTHER = 1, 2

# The automaton of two rules: state 1 is the universal start state, and each other state belongs to a rule.
# The final weights are those of the remaining rule. Weights are any numbers, because the network has been
# trained.


SPARSE = (0, 0, 0, 0, 0, 0, 1, Fraction(1, 2), -2)


def two_rules(k: int, only: tuple[Any, ...] = SPARSE) -> Signature:
    """Return the names and shapes of the weights of an automaton with K states.

    Each state belongs to one of two rules, except the start state, which they share.
    """
    return Signature(
        (
            one_start(),
            constant("rule", (k,), (OTHER, DISABLED)),
            by_symbol("T", (k, k), only),
            constant("f", (k,), BITS if only == BITS else (1, 0, -3)),
            constant(
                "alpha_inf",
                derived=lambda w: tuple(v if owned(w, i) == OTHER else 0 for i, v in enumerate(w.f)),
            ),
        ),
        size=("K", k),
    )


def owned(w: Weights, state: int) -> int:
    """Return the regular expression to which a state belongs: 1 (disabled) or 2; 0 for the start state."""
    return 0 if state == 0 else int(w.rule[state])


def reaching(w: Weights, targets: set[int], forwards: bool) -> set[int]:
    """Return the states reachable from ``targets`` if ``forwards``, otherwise the states that reach them.

    The targets are included.
    """
    states, waiting = set(targets), list(targets)
    for q in waiting:
        for r in range(w.n):
            i, j = (q, r) if forwards else (r, q)
            if r not in states and any(w.T[x][i][j] for x in w.alphabet):
                states.add(r)
                waiting.append(r)
    return states


def printed(w: Weights) -> set[int]:
    """Return the states that the paper's criterion, as printed, keeps when a rule is disabled.

    It keeps a state of the disabled rule only if a path from a state of another rule leads to it. It keeps
    all other states.
    """
    others = {q for q in range(w.n) if owned(w, q) == OTHER}
    return {q for q in range(w.n) if owned(w, q) != DISABLED} | reaching(w, others, forwards=True)


def corrected(w: Weights) -> set[int]:
    """Return the states that the corrected criterion keeps when a rule is disabled.

    It keeps a state of the disabled rule only if a path from it leads to a final state of another rule. It
    keeps all other states.
    """
    ends = {q for q in range(w.n) if w.alpha_inf[q]}
    return {q for q in range(w.n) if owned(w, q) != DISABLED} | reaching(w, ends, forwards=False)


def with_only(keep: Callable[[Weights], set[int]]) -> Recurrence:
    """Return the network of the automaton restricted to the states ``keep(w)`` (equation 4)."""

    def step(w: Weights, h: Vector, x: str) -> Vector:
        states = keep(w)
        table = {
            x: tuple(
                tuple(v if {i, j} <= states else 0 for j, v in enumerate(row)) for i, row in enumerate(w.T[x])
            )
        }
        return step_4(w.changed(T=table), h, x)

    return Recurrence(start=lambda w: w.alpha_0, step=step, out=score)


def untrained(k: int, only: tuple[Any, ...] = BITS) -> Signature:
    """Return the names and shapes of the weights of an untrained network with K states.

    No transition leads from a state of one rule to a state of another rule, or back to the start.
    """
    trained = two_rules(k, only)
    entries = [e if e.name != "T" else by_symbol("t", (k, k), only) for e in trained.entries]
    table = by_symbol("T", (k, k), derived=separate)
    return Signature((*entries[:3], table, *entries[3:]), size=trained.size)


def in_turn(signature: Signature) -> Signature:
    """Return the same names and shapes, but with a fixed rule for each state.

    After the start state, the states belong alternately to the disabled rule and to the other rule.
    """
    taken = constant("rule", derived=lambda w: tuple(DISABLED if i % 2 else OTHER for i in range(w.n)))
    return replace(
        signature, entries=tuple(taken if e.name == "rule" else e for e in signature.entries), most_small=350
    )


def separate(w: Weights, x: str) -> tuple[Vector, ...]:
    """Return T[x] of an untrained network.

    It is the random matrix t[x], with zeros between states of different rules and back to the start state.
    """
    return tuple(
        tuple(v if j and owned(w, i) in (0, owned(w, j)) else 0 for j, v in enumerate(row))
        for i, row in enumerate(w.t[x])
    )


ANY, SMALL = Sizes(two_rules, (2, 3, 4), ()), Sizes(lambda k: in_turn(two_rules(k, BITS)), (), (1, 3))
DENSE = (0, 1, Fraction(1, 2), -2)
SMALL_DENSE = Sizes(lambda k: in_turn(two_rules(k, DENSE)), (), (1, 3))
IN_TURN = Sizes(lambda k: in_turn(two_rules(k)), (3, 4), ())
APART = Sizes(untrained, (2, 3, 4), ())
SMALL_APART = Sizes(lambda k: in_turn(untrained(k, DENSE)), (), (1, 3))
ONE, NOTHING = Fraction(1), Fraction(0)

READ_OUT = (
    "score_4 (disable.alpha_0 {over} {start}) (disable.alpha_inf (Q := {Q}) {start} {disabled:bool} {f})"
)
AS_PRINTED = (
    f"{READ_OUT} (only {{T:finite}} (reached_from_others (S := {{S}}) {{weighs}} {{start}} {{disabled:bool}}"
    " {T:finite})) {letters}"
)
FOR_WEIGHTS = "forall (over : semiring) (weighs : over -> bool), (forall a, weighs a = false <-> a = zero) ->"
RULES_IN_COQ = (
    "(S Q : finite) (start : Q) (disabled_bool : Q -> bool) (T : S -> Q -> Q -> over) (f : Q"
    " -> over) letters,"
)
EQUAL = (
    "let alpha_0 := disable.alpha_0 over start in"
    " let alpha_inf := disable.alpha_inf start disabled_bool f in {network} = {automaton}"
)


def in_coq(w: Weights) -> dict[str, Any]:
    """Return the values of the placeholders in Coq terms.

    ``disabled`` is 1 for each state of the disabled rule, else 0.
    """
    disabled = tuple(Fraction(rule == DISABLED) for rule in w.rule)
    sets = {"S": f"(place {len(w.alphabet)})", "Q": f"(place {len(w.f)})", "start": "ord0"}
    return {**w.entries, **sets, "disabled": disabled, "weighs": "nonzero"}


CLAIM = Claim(
    name="fa-rnn-disable",
    title="rules are taken out without retraining",
    statement=(
        "If the states of a rule from which no final state of another rule can be reached are removed, the"
        " scores of all other rules are unchanged, for all weights."
    ),
    source=Source("jiang2020cold", "6", "Disabling an RE"),
    hypotheses=(
        (
            "A state may be removed if no final state of another rule can be reached from it. It is not"
            " enough that the state cannot be reached from the states of other rules, unless no transition"
            " joins the rules, as before training."
        ),
    ),
    variants=(
        holding(
            name="corrected",
            says="states that lead to no final state of another rule are removed, for all weights",
            reading=Equality(recurrence=with_only(corrected), construction=with_tensor),
            cases=ANY.random,
            small_cases=SMALL_DENSE.near_generic,
            programs=("fa-rnn-without-a-rule",),
            theorem=Theorem(
                "fa_rnn.disable.disable",
                claims=f"{FOR_WEIGHTS} forall {RULES_IN_COQ} {EQUAL}",
                network=(
                    f"{READ_OUT} (only {{T:finite}} (leading_to_ends (S := {{S}}) {{weighs}} {{start}}"
                    " {disabled:bool} {T:finite} {f})) {letters}"
                ),
                automaton="automaton_of {alpha_0} {alpha_inf} {T}",
                values=in_coq,
            ),
        ),
        holding(
            name="corrected-untrained",
            says="as printed, if no transition joins the states of different rules",
            reading=Equality(recurrence=with_only(printed), construction=with_tensor),
            cases=APART.random,
            small_cases=SMALL_APART.near_generic,
            programs=("fa-rnn-untrained-without-a-rule",),
            theorem=Theorem(
                "fa_rnn.disable.disable_untrained",
                claims=(
                    f"{FOR_WEIGHTS} forall {RULES_IN_COQ} (forall x p q, weighs (T x p q) ->"
                    f" q != start /\\ (p = start \\/ disabled_bool p = disabled_bool q)) -> {EQUAL}"
                ),
                network=AS_PRINTED,
                automaton="automaton_of {alpha_0} {alpha_inf} {T}",
                values=in_coq,
            ),
        ),
        refuted(
            name="printed",
            says="all states of the rule that cannot be reached from states of other rules are removed",
            reading=Equality(recurrence=with_only(printed), construction=with_tensor),
            cases=IN_TURN.random,
            small_cases=SMALL.small,
            theorem=Theorem(
                "fa_rnn.disable.printed_is_refuted",
                claims=f"{FOR_WEIGHTS} one <> zero :> over -> not (forall {RULES_IN_COQ} {EQUAL})",
                network=AS_PRINTED,
                automaton="automaton_of {alpha_0} {alpha_inf} {T}",
                values=in_coq,
            ),
            # few random rules have such a state
            effort=Effort(
                examples={"sampled": 500, "cross-checked": 1000, "decided": 500},
                strings=12,
                longest=8,
                run=10,
            ),
        ),
    ),
    differences=(
        (
            "A state is removed if no final state of another rule can be reached from it. The paper"
            " retains the states of the rule that can be reached from states of other rules."
        ),
        (
            "The statement is that the scores of all other rules are unchanged, which the paper does"
            " not state."
        ),
        (
            "States are removed from the automaton itself; its conversion back to factors is the"
            " claim fa-rnn-eq-5."
        ),
    ),
    example=Weights(
        REAL,
        "a",
        {
            "alpha_0": (ONE, NOTHING, NOTHING),
            "rule": (Fraction(OTHER), Fraction(DISABLED), Fraction(OTHER)),
            "T": {"a": ((NOTHING, ONE, NOTHING), (NOTHING, NOTHING, ONE), (NOTHING, NOTHING, NOTHING))},
            "f": (NOTHING, NOTHING, ONE),
            "alpha_inf": (NOTHING, NOTHING, ONE),
        },
        ("K", 3),
    ),
    uses=("fa-rnn-eq-4",),
    effort=Effort(examples={"cross-checked": 500}, strings=12, longest=8, run=10),
)
