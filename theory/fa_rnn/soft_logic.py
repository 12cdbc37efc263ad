"""Table 2: soft logic on matches equals propositional logic if its inputs are 0 or 1.

Jiang et al. 2020, section 3.5 and Table 2. In the paper, the inputs are forward scores, which are counts and
may exceed 1. The paper requires that the elements of h_N are near 0 or 1, but a rule with several final
states may then still score 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from automata.semirings import REAL
from automata.wfsa import WFSA
from theory.claim import LADDER, Claim, Effort, Source, holding, refuted
from theory.fa_rnn.shared.networks import BITS, Vector, dot, step_4, tensor
from theory.fa_rnn.shared.rules import on_sets, one_start
from theory.reading import Clamped, Equality, Recurrence
from theory.signature import Signature, Sizes, constant
from theory.theorem import Theorem
from theory.weights import Weights

# R rules share an automaton, each with its own final weights. A formula in conjunctive normal form specifies
# for each clause and rule whether the clause contains the rule (1), its negation (-1), or neither (0).


def rules_and_formula(size: tuple[int, int, int]) -> Signature:
    """Return the names and shapes of the weights of rules, and of a CNF formula over the rules.

    ``size`` contains K states, R rules and the number of clauses.
    """
    k, rules, clauses = size
    start, table, _ = tensor(k, BITS)
    formula = constant("clauses", (clauses, rules), (0, 1, -1))
    return Signature((start, table, constant("F", (rules, k), BITS), formula), size=("K", k), most_small=200)


def small_rules_and_formula(size: tuple[int, int, int]) -> Signature:
    """Return the names and shapes of the weights of the small test cases.

    Every sentence begins in the first state.
    """
    signature = rules_and_formula(size)
    return replace(signature, entries=(one_start(), *signature.entries[1:]))


def ends_in_turn(size: tuple[int, int, int]) -> Signature:
    """Return the names and shapes of the weights of small test cases.

    Rule i ends in state i modulo the number of states. In the first case, the automaton has no transitions
    and each clause is the "or" of all rules, so the formula holds only for the empty sentence.
    """
    signature = small_rules_and_formula(size)
    _, rules, clauses = size
    ends = constant(
        "F", derived=lambda w: tuple(tuple(int(i == r % w.n) for i in range(w.n)) for r in range(rules))
    )
    formula = constant("clauses", (clauses, rules), (1, -1, 0))
    return replace(signature, entries=(*signature.entries[:2], ends, formula))


def three_literals(k: int) -> Signature:
    """Return the names and shapes of the weights of the small test cases, with a clause of three rules.

    The clause contains two of the rules, and the negation of the third.
    """
    signature = small_rules_and_formula((k, 3, 1))
    clause = constant("clauses", derived=lambda w: ((1, 1, -1),))
    return replace(signature, entries=(*signature.entries[:-1], clause), most_small=1000)


# Table 2.


def negation(a: Any) -> Any:
    """Return the soft negation, 1 - a."""
    return 1 - a


def disjunction(values: Sequence[Any]) -> Any:
    """Return the soft "or", min(1, a + b + ...).

    It is 0 for no values. A single value is returned unchanged.
    """
    return values[0] if len(values) == 1 else min(1, sum(values))


def conjunction(values: Sequence[Any]) -> Any:
    """Return the soft "and" of n values, max(0, a + b + ... - (n - 1)).

    It is 1 for no values. A single value is returned unchanged.
    """
    return values[0] if len(values) == 1 else max(0, sum(values) - (len(values) - 1))


def formula(clauses: Sequence[Sequence[int]], values: Sequence[Any], join: Any = None) -> Any:
    """Return the soft value of a formula in conjunctive normal form.

    Args:
        clauses: for each clause and rule, 1 if the clause contains the rule, -1 if it contains its negation,
            and 0 otherwise.
        values: the values of the rules.
        join: the function that computes the "or" of a clause's values; by default, :func:`disjunction`.
    """
    join = disjunction if join is None else join
    return conjunction(
        [
            join([a if sign > 0 else negation(a) for sign, a in zip(row, values, strict=True) if sign])
            for row in clauses
        ]
    )


def nested_disjunction(values: Sequence[Any]) -> Any:
    """Return the soft "or" of several values, computed as nested "or"s of two, as in Table 2.

    For three values, it is min(1, min(1, a + b) + c).
    """
    result = values[0] if values else 0
    for value in values[1:]:
        result = disjunction([result, value])
    return result


def forward_scores(w: Weights, h: Vector) -> Vector:
    """Return the rules' forward scores (equation 8)."""
    return tuple(dot(w.over, h, row) for row in w.F)


def clamped(values: Vector) -> Vector:
    """Clamp each value to at most 1."""
    return tuple(min(1, value) for value in values)


def on_clamped(value: Callable[[Weights, Vector], Any]) -> Clamped:
    """Return the network whose output is ``value`` of the clamped scores of the rules."""
    return Clamped.of(
        start=lambda w: w.alpha_0, step=step_4, scores=forward_scores, shown=lambda w, bits: (value(w, bits),)
    )


aggregated = on_clamped(lambda w, bits: formula(w.clauses, bits))
unclamped = Recurrence(
    start=lambda w: w.alpha_0, step=step_4, out=lambda w, h: (formula(w.clauses, forward_scores(w, h)),)
)


# The formula as a perceptron of two layers (section 3.5), whose activations are made of ReLUs.


def relu(z: Any) -> Any:
    """Return the ReLU of z, max(0, z)."""
    return max(0, z)


def perceptron(clauses: Sequence[Sequence[int]], values: Sequence[Any]) -> Any:
    """Return the soft value of the formula, computed by a perceptron of two layers from the rules' values.

    The first layer computes each clause as min(1, z) = 1 - relu(1 - z). Here z is the sum of its rules'
    values, minus the sum of its negated rules' values, plus the number of negated rules. The second layer
    computes relu(the sum of all n clauses - (n - 1)).
    """
    layer = [
        1 - relu(1 - row.count(-1) - sum(sign * a for sign, a in zip(row, values, strict=True)))
        for row in clauses
    ]
    return relu(sum(layer) - (len(layer) - 1))


by_perceptron = on_clamped(lambda w, bits: perceptron(w.clauses, bits))


# Nothing is clamped. The variants cover only inputs for which all states, or all scores, are 0 or 1. For
# other inputs, the logic itself replaces the network, so that no difference arises.


def where_bits(numbers: Callable[[Weights, Vector], Vector]) -> Recurrence:
    """Return a recurrence that outputs the formula's soft value for the rules' forward scores.

    ``numbers`` returns the state h or the scores. If any of its numbers is neither 0 nor 1, the output is the
    formula's exact truth value instead.
    """

    def out(w: Weights, h: Vector) -> tuple[Any]:
        scores = forward_scores(w, h)
        if all(v in (0, 1) for v in numbers(w, h)):
            return (formula(w.clauses, scores),)
        return (int(holds(w.clauses, [score > 0 for score in scores])),)

    return Recurrence(start=lambda w: w.alpha_0, step=step_4, out=out)


where_states_are_bits = where_bits(lambda w, h: h)
where_scores_are_bits = where_bits(forward_scores)


# Table 2 defines the "or" of two values. An "or" of more values can be one minimum, like an MLP layer, or
# nested "or"s of two. The negation of a count may be negative, so the position of the clamp matters: NOT 2 =
# -1, and min(1, 1 + 1 - 1) = 1, but min(1, min(1, 1 + 1) - 1) = 0.

nested = on_clamped(lambda w, bits: formula(w.clauses, bits, nested_disjunction))


def nested_where_flat_is_right(w: Weights, h: Vector) -> tuple[Any]:
    """Return the formula's soft value with nested "or"s of two, or its truth value.

    The truth value (1 or 0) replaces the soft value if a single minimum of the same counts is not correct.
    """
    scores = forward_scores(w, h)
    right = int(holds(w.clauses, [score > 0 for score in scores]))
    return (formula(w.clauses, scores, nested_disjunction) if formula(w.clauses, scores) == right else right,)


nested_counts = Recurrence(start=lambda w: w.alpha_0, step=step_4, out=nested_where_flat_is_right)


# If every component of h is clamped at every step, no count grows. The states consist of zeros and ones, so
# they are modes.


def clamped_step(w: Weights, state: tuple[Vector, tuple[()]], x: str) -> tuple[Vector, tuple[()]]:
    """Return the state min(1, h_{t-1} T[x_t]), in which every component is clamped to at most 1."""
    return clamped(step_4(w, state[0], x)), ()


clamped_at_every_step = Recurrence(
    start=lambda w: (w.alpha_0, ()),
    step=clamped_step,
    out=lambda w, state: (formula(w.clauses, clamped(forward_scores(w, state[0]))),),
    modes=True,
)


# The logic itself, on matches that are true or false: a deterministic automaton on the sets of states that a
# sentence may reach.


def holds(clauses: Sequence[Sequence[int]], matched: Sequence[bool]) -> bool:
    """Return whether each clause contains a rule that matches, or the negation of a rule that does not."""
    return all(
        any((m if sign > 0 else not m) for sign, m in zip(row, matched, strict=True) if sign)
        for row in clauses
    )


def logic(w: Weights) -> list[WFSA]:
    """Return the automaton whose score is 1 if the formula holds for the rules' matches, else 0."""
    return [on_sets(w, lambda states: holds(w.clauses, [any(row[q] for q in states) for row in w.F]))]


RANDOM = Sizes(rules_and_formula, ((2, 2, 1), (2, 2, 2), (3, 2, 2), (3, 3, 2)), ())
SMALL = Sizes(small_rules_and_formula, (), ((1, 1, 1), (2, 1, 1), (2, 2, 2)))
SMALL_IN_TURN = Sizes(ends_in_turn, (), SMALL.small_sizes)
THREE = Sizes(rules_and_formula, ((2, 3, 1), (3, 3, 1)), ())
SMALL_THREE_IN_TURN = Sizes(ends_in_turn, (), ((2, 1, 1), (2, 3, 1)))
THREE_LITERALS = Sizes(three_literals, (2, 3), (2,))
SEVERAL_ENDS = Sizes(rules_and_formula, ((2, 2, 1), (3, 2, 1)), ())
ONE, NOTHING = Fraction(1), Fraction(0)

SIGNS = "{clauses:sign}"
COUNTS = "(rule_count {ring} {alpha_0:bool} {T:bool} {F:bool} {word})"
CLAMPED = COUNTS.replace("rule_count", "clamped_score")
HOLDS = f"(holds {SIGNS} (fun r => matched {{alpha_0:bool}} ({{F:bool}} r) {{T:bool}} {{word}}))"
"""The formula, the counts and the logic as Coq terms."""
RULES_IN_COQ = (
    "(C L Q : finite) (S : eqType) (clauses_sign : C -> L -> option bool) (alpha_0_bool : Q -> bool)"
    " (T_bool : S -> Q -> Q -> bool) (F_bool : L -> Q -> bool) word"
)


def in_coq(name: str, value: str, *premises: str, network: str = "") -> Theorem:
    """Return the Coq theorem that ``value`` equals the logic (1 or 0) over any ordered domain, or is refuted.

    Args:
        name: the theorem's name.
        value: the Coq term of the formula's value.
        premises: terms that are assumed to equal the logic.
        network: the Coq term of the network's value, if it is not ``value``.
    """
    hypotheses = "".join(f"{premise} = ({HOLDS})%:R%R :> R -> " for premise in premises)
    equal = f"forall {RULES_IN_COQ}, {hypotheses}{value} = ({HOLDS})%:R%R :> R"
    claim = f"not ({equal})" if name.endswith("_is_refuted") else equal
    return Theorem(
        f"fa_rnn.soft_logic.{name}",
        claims=f"forall R : realDomainType, let ring := R in {claim}",
        network=f"rational_of ({network or value})",
        score="bit {over} " + HOLDS,
        values=lambda w: {**w.entries, "ring": "integers"},
    )


NOT_AFFINE = (
    "soft logic is the min and max of counts that grow without bound: the step is affine, but the output is"
    " not"
)

CLAIM = Claim(
    name="fa-rnn-soft-logic",
    title="soft logic on matches is logic",
    statement=(
        "The soft value of a formula in conjunctive normal form, by Table 2, is 1 if the formula is true"
        " for the matches of the rules and 0 otherwise, provided that its inputs are forward scores clamped"
        " to at most 1."
    ),
    source=Source("jiang2020cold", "3.5", "Table 2", ("8",)),
    hypotheses=(
        (
            "The inputs of the formula are 0 or 1: forward scores are counts, and must be clamped. It is"
            " not enough that the elements of h_N are 0 or 1."
        ),
    ),
    variants=(
        holding(
            name="corrected",
            says="with counts that are first clamped to at most 1",
            reading=Equality(recurrence=aggregated, construction=logic),
            cases=RANDOM.random,
            small_cases=SMALL_IN_TURN.small,
            programs=("fa-rnn-soft-logic",),
            theorem=in_coq("soft_logic", f"soft_value {SIGNS} (clamped {COUNTS})"),
        ),
        holding(
            name="corrected-clamped-steps",
            says="with h also clamped at every step: no count grows, and nothing else changes",
            reading=Equality(recurrence=clamped_at_every_step, construction=logic),
            cases=RANDOM.random,
            small_cases=SMALL_IN_TURN.small,
            theorem=in_coq("soft_logic_clamped_steps", f"soft_value {SIGNS} (clamped {CLAMPED})"),
        ),
        holding(
            name="corrected-nested",
            says='with clamped counts, and an "or" of several arguments as nested "or"s of two',
            reading=Equality(recurrence=nested, construction=logic),
            cases=THREE.random,
            small_cases=SMALL_THREE_IN_TURN.small,
            theorem=in_coq("soft_logic_nested", f"nested_value {SIGNS} (clamped {COUNTS})"),
        ),
        holding(
            name="corrected-perceptron",
            says=(
                "the formula as a perceptron of two layers with ReLUs: min(1, z) for each clause, and then"
                " max(0, z)"
            ),
            reading=Equality(recurrence=by_perceptron, construction=logic),
            cases=RANDOM.random,
            small_cases=SMALL_IN_TURN.small,
            theorem=in_coq("soft_logic_perceptron", f"perceptron {SIGNS} (clamped {COUNTS})"),
        ),
        holding(
            name="corrected-scores",
            without={
                "decided": NOT_AFFINE,
                "proved": "the argument is a case distinction on scores, not an identity of polynomials",
                "kernel-checked": (
                    "it follows from the theorem about matches, in which counts are 0 or 1, so it has no"
                    " separate theorem"
                ),
            },
            says="nothing is clamped, and the scores of the rules are all 0 or 1",
            reading=Equality(recurrence=where_scores_are_bits, construction=logic),
            cases=RANDOM.random,
            small_cases=SMALL_IN_TURN.small,
            kinds=LADDER[:3],
        ),
        refuted(
            name="printed",
            without={
                "decided": NOT_AFFINE,
                "kernel-checked": "its counterexample is that of without-clamp, which has a theorem",
            },
            says="nothing is clamped, and all elements of h_N are 0 or 1",
            reading=Equality(recurrence=where_states_are_bits, construction=logic),
            cases=SEVERAL_ENDS.random,
            small_cases=SMALL.small,
            kinds=LADDER[:3],
            effort=Effort(examples=150, strings=12, longest=8, run=10),
        ),
        refuted(
            name="printed-nested",
            without={"decided": NOT_AFFINE},
            says=(
                'nothing is clamped, and nested "or"s of two (Table 2) are correct if a single minimum of'
                " the same counts is"
            ),
            reading=Equality(recurrence=nested_counts, construction=logic),
            cases=THREE_LITERALS.random,
            theorem=in_coq(
                "printed_nested_is_refuted",
                f"nested_value {SIGNS} {COUNTS}",
                f"soft_value {SIGNS} {COUNTS}",
                network=f"nested_where_flat_is_right {SIGNS} {COUNTS} {HOLDS}",
            ),
            kinds=LADDER[:3],
            effort=Effort(examples=150, strings=12, longest=6, run=6),
        ),
        refuted(
            name="without-clamp",
            without={"decided": NOT_AFFINE},
            says="the inputs of the formula are the counts, which are not clamped",
            reading=Equality(recurrence=unclamped, construction=logic),
            cases=RANDOM.random,
            small_cases=SMALL.small,
            theorem=in_coq("without_clamp_is_refuted", f"soft_value {SIGNS} {COUNTS}"),
            kinds=LADDER[:3],
        ),
    ),
    differences=(
        (
            "The inputs of the formula are 0 or 1: forward scores that are clamped to at most 1. The"
            " paper asks that the elements of h_N are close to 0 or 1, and that the result is"
            " approximate."
        ),
        (
            'A formula is in conjunctive normal form, an "or" is one minimum of a sum, and nested'
            ' "or"s are a variant.'
        ),
        (
            "The perceptron has one layer of clauses with min(1, z), and one with max(0, z). The"
            " paper also uses no activation function in practice."
        ),
        "Training, and values close to 0 and 1, are left out.",
    ),
    example=Weights(
        REAL,
        "ab",
        {
            "alpha_0": (ONE, NOTHING, NOTHING),
            "T": {
                "a": ((ONE, ONE, NOTHING), (NOTHING, ONE, NOTHING), (NOTHING, NOTHING, ONE)),
                "b": ((ONE, NOTHING, ONE), (NOTHING, ONE, NOTHING), (NOTHING, NOTHING, ONE)),
            },
            "F": ((NOTHING, ONE, NOTHING), (NOTHING, NOTHING, ONE)),
            "clauses": ((ONE, NOTHING), (NOTHING, -ONE)),
        },
        ("K", 3),
    ),
    uses=("fa-rnn-beta-1",),
    effort=Effort(examples=40, strings=12, longest=8, run=10),
)
