"""The bidirectional network: the mean of the rules' scores in both directions.

Jiang et al. 2020, section 3.4, take the mean of the vectors h_N instead. The automata of a rule and of the
reversed rule have different states, and different numbers of states. Their vectors cannot be added; if they
are padded with zeros, unrelated components are added.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Misprint, Source, holding, refuted
from theory.fa_rnn.shared.networks import Matrix, Vector, dot, score, step_4, times
from theory.fa_rnn.shared.rules import RULES, backwards, boolean, match, matches
from theory.reading import Equality, Recurrence
from theory.theorem import Theorem
from theory.weights import Weights

HALF = Fraction(1, 2)


@lru_cache(maxsize=256)
def both(w: Weights) -> tuple[WFSA, WFSA]:
    """Return the deterministic automata of the rule and of the reversed rule."""
    return match(boolean(w)), backwards(w)


def unit_matrix(w: Weights, size: int) -> Matrix:
    """Return the identity matrix, which is the empty product."""
    return tuple(at_state(w, i, size) for i in range(size))


def at_state(w: Weights, state: int, size: int) -> Vector:
    """Return the row vector that is one at a state, counted from 0, and zero elsewhere."""
    return tuple(w.over.one if i == state else w.over.zero for i in range(size))


# The state has two parts: the Forward vector h of the sentence so far, and the product B[x_t] ... B[x_1] of
# the matrices of the automaton that reads the sentence backwards. A new word adds a first factor to it.


def start(w: Weights) -> tuple[Vector, Matrix]:
    """Return the first state: the forward automaton's initial vector, and the identity matrix.

    The matrix is the empty product of the backward automaton.
    """
    one, other = both(w)
    return tuple(one.initial.tolist()), unit_matrix(w, other.states)


def step(w: Weights, state: tuple[Vector, Matrix], x: str) -> tuple[Vector, Matrix]:
    """Return the state after one more word at the end of the sentence: forward vector, backward product."""
    (h, product), (one, other) = state, both(w)
    forth = times(w.over, h, one.matrix(x).tolist())
    return forth, tuple(times(w.over, row, product) for row in other.matrix(x).tolist())


def last_vectors(w: Weights, state: tuple[Vector, Matrix]) -> tuple[Vector, Vector]:
    """Return h_N, the vector after the whole sentence, of the forward and of the backward direction."""
    h, product = state
    return h, times(w.over, tuple(both(w)[1].initial.tolist()), product)


def mean_of_scores(w: Weights, state: tuple[Vector, Matrix]) -> tuple[Any]:
    """Return the mean of the forward and the backward score.

    Each direction's vector is multiplied by the final weights of its own automaton.
    """
    scores = (
        dot(w.over, h, tuple(a.final.tolist())) for h, a in zip(last_vectors(w, state), both(w), strict=True)
    )
    return (HALF * sum(scores),)


def score_of_mean(w: Weights, state: tuple[Vector, Matrix]) -> tuple[Any]:
    """Return the score of the mean of the forward and the backward vector.

    The shorter vector is padded with zeros. The final weights are those of the forward automaton.
    """
    h, other = last_vectors(w, state)
    final = both(w)[0].final.tolist()
    size = max(len(h), len(other))
    forth, back, ends = ((*values, *[w.over.zero] * (size - len(values))) for values in (h, other, final))
    return (dot(w.over, tuple(HALF * (a + b) for a, b in zip(forth, back, strict=True)), ends),)


averaged_scores = Recurrence(start=start, step=step, out=mean_of_scores)
averaged_vectors = Recurrence(start=start, step=step, out=score_of_mean)


# Section 3.5 adds a start state s_0, from which only BOS leads to the rules' own start states. Section 3.4
# reads the reversed sentence. Literally, this is the entire sentence, which begins with BOS, so its reversal
# ends in BOS. Here BOS is not in the alphabet, and is read in addition to the words.


def merged(automaton: WFSA) -> tuple[dict[str, Matrix], Matrix, Vector]:
    """Add s_0 to the automaton as a new first state, which only BOS leaves.

    Returns:
        The matrices of the words, the matrix of BOS, and the final weights.
    """
    zero = automaton.semiring.zero
    none = (zero,) * (automaton.states + 1)
    words = {x: (none, *((zero, *row) for row in automaton.matrix(x).tolist())) for x in automaton.alphabet}
    bos = ((zero, *automaton.initial.tolist()), *[none] * automaton.states)
    return words, bos, (zero, *automaton.final.tolist())


def start_at_bos(w: Weights) -> tuple[Vector, Matrix]:
    """Return the first state: the forward vector after BOS, and the empty backward product."""
    (_, bos, final), (*_, other_final) = (merged(a) for a in both(w))
    return times(w.over, at_state(w, 0, len(final)), bos), unit_matrix(w, len(other_final))


def step_after_bos(w: Weights, state: tuple[Vector, Matrix], x: str) -> tuple[Vector, Matrix]:
    """Return the state after one more word at the end of the sentence.

    The backward direction reads this word first.
    """
    (h, product), (one, other) = state, (merged(a) for a in both(w))
    return times(w.over, h, one[0][x]), tuple(times(w.over, row, product) for row in other[0][x])


def mean_with_bos(is_first: bool) -> Recurrence:
    """Return the network whose output is the mean of the forward and the backward score.

    The backward direction reads the words in reverse order. It reads BOS before them if ``is_first`` is true,
    and otherwise after them.
    """

    def out(w: Weights, state: tuple[Vector, Matrix]) -> tuple[Any]:
        (h, product), (one, (_, bos, final)) = state, (merged(a) for a in both(w))
        back = at_state(w, 0, len(final))
        for matrix in (bos, product) if is_first else (product, bos):
            back = times(w.over, back, matrix)
        return (HALF * (dot(w.over, h, one[2]) + dot(w.over, back, final)),)

    return Recurrence(start=start_at_bos, step=step_after_bos, out=out)


# The forward direction with a nondeterministic automaton, which counts paths.


def counting_step(w: Weights, state: tuple[Vector, Matrix], x: str) -> tuple[Vector, Matrix]:
    """Return the state after one more word at the end of the sentence.

    The forward direction uses the rule's own automaton, which counts paths. The backward direction uses the
    deterministic automaton.
    """
    return step_4(w, state[0], x), step(w, (start(w)[0], state[1]), x)[1]


def counting_mean(w: Weights, state: tuple[Vector, Matrix]) -> tuple[Any]:
    """Return the mean of the forward score, which counts paths, and the backward score, which is 0 or 1."""
    (forth,) = score(w, state[0])
    back = dot(w.over, last_vectors(w, state)[1], tuple(both(w)[1].final.tolist()))
    return (HALF * (forth + back),)


counting_forth = Recurrence(start=lambda w: (w.alpha_0, start(w)[1]), step=counting_step, out=counting_mean)


ON_SETS = "(on_sets {alpha_0:bool} {alpha_inf:bool} {T:bool} {over})"
BACKWARDS = "(on_sets {alpha_inf:bool} {alpha_0:bool} (backwards {T:bool}) {over})"
"""The automata of the two directions as Coq terms."""
REFUTED = (
    "forall (R : ringType) (half : of_ring R), plus half half = one -> let over := of_ring R in"
    " not (forall (S : eqType) (Q : finite) (alpha_0_bool alpha_inf_bool : Q -> bool)"
    " (T_bool : S -> Q -> Q -> bool) word, {network} = {automaton})"
)


def in_coq(name: str, forth: str, back: str) -> Theorem:
    """Return the Coq theorem of this name about the mean of the forward and the backward score.

    ``forth`` and ``back`` are the Coq terms of the automaton and of what it reads, in each direction.
    """
    refutes = name.endswith("_is_refuted")
    return Theorem(
        f"fa_rnn.bidirectional.{name}",
        claims=REFUTED if refutes else "",
        hypotheses=() if refutes else ("plus {half} {half} = one",),
        network=f"mean {{half}} ({{score}} {forth}) ({{score}} {back})",
        score="bit {over} (matched {alpha_0:bool} {alpha_inf:bool} {T:bool} {word})",
        values=lambda w: {**w.entries, "half": HALF},
    )


CLAIM = Claim(
    name="fa-rnn-bidirectional",
    title="a bidirectional FA-RNN averages scores",
    statement=(
        "Take a deterministic automaton of a rule, and one of the reversed rule. The mean of the first"
        " automaton's score on a sentence and the second automaton's score on the reversed sentence is 1 if"
        " the rule matches and 0 otherwise."
    ),
    source=Source("jiang2020cold", "3.4", "Bidirectional Extension", ("8",)),
    hypotheses=(
        "Both automata are deterministic over the vocabulary; otherwise they count paths, and the counts"
        " may differ.",
        (
            "If sentences begin with BOS, the only symbol that leaves the start state (section 3.5), both"
            " directions read it first."
        ),
    ),
    variants=(
        holding(
            name="corrected",
            says="the mean of the rules' scores",
            reading=Equality(recurrence=averaged_scores, construction=matches),
            cases=RULES.random,
            programs=("fa-rnn-bidirectional",),
            theorem=in_coq("bidirectional", f"{ON_SETS} {{word}}", f"{BACKWARDS} (rev {{word}})"),
        ),
        holding(
            name="corrected-bos",
            says="with the start state of section 3.5, which only BOS leaves: both directions read BOS first",
            reading=Equality(recurrence=mean_with_bos(is_first=True), construction=matches),
            cases=RULES.random,
            theorem=in_coq(
                "bidirectional_bos",
                f"(with_start_state {ON_SETS}) (with_bos {{word}})",
                f"(with_start_state {BACKWARDS}) (with_bos (rev {{word}}))",
            ),
        ),
        refuted(
            name="printed-bos",
            says=(
                "the backward direction reads the reversed sentence, which ends in BOS, but only BOS leaves"
                " the start state: the backward score is 0 for every sentence that has a word"
            ),
            reading=Equality(recurrence=mean_with_bos(is_first=False), construction=matches),
            cases=RULES.random,
            theorem=in_coq(
                "printed_bos_is_refuted",
                f"(with_start_state {ON_SETS}) (with_bos {{word}})",
                f"(with_start_state {BACKWARDS}) (rev (with_bos {{word}}))",
            ),
        ),
        refuted(
            name="printed",
            says=(
                "the mean of the vectors h_N, the shorter one padded with zeros, multiplied by the final"
                " weights"
            ),
            reading=Equality(recurrence=averaged_vectors, construction=matches),
            cases=RULES.random,
            theorem=Theorem(
                "fa_rnn.bidirectional.printed_is_refuted",
                claims=(
                    "forall (K : semiring) (half : K), one <> zero :> K -> plus half half = one ->"
                    " not (forall (S : Type) n0 n1 (start : 'I_n0) (start' : 'I_n1) next"
                    " next' accepts accepts',"
                    " let A := partial K (D := place n0) start next accepts in"
                    " let B := partial K (D := place n1) start' next' accepts' in"
                    " (forall w : seq S, ratproof.automaton.score B (rev w) ="
                    " ratproof.automaton.score A w) ->"
                    " let initial0 := initial A in let matrix0 := transition A in let final0 := final A in"
                    " let initial1 := initial B in let matrix1 := transition B in let final1 := final B in"
                    " forall word, {network} = ratproof.automaton.score A word)"
                ),
                network=(
                    "mean_of_vectors {half} (@Wfa _ _ (place {n0}) {initial0} {matrix0} {final0})"
                    " (@Wfa _ _ (place {n1}) {initial1} {matrix1} {final1}) {word}"
                ),
                values=lambda w: {
                    "half": HALF,
                    **{f"n{i}": a.states for i, a in enumerate(both(w))},
                    **{f"initial{i}": tuple(a.initial.tolist()) for i, a in enumerate(both(w))},
                    **{
                        f"matrix{i}": {x: tuple(map(tuple, a.matrix(x).tolist())) for x in a.alphabet}
                        for i, a in enumerate(both(w))
                    },
                    **{f"final{i}": tuple(a.final.tolist()) for i, a in enumerate(both(w))},
                },
            ),
            # few random rules show a difference
            effort=Effort(examples=250, strings=12, longest=8, run=10),
        ),
        refuted(
            name="without-deterministic",
            says="the mean of two scores, one of which is that of an automaton that counts paths",
            reading=Equality(recurrence=counting_forth, construction=matches),
            cases=RULES.random,
            theorem=in_coq(
                "without_deterministic_is_refuted",
                "(weighted {alpha_0:bool} {alpha_inf:bool} {T:bool} {over}) {word}",
                f"{BACKWARDS} (rev {{word}})",
            ),
        ),
    ),
    differences=(
        (
            "The mean is of the scores of each rule. The paper averages the vectors h_N, whose"
            " automata may have different states."
        ),
        "Both automata are deterministic over the vocabulary, which the paper does not state.",
        "In both directions BOS is read first. As printed, the reversed sentence ends in BOS.",
        "The networks are those of equation 4; factors, beta and the gates of equation 7 are left out.",
    ),
    example=RULES.of(2).example(),
    uses=("fa-rnn-beta-1",),
    effort=Effort(examples=25, strings=12, longest=8, run=10),
    misprints=(
        Misprint(
            printed="only BOS leaves s_0, and the wildcard matches any word (sections 2.1 and 3.5)",
            right=(
                "each sentence has one BOS, at its start, and only the transition from s_0 matches it:"
                " without BOS every score is 0, and with a wildcard that matches it `$ a` accepts BOS BOS a"
            ),
            test="proofs_tests/fa_rnn/test_bos.py",
        ),
    ),
)
