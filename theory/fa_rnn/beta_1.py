"""Equation 6 at beta = 1: the network is equivalent to its rules.

The Forward score is the number of accepting paths of the rules. The Viterbi score is 1 if the rules match,
and 0 otherwise. Jiang et al. 2020, sections 2.4, 3.1 and 3.3. Section 3.5 reads a forward score as a match,
but it is a count. The pseudo m-DFA of section 3.1 adds the wildcard's matrix to a word's matrix, so even a
deterministic automaton may count a match twice.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Source, holding, refuted
from theory.fa_rnn.shared.networks import (
    BITS,
    Matrix,
    Vector,
    by_construction,
    dot,
    in_line,
    score,
    step_4,
    tensor,
    times,
    with_factors,
    with_tensor,
)
from theory.fa_rnn.shared.rules import boolean, match, matches, on_sets, one_start, rule
from theory.reading import Equality, Recurrence
from theory.signature import Signature, Sizes, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights

# A rule with factors by construction, a vector u for each word, and any G; at beta = 1, u and G have no
# effect.


def rule_with_vectors(k: int) -> Signature:
    """Return the names and shapes of the weights of a rule with K states, vectors u and a matrix G.

    A word has a pretrained vector u of size 1. G maps this vector to one component for each column of the
    factors.
    """
    turn = constant("G", derived=lambda w: tuple(w.g for _ in w.D_1[0]))
    entries = (one_start(), *tensor(k, BITS)[1:], *by_construction(), by_symbol("u"), constant("g"), turn)
    return Signature(entries, size=("K", k), most_small=300)


def small_rule_with_vectors(k: int) -> Signature:
    """Return the names and shapes of the weights of the small test cases.

    All words share one pretrained vector.
    """
    signature = rule_with_vectors(k)
    return replace(
        signature,
        entries=tuple(replace(e, only=(1,)) if e.name in ("u", "g") else e for e in signature.entries),
    )


def interpolated(w: Weights, x: str, beta: Any = 1) -> Vector:
    """Return the vector z = beta v + (1 - beta) u G of a word (equation 6).

    u is the word's pretrained vector, and v its row of E_R.
    """
    k = w.over
    return tuple(
        k.plus(k.times(beta, v), k.times(k.times(1 - beta, w.u[x]), g))
        for v, g in zip(w.v[x], w.G, strict=True)
    )


def step_6(w: Weights, h: Vector, x: str) -> Vector:
    """Return the state h_t = ((h_{t-1} D_1) o z_t) D_2^T (equation 6) at beta = 1."""
    return with_factors(w, h, interpolated(w, x))


forward_network = Recurrence(start=lambda w: w.alpha_0, step=step_6, out=score)
network_at_half = Recurrence(
    start=lambda w: w.alpha_0,
    step=lambda w, h, x: with_factors(w, h, interpolated(w, x, Fraction(1, 2))),
    out=score,
)


# Viterbi: maxima instead of sums. Its states consist of zeros and ones, so they are modes.


def viterbi_step(w: Weights, state: tuple[Vector, tuple[()]], x: str) -> tuple[Vector, tuple[()]]:
    """Return the state h_t after word x_t: h_t[j] = max over i of h_{t-1}[i] T[x_t, i, j]."""
    h, nothing = state
    return tuple(max(v * row[j] for v, row in zip(h, w.T[x], strict=True)) for j in range(w.n)), nothing


def viterbi_score(w: Weights, state: tuple[Vector, tuple[()]]) -> tuple[Any]:
    """Return the Viterbi score of a sentence: the maximum over i of h_N[i] alpha_inf[i]."""
    return (max(v * f for v, f in zip(state[0], w.alpha_inf, strict=True)),)


viterbi_network = Recurrence(
    start=lambda w: (w.alpha_0, ()), step=viterbi_step, out=viterbi_score, modes=True
)


# The automaton after determinisation: its forward score is a match.


@lru_cache(maxsize=256)
def deterministic(w: Weights) -> WFSA:
    """Return the rule's deterministic automaton."""
    return match(boolean(w))


def start_at_once(w: Weights) -> Vector:
    """Return the initial weights of the deterministic automaton."""
    return tuple(deterministic(w).initial.tolist())


def deterministic_step(w: Weights, h: Vector, x: str) -> Vector:
    """Return the state h_t by equation 4 with the matrices of the deterministic automaton."""
    own = deterministic(w)
    return times(w.over, h, own.matrix(x).tolist())


by_deterministic = Recurrence(
    start=start_at_once,
    step=deterministic_step,
    out=lambda w, h: (dot(w.over, h, tuple(deterministic(w).final.tolist())),),
)


# The pseudo m-DFA: the wildcard is a letter, and a word has the transitions of its own letter and of the
# wildcard.


def pseudo(k: int) -> Signature:
    """Return the names and shapes of the weights of a DFA over the words and the wildcard.

    The entries ``to`` and ``any_to`` contain the next state of each state, counted from 1, or 0 for none.
    """
    targets = tuple(range(k + 1))
    return Signature(
        (
            one_start(),
            by_symbol("to", (k,), targets),
            constant("any_to", (k,), targets),
            by_symbol("T", derived=lambda w, x: transitions(w, w.to[x])),
            constant("any", derived=lambda w: transitions(w, w.any_to)),
            constant("alpha_inf", (k,), BITS),
        ),
        size=("K", k),
        most_small=600,
    )


def transitions(w: Weights, targets: Vector) -> Matrix:
    """Return the matrix of the transitions from state i to ``targets[i]``; a target of 0 means none."""
    return tuple(tuple(int(target == j) for j in range(1, w.n + 1)) for target in targets)


def spelled(w: Weights, join: Any) -> dict[str, Any]:
    """Return each word's transition matrix, with the wildcard's matrix joined to it by ``join``.

    ``join`` is a function of two entries, such as ``max``.
    """
    return {
        x: tuple(
            tuple(join(a, b) for a, b in zip(own, wild, strict=True))
            for own, wild in zip(w.T[x], w.any, strict=True)
        )
        for x in w.alphabet
    }


def added_step(w: Weights, h: Vector, x: str) -> Vector:
    """Return the state h_t by equation 4 with the wildcard's matrix added to the word's."""
    return step_4(w.changed(T=spelled(w, lambda a, b: a + b)), h, x)


with_wildcard_added = Recurrence(start=lambda w: w.alpha_0, step=added_step, out=score)


# The complement (the rules of section 2.2 have negations): missing transitions lead to an additional last
# state, and final and nonfinal states are exchanged. Section 3.1's automaton is deterministic over letters
# and wildcard, but not over the words: a word may lead to a final and a nonfinal state.


def to_sink(targets: Vector, sink: int) -> tuple[int, ...]:
    """Return the next state of each state, with the sink instead of 0.

    The sink is the last state, and is its own next state.
    """
    return (*(int(target) or sink for target in targets), sink)


def complete(w: Weights) -> Weights:
    """Return the pseudo m-DFA, completed with a sink state and with final and nonfinal states exchanged."""
    sink = w.n + 1
    turned = {
        **w.entries,
        "alpha_0": (*w.alpha_0, 0),
        "to": {x: to_sink(targets, sink) for x, targets in w.to.items()},
        "any_to": to_sink(w.any_to, sink),
        "alpha_inf": (*(1 - final for final in w.alpha_inf), 1),
    }
    return Weights(w.over, w.alphabet, turned, ("K", sink))


def turned_step(w: Weights, state: tuple[frozenset[int], tuple[()]], x: str) -> Any:
    """Return the states that the completed pseudo m-DFA may reach with one more word.

    It takes the word's own transitions and those of the wildcard.
    """
    own = complete(w)
    return frozenset(targets[q - 1] for q in state[0] for targets in (own.to[x], own.any_to)), ()


turned_round = Recurrence(
    start=lambda w: (frozenset({1}), ()),
    step=turned_step,
    out=lambda w, state: (max(complete(w).alpha_inf[q - 1] for q in state[0]),),
    modes=True,
)


def spelled_rule(w: Weights) -> Weights:
    """Return the rule over plain words: each matrix is the "or" of the word's and the wildcard's."""
    return w.changed(T=spelled(w, max))


def no_match(w: Weights, h: Vector) -> tuple[Any]:
    """Return 1 minus the forward score of the deterministic automaton over the words."""
    return (1 - dot(w.over, h, tuple(deterministic(spelled_rule(w)).final.tolist())),)


determinised_first = Recurrence(
    start=lambda w: start_at_once(spelled_rule(w)),
    step=lambda w, h, x: deterministic_step(spelled_rule(w), h, x),
    out=no_match,
)


def complement(w: Weights) -> list[WFSA]:
    """Return the automaton on sets of states whose score is 1 if the rule does not match, else 0."""
    rule = spelled_rule(w)
    return [on_sets(rule, lambda states: not any(rule.alpha_inf[q] for q in states))]


RULES, SMALL = Sizes(rule_with_vectors, (1, 2, 3), ()), Sizes(small_rule_with_vectors, (), (1, 2))
PSEUDO = Sizes(pseudo, (2, 3, 4), (2,))
IN_LINE = Sizes(lambda k: in_line(pseudo(k)), (), (2,))

SPELLS = "(spells {T:state} {any:state})"
TURNED = (
    "matched (Q := option_finite {Q}) (fun q => q == Some {start}) (turned_round {alpha_inf:bool})"
    " (spells (fun x => completed ({T:state} x)) (completed {any:state})) {word}"
)
NO_MATCH = f"~~ matched (fun q => q == {{start}}) {{alpha_inf:bool}} {SPELLS} {{word}}"
"""The Coq terms of the pseudo m-DFA with exchanged final states, and of the rule's complement."""
RULES_IN_COQ = (
    "(S : eqType) (Q : finite) (alpha_0_bool alpha_inf_bool : Q -> bool) (T_bool : S -> Q -> Q -> bool)"
)
PSEUDO_IN_COQ = (
    "(S : eqType) (Q : finite) (start : Q) (alpha_inf_bool : Q -> bool) (T_state : S -> Q -> option Q)"
    " (any_state : Q -> option Q) word"
)
VECTORS = (
    "let alpha_0 := fun q => bit over (alpha_0_bool q) in"
    " let alpha_inf := fun q => bit over (alpha_inf_bool q) in"
)
TENSOR = "let T := fun x i j => bit over (T_bool x i j) in"
FORWARD = (
    "let forward (A : wfa over S (deterministic.set_of Q)) := score_4 (initial A) (final A) (transition A) in"
)
RUN_FORWARD = {"forward": "computed_score"}
EXACT_FACTORS = (
    "(C : finite) (D_1 D_2 : Q -> C -> over) (v g : S -> C -> over) word,"
    " (forall x i j, of_factors D_1 D_2 v x i j = bit over (T_bool x i j)) ->"
)


def in_values(w: Weights) -> dict[str, Any]:
    """Return the values of the placeholders in Coq terms, for a pseudo m-DFA."""
    return {
        **w.entries,
        **RUN_FORWARD,
        "start": "ord0",
        "Q": f"(place {w.n})",
        "minus_from_1": "Qcminus (Q2Qc 1)",
    }


CLAIM = Claim(
    name="fa-rnn-beta-1",
    title="at beta = 1 an FA-RNN is equivalent to its rules",
    statement=(
        "At beta = 1 and with exact factors, for any pretrained vectors, the forward score of an FA-RNN is"
        " the number of accepting paths of the automaton of its rules, and the Viterbi score is 1 if the"
        " rules match and 0 otherwise. If the automaton is deterministic, the two scores are equal."
    ),
    source=Source("jiang2020cold", "3.3", "Equation 6", ("4", "5", "6")),
    hypotheses=(
        "The factors are exact (fa-rnn-eq-5).",
        (
            "For a forward score of 0 or 1: the automaton is deterministic over the vocabulary, and each"
            ' word has one matrix, which is combined by "or" with those of the wildcards that match the'
            " word."
        ),
    ),
    variants=(
        holding(
            name="corrected",
            says="forward counts the accepting paths",
            reading=Equality(recurrence=forward_network, construction=with_tensor),
            cases=RULES.random,
            small_cases=SMALL.small,
            programs=("fa-rnn-rules", "fa-rnn-rules-apart"),
            theorem=Theorem(
                "fa_rnn.beta_1.beta_1",
                network="score_5 {alpha_0} {alpha_inf} {D_1} {D_2} {v} {word}",
                claims=(
                    f"forall (R : ringType) {RULES_IN_COQ}, let over := of_ring R in forall {EXACT_FACTORS}"
                    f" {VECTORS} let v : S -> C -> over := interpolated 1%R v g in {{network}} ="
                    " (size (accepting_paths alpha_0_bool alpha_inf_bool T_bool word))%:R%R :> R"
                ),
            ),
        ),
        holding(
            name="corrected-viterbi",
            says="the Viterbi score is 1 on matches and 0 otherwise",
            reading=Equality(recurrence=viterbi_network, construction=matches),
            cases=RULES.random,
            small_cases=SMALL.small,
            programs=("fa-rnn-viterbi-vectors",),
            theorem=Theorem(
                "fa_rnn.beta_1.beta_1_viterbi",
                claims=(
                    f"forall (R : realDomainType) {RULES_IN_COQ} word, let over := max_times R in {VECTORS}"
                    f" {TENSOR} {{network}} ="
                    " bit over (accepting_paths alpha_0_bool alpha_inf_bool T_bool word != [::])"
                ),
                network="score_4 {alpha_0} {alpha_inf} {T} {word}",
                over="rational_max_times",
            ),
        ),
        holding(
            name="corrected-deterministic",
            says=(
                "with a deterministic automaton of the rules, the forward score is 1 on matches and 0"
                " otherwise"
            ),
            reading=Equality(recurrence=by_deterministic, construction=matches),
            cases=RULES.random,
            small_cases=SMALL.small,
            programs=("fa-rnn-deterministic",),
            theorem=Theorem(
                "fa_rnn.beta_1.beta_1_deterministic",
                network="{forward} (on_sets {alpha_0:bool} {alpha_inf:bool} {T:bool} {over}) {word}",
                score="bit {over} (matched {alpha_0:bool} {alpha_inf:bool} {T:bool} {word})",
                claims=(
                    f"forall (over : semiring) {RULES_IN_COQ} word, {FORWARD} {{network}} = {{automaton}}"
                ),
                values=lambda w: {**w.entries, **RUN_FORWARD},
            ),
        ),
        refuted(
            name="printed-match",
            says="a forward score is a match (section 3.5)",
            reading=Equality(recurrence=forward_network, construction=matches),
            cases=RULES.random,
            small_cases=SMALL.small,
            theorem=Theorem(
                "fa_rnn.beta_1.printed_match_is_refuted",
                claims=(
                    f"forall R : ringType, let over := of_ring R in not (forall"
                    f" {RULES_IN_COQ} {EXACT_FACTORS}"
                    f" {VECTORS} let v : S -> C -> over := interpolated 1%R v g in"
                    f" {{network}} = {{automaton}})"
                ),
                network="score_5 {alpha_0} {alpha_inf} {D_1} {D_2} {v} {word}",
                score=("bit {over} (matched {alpha_0:bool} {alpha_inf:bool} {T:bool} {word})"),
            ),
        ),
        refuted(
            name="printed-wildcard",
            says=(
                "the pseudo m-DFA, which adds the matrix of the wildcard to that of the word, has a forward"
                " score of 1 on matches and 0 otherwise"
            ),
            reading=Equality(
                recurrence=with_wildcard_added, construction=lambda w: [match(boolean(spelled_rule(w)))]
            ),
            cases=PSEUDO.random,
            theorem=Theorem(
                "fa_rnn.beta_1.printed_wildcard_is_refuted",
                claims=(
                    "forall over : semiring, plus one one <> one :> over -> not (forall (S : eqType)"
                    " (Q : finite) (start : Q) (alpha_inf_bool : Q -> bool) (own : S -> Q -> option Q)"
                    " (wild : Q -> option Q) word, let alpha_0_bool := fun q => q == start in"
                    " let T_bool := fun x => goes_to (own x) in let any_bool := goes_to wild in"
                    f" {VECTORS} {TENSOR} let any := fun i j => bit over (any_bool i j) in"
                    " {network} = {automaton})"
                ),
                network="score_4 {alpha_0} {alpha_inf} (with_wildcard {T} {any}) {word}",
                score=(
                    "bit {over} (matched {alpha_0:bool} {alpha_inf:bool}"
                    " (fun x p q => {T:bool} x p q || {any:bool} p q) {word})"
                ),
            ),
        ),
        holding(
            name="corrected-complement",
            says=(
                "one minus the score of the automaton that is deterministic over the words is 1 if there is"
                " no match"
            ),
            reading=Equality(recurrence=determinised_first, construction=complement),
            cases=PSEUDO.random,
            small_cases=IN_LINE.near_generic,
            effort=Effort(examples=40, strings=12, longest=8, run=10, exhausted=3),
            theorem=Theorem(
                "fa_rnn.beta_1.beta_1_complement",
                network=(
                    "{minus_from_1} ({forward} (on_sets (fun q => q == {start}) {alpha_inf:bool}"
                    f" {SPELLS} {{over}}) {{word}})"
                ),
                score=f"bit {{over}} ({NO_MATCH})",
                claims=(
                    f"forall (R : ringType) {PSEUDO_IN_COQ}, let over := of_ring R in {FORWARD}"
                    " let minus_from_1 := fun a : over => (1 - (a : R))%R : over in {network} = {automaton}"
                ),
                values=in_values,
            ),
        ),
        refuted(
            name="without-determinisation",
            says=(
                "the pseudo m-DFA with final and nonfinal states exchanged, as in the complement of a DFA,"
                " accepts the sentences that the rule does not match"
            ),
            reading=Equality(recurrence=turned_round, construction=complement),
            cases=PSEUDO.random,
            theorem=Theorem(
                "fa_rnn.beta_1.without_determinisation_is_refuted",
                network=f"bit {{over}} ({TURNED})",
                score=f"bit {{over}} ({NO_MATCH})",
                claims=f"not (forall {PSEUDO_IN_COQ}, {TURNED} = {NO_MATCH})",
                values=in_values,
            ),
        ),
        refuted(
            name="without-beta-1",
            says="at beta = 1/2, with any vectors and any G, the forward score counts the accepting paths",
            reading=Equality(recurrence=network_at_half, construction=with_tensor),
            cases=RULES.random,
            small_cases=SMALL.small,
            theorem=Theorem(
                "fa_rnn.beta_1.without_beta_1_is_refuted",
                network=(
                    "score_5 {alpha_0} {alpha_inf} {D_1} {D_2} (weighed_rows {half} {rest} {v} {g}) {word}"
                ),
                automaton=("weighted {alpha_0:bool} {alpha_inf:bool} {T:bool} {over}"),
                claims=(
                    "forall (R : ringType) (half : of_ring R), half <> 1%R :> R -> let over := of_ring R in"
                    " let rest : over := (1 - (half : R))%R in"
                    f" not (forall {RULES_IN_COQ} {EXACT_FACTORS} {VECTORS} {{network}} = {{automaton}})"
                ),
                values=lambda w: {
                    **w.entries,
                    "half": Fraction(1, 2),
                    "rest": Fraction(1, 2),
                    "g": {x: tuple(w.u[x] * g for g in w.G) for x in w.alphabet},
                },
            ),
        ),
    ),
    differences=(
        (
            "A match is read from the Viterbi score, or from the forward score of an automaton that"
            " is deterministic over the vocabulary. The paper also reads a forward score of the"
            " pseudo m-DFA as a match; it is a count."
        ),
        (
            'The matrices of a word and of the wildcards that match it are combined by "or"; the'
            " pseudo m-DFA adds them."
        ),
        "The factors are exact. The paper uses a rank for which the decomposition has a small error.",
        "The paper uses any regular expressions; the cases are their automata with weights 0 and 1.",
    ),
    example=rule(2).example(),
    uses=("fa-rnn-eq-5",),
    effort=Effort(examples=40, strings=12, longest=8, run=10),
)
