"""Extraction of a DFA, by evaluating the cell or by counting transitions over data (Algorithm 1).

Evaluating the cell does not require data. Wang & Niepert 2019 describe the counts in two ways. In the text of
section 3.1, the network moves to its most probable centroid. In the pseudo-code of appendix D, it continues
with the mixture of centroids. Equations 2, 4 and 5 define the network.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Any

from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Source, holding, refuted
from theory.reading import Equality, Recurrence
from theory.signature import Sizes, constant
from theory.state_regularized.shared.limits import Table, dfa, most_probable, no_ties, transition_table
from theory.state_regularized.shared.mixtures import UnsettledMixture, start, step
from theory.state_regularized.shared.networks import (
    ANY,
    EXAMPLE,
    SIZES,
    SMALL,
    Vector,
    component,
    integers,
    similarities,
)
from theory.theorem import Theorem
from theory.weights import Weights

Run = Iterator[tuple[int, str, int]]
"""The labelled transitions of a run: source centroid, symbol, target centroid."""

# The reference network for the DFA moves to its most probable centroid after every symbol (section 3.1's
# text). The most probable centroid does not depend on the temperature, so without ties this is the limit
# network.


def moved(w: Weights, h: Vector, x: str) -> Vector:
    """Return the most probable centroid for the hidden state h and the symbol x."""
    return tuple(w.S[most_probable(similarities(w, component(w, h, x))) - 1])


def hard_step(w: Weights, state: Any, x: str) -> Any:
    """Return the state after symbol x; its mode is the hidden state, which is a centroid."""
    return moved(w, state[0], x), state[1]


def at_centroid(w: Weights, state: Any) -> tuple[Any, ...]:
    """Return a value for each centroid: one if it is the current hidden state, otherwise zero."""
    return tuple(state[1] if h == state[0] else w.over.zero for h in w.S)


hard_network = Recurrence(start=lambda w: (w.S[0], w.over.one), step=hard_step, out=at_centroid, modes=True)


# Algorithm 1: counts over data. The data are all strings of at most ``longest`` symbols.


def data(w: Weights) -> Iterator[str]:
    """Yield all strings of at most ``longest`` symbols."""
    for length in range(int(w.longest) + 1):
        yield from map("".join, product(w.alphabet, repeat=length))


def hard_run(w: Weights, string: str) -> Run:
    """Yield the transitions of a hard run, which moves to the most probable centroid at each symbol.

    Section 3.1 (the text) counts these transitions.
    """
    h = w.S[0]
    for x in string:
        after = moved(w, h, x)
        yield 1 + w.S.index(h), x, 1 + w.S.index(after)
        h = after


def soft_run(w: Weights, string: str) -> Run:
    """Yield the transitions of a soft run, which continues with the mixture of centroids (equation 5).

    The transitions lead from the most probable centroid before each symbol to that after it. Appendix D (the
    pseudo-code) counts them.
    """
    now = start(w)
    for x in string:
        after = step(w, now, x)
        yield now.label, x, after.label
        now = after


def without_reset(w: Weights) -> Run:
    """Yield the transitions of Algorithm 1 as printed, without a reset between strings.

    SR-RNN(s) is run once, before the loop over the strings, so the network continues from the
    previous string. Each string's first transition is still counted from c_0.
    """
    h = w.S[0]
    for string in data(w):
        label = 1
        for x in string:
            h = moved(w, h, x)
            yield label, x, 1 + w.S.index(h)
            label = 1 + w.S.index(h)


def counted(w: Weights, run: Any) -> Counter[tuple[int, str, int]]:
    """Return T, the count of each transition in the runs on all strings of the data.

    ``run`` starts again for each string.
    """
    return Counter(transition for string in data(w) for transition in run(w, string))


def by_counts(w: Weights, run: Any) -> Table:
    """Return the transition function delta(i, x) = argmax_j T[i, x, j], with T from :func:`counted`."""
    return most_counted(w, counted(w, run))


def most_counted(w: Weights, counts: Counter[tuple[int, str, int]]) -> Table:
    """Return delta(i, x) = argmax_j T[i, x, j] for each centroid i and symbol x, with T = ``counts``.

    If several counts are the greatest, the result is the first of these centroids. For a pair (i, x) without
    counts, it is centroid 1.
    """
    states = range(1, w.n + 1)
    return {(q, x): max(states, key=lambda j: (counts[q, x, j], -j)) for q in states for x in w.alphabet}


def seen(w: Weights, run: Any) -> Table:
    """Return the transition table from the counts, only for pairs of state and symbol that were counted."""
    return only_counted(w, counted(w, run))


def only_counted(w: Weights, counts: Counter[tuple[int, str, int]]) -> Table:
    """Return the transition table of :func:`most_counted`, only for pairs that were counted."""
    pairs = {(q, x) for q, x, _ in counts}
    return {pair: after for pair, after in most_counted(w, counts).items() if pair in pairs}


def printed_soft(w: Weights) -> Table:
    """Return the transition table from the counts of soft runs, as printed in appendix D.

    A pair of state and symbol without counts has the transition that the cell computes. Such a pair therefore
    cannot make this table differ from the correct one.
    """
    return transition_table(w) | seen(w, soft_run)


def printed_without_reset(w: Weights) -> Table:
    """Return the transition table from the counts of hard runs without a reset between strings.

    A pair of state and symbol without counts has the transition that the cell computes. Algorithm 1 sets
    T[c_i, x_t, c_j] to zero in a loop over x; this is read as T[c_i, x, c_j], because t belongs to another
    loop.
    """
    return transition_table(w) | only_counted(w, Counter(without_reset(w)))


# The network restricted to the data: a run has no output after a pair that does not occur in the data. A hard
# run of n symbols takes its last pair from a state that it reaches with n - 1 symbols. A pair is therefore
# seen if and only if its state is reached within longest - 1 symbols.


@lru_cache(maxsize=256)
def within(w: Weights) -> frozenset[Vector]:
    """Return the centroids that hard runs reach with fewer than ``longest`` symbols."""
    reached, edge = {w.S[0]} if w.longest else set(), {w.S[0]}
    for _ in range(int(w.longest) - 1):
        edge = {moved(w, h, x) for h in edge for x in w.alphabet}
        reached |= edge
    return frozenset(reached)


def covered_step(w: Weights, state: Any, x: str) -> Any:
    """Return the state after symbol x in a hard run.

    After a pair of state and symbol that the data do not contain, the hidden state is ``None`` forever.
    """
    return hard_step(w, state, x) if state[0] is not None and state[0] in within(w) else (None, state[1])


covered_network = Recurrence(
    start=lambda w: (w.S[0], w.over.one), step=covered_step, out=at_centroid, modes=True
)


def settled(w: Weights) -> bool:
    """Return whether there are no ties, and the most probable centroid is always unique in soft runs."""
    try:
        return no_ties(w) and all(True for string in data(w) for _ in soft_run(w, string))
    except UnsettledMixture:
        return False


# The cases: integer networks without ties, and the maximum length of the data's strings.


def cases(
    longest: tuple[int, ...] = (1, 2, 3),
    where: Any = no_ties,
    m: tuple[int, ...] = (1, 2, 3),
    small: Any = (SMALL, 80, ((2, 1), (3, 1), (2, 2))),
    some: Any = SIZES,
) -> dict[str, Any]:
    """Return a variant's ``cases`` and ``small_cases``: random and small networks.

    If ``longest`` is not empty, the maximum length of the data's strings is one of its numbers, and is part
    of the weights.
    """
    more = (constant("longest", only=longest),) if longest else ()
    values, most, small_sizes = small
    few = Sizes(lambda s: integers(s, values, m[:1], more, where, most), (), small_sizes)
    random = Sizes(lambda s: integers(s, ANY, m, more, where), some, ())
    return {"cases": random.random, "small_cases": few.small}


def automata(table: Any) -> Any:
    """Return a function from the weights to the DFA whose transition function is ``table(w)``."""

    def construction(w: Weights) -> list[WFSA]:
        return dfa(w, table)

    return construction


IN_COQ = "(network_of (S := place {V}) {eq} {m} {S} {U} {W:finite})"
"""The network as Coq terms."""
DISTINCT = "(S : finite) n d (N : network S n d) (longest : nat) letters unit, distinct N ->"
HARD_RUN = (
    "is_at rationals (centroid {N}) (Some (hard_run (centroid {N}) (most_probable {N}) {letters})) {unit}"
)


def in_coq(name: str, table: str) -> Theorem:
    """Return the Coq theorem of this name about hard runs and the DFA with the transitions ``table``."""
    equal = f"forall {DISTINCT} {{automaton}} = {{network}}"
    refuted = f"not (forall {DISTINCT} no_ties N -> {{automaton}} = {{network}})"
    return Theorem(
        f"state_regularized.extraction.{name}",
        claims=refuted if name.endswith("_is_refuted") else equal,
        network=HARD_RUN,
        score=f"{{score}} (dfa rationals ({table}) {{unit}}) {{letters}}",
        values=by_letters,
    )


def by_letters(w: Weights) -> dict[str, Any]:
    """Return the values of the placeholders in Coq terms, for a network over a finite alphabet."""
    longest = {"longest": int(w.longest)} if "longest" in w.entries else {}
    return {**w.entries, **longest, "V": len(w.alphabet), "N": IN_COQ}


COUNTED = {
    "cross-checked": "the network is represented by a table of counts, whose scores OpenFst does not compute"
}

CLAIM = Claim(
    name="extraction",
    title="extracting the DFA",
    statement=(
        "If there is no tie, evaluating the cell at every centroid for every symbol gives the transition"
        " function of a DFA, and the network becomes this DFA as the temperature tends to 0."
    ),
    source=Source("wang2019state", "3.1", "Algorithm 1", ("2", "4", "5")),
    hypotheses=(
        (
            "There is no tie for any reachable state and symbol, the network starts at a centroid, and the"
            " centroids are distinct."
        ),
        (
            "The cell is evaluated for every reachable pair of a state and a symbol. Counts over data cover"
            " only the pairs that occur in the data."
        ),
        (
            "The theorem of the variant corrected states that evaluating the cell gives the table of the"
            " moved network, which is close to a definition. The theorems about counts state more."
        ),
        (
            "For counts, the network is moved to its most probable centroid after each symbol, as in"
            " section 3.1, and does not continue with its mixture, as in the pseudo-code of appendix D."
        ),
    ),
    variants=(
        holding(
            name="corrected",
            programs=("sr-asked",),
            says="the table from evaluating the cell",
            reading=Equality(recurrence=hard_network, construction=automata(transition_table)),
            theorem=in_coq("extraction", "asked (centroid {N}) (most_probable {N})"),
            **cases(()),
        ),
        holding(
            name="corrected-seen-pairs",
            programs=("sr-counted",),
            says=(
                "counts of hard runs, for the pairs that occur in the data; other pairs have no transition,"
                " and there the network has no output"
            ),
            reading=Equality(recurrence=covered_network, construction=automata(lambda w: seen(w, hard_run))),
            theorem=Theorem(
                "state_regularized.extraction.extraction_seen_pairs",
                claims=f"forall {DISTINCT} {{automaton}} = {{network}}",
                network=(
                    "is_at rationals (centroid {N})"
                    " (covered_run (centroid {N}) (most_probable {N}) {longest} {letters}) {unit}"
                ),
                score=(
                    "{score} (seen_dfa rationals (centroid {N}) (most_probable {N})"
                    " {longest} {unit}) {letters}"
                ),
                values=by_letters,
            ),
            **cases(),
        ),
        refuted(
            name="printed-hard-run",
            without=COUNTED,
            says=(
                "counts of hard runs over data; the first of equal counts is used, so a pair that never"
                " occurs leads to the first centroid"
            ),
            reading=Equality(
                recurrence=hard_network, construction=automata(lambda w: by_counts(w, hard_run))
            ),
            theorem=in_coq(
                "printed_hard_run_is_refuted", "by_counts (centroid {N}) (most_probable {N}) {longest}"
            ),
            kinds=("sampled", "exhausted", "decided"),
            **cases((1, 2), m=(1,)),
        ),
        refuted(
            name="printed-soft-run",
            without={
                "cross-checked": ("the mixture is irrational: OpenFst's floats would round both sides"),
                "decided": (
                    "the counts are those of a mixture's labels, in ball arithmetic, for data of one length"
                ),
                "kernel-checked": "the numbers of the counterexample are exponentials of irrational mixtures",
            },
            says=(
                "counts of soft runs, which continue with their mixture, at temperature 1 / ln 2; for pairs"
                " that never occur, the cell is evaluated"
            ),
            reading=Equality(recurrence=hard_network, construction=automata(printed_soft)),
            kinds=("sampled", "exhausted"),
            effort=Effort(strings=20, longest=8, run=8, letters=1),
            **cases((3,), settled, (1,), ((*SMALL, 2, -2), 1500, ((2, 1),)), ((3, 1), (4, 1), (4, 2))),
        ),
        refuted(
            name="printed-without-reset",
            without=COUNTED,
            says=(
                "counts of hard runs over data as in Algorithm 1, which does not reset the network or c_0"
                " between strings; for pairs that never occur, the cell is evaluated"
            ),
            reading=Equality(recurrence=hard_network, construction=automata(printed_without_reset)),
            theorem=in_coq(
                "printed_without_reset_is_refuted",
                "by_counts_without_reset (centroid {N}) (most_probable {N}) {longest}",
            ),
            kinds=("sampled", "exhausted", "decided"),
            effort=Effort(examples=100, strings=12, longest=4, run=0),
            **cases((1, 2), m=(1,), some=((3, 1), (4, 1))),
        ),
    ),
    differences=(
        (
            "The cell is evaluated for every centroid and symbol. Algorithm 1 counts transitions over"
            " data. For pairs that do not occur, it gives no transition, or the transition to the"
            " first centroid."
        ),
        (
            "The network is moved to the most probable centroid after each symbol, as in section 3.1;"
            " the pseudo-code of appendix D continues with the mixture."
        ),
        "The network is reset before each string; Algorithm 1 does not reset it.",
        (
            "For each reachable state and symbol, the greatest similarity is unique, and the network"
            " starts at a centroid. The paper does not state this."
        ),
        (
            "The final states of the DFA are not part of the statement. In exact arithmetic, the"
            " network has integer weights and the activation hardtanh."
        ),
    ),
    example=EXAMPLE,
    uses=("theorem-3.2",),
    effort=Effort(examples={"cross-checked": 40, "decided": 40}, strings=20, longest=8, run=8),
)
