"""Tests that changes that preserve all scores preserve the results of ``equivalent``, ``score`` and
``convert``.
"""

import json
import math
import tempfile

from hypothesis import event
from hypothesis import strategies as st

from automata.batch import scores
from automata.equivalence import Different, equivalent
from automata.io import files
from automata.operations import reverse, trim
from automata.semirings import BOOLEAN, COUNTING, LOG, REAL
from automata.testing.strategies import automata, awkward_alphabets, semirings, strings
from automata.text.number_text import write_number
from proofs_tests.automata.commands import command
from proofs_tests.automata.examples import few_cases, some_cases
from proofs_tests.automata.same_scores import changed, connected, nudged, rename, renamed, reorder_symbols
from proofs_tests.automata.test_round_trips import exactly

DECIDED = (REAL, COUNTING, BOOLEAN)
LONGEST = 4
"""Maximum length of the strings of a search, for semirings without a complete decision procedure."""


@st.composite
def pairs(draw, epsilons=("none", "acyclic", "cyclic")):
    """Draw two automata over the same alphabet.

    The second is equivalent by construction, differs in one weight, or is unrelated.
    """
    k = draw(semirings())
    epsilon = draw(st.sampled_from(epsilons if k is not LOG else ["none"]))
    live = draw(st.integers(0, 7)) > 0  # otherwise any automaton: also without states, symbols or paths
    alphabet = draw(awkward_alphabets(2, encodable=True, least=2 * live))
    machines = automata(
        k, alphabet=alphabet, epsilon=epsilon, least_states=live, most_states=3, exact=draw(st.booleans())
    )
    if live:
        machines = machines.map(connected)
    one, kind = draw(machines), draw(st.sampled_from(["other", "nudged", "other", "same"]))
    if kind == "other":
        return kind, one, draw(machines)
    return kind, one, changed(draw, one if kind == "same" else nudged(draw, trim(one)), 2)


def difference(k, answer, names):
    """Return the difference that the command printed: the word in the new symbols, and the two scores."""
    if not isinstance(answer, Different):
        return None
    return [names[s] for s in answer.word], [
        write_number(w) if k is LOG else k.format(w) for w in answer.scores
    ]


def agree(before, after, decided):
    """Return whether two results agree; unknown agrees with any result if the search may stop early."""
    if before[:2] == after[:2]:
        return True
    if decided or "unknown" not in (before[0], after[0]):
        return False
    told, untold = (before, after) if after[0] == "unknown" else (after, before)
    return told[1] is None or untold[2] is None or len(told[1][0]) > untold[2]


@few_cases(pairs(), st.data())
def test_equivalent_answers_the_same_for_automata_with_the_same_scores(pair, data):
    kind, one, other = pair
    k, names = one.semiring, renamed(data.draw, one)
    answer = equivalent(one, other, longest=LONGEST)
    before = (answer.verdict, difference(k, answer, names), getattr(answer, "searched", None))
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/a.json", f"{folder}/b.json"]
        files.write(rename(changed(data.draw, one), names), paths[0])
        files.write(rename(reorder_symbols(data.draw, changed(data.draw, other)), names), paths[1])
        status, out, _ = command("equivalent", *paths, "--longest", str(LONGEST), "--json")
    output = json.loads(out)
    after = (
        output["verdict"],
        None if output["word"] is None else (output["word"], output["scores"]),
        output["searched"],
    )
    event(f"{kind}: {before[0]}, then {after[0]}")
    assert status == {"equivalent": 0, "different": 1, "unknown": 3}[after[0]]
    assert agree(before, after, k in DECIDED), (before, after)
    if kind == "same":
        assert "different" not in (before[0], after[0])


@some_cases(pairs())
def test_a_distinguishing_string_reversed_distinguishes_the_reversed_automata(pair):
    _, one, other = pair
    forth, back = (
        equivalent(one, other, longest=LONGEST),
        equivalent(reverse(one), reverse(other), longest=LONGEST),
    )
    if one.semiring in DECIDED:
        assert forth.verdict == back.verdict
    assert {forth.verdict, back.verdict} != {"equivalent", "different"}
    if isinstance(forth, Different) and isinstance(back, Different):
        assert len(forth.word) == len(back.word)
        if one.semiring is not LOG:  # sums round over this semiring
            assert (
                len({scores(exactly(side), [forth.word[::-1]])[0] for side in (reverse(one), reverse(other))})
                == 2
            )


@few_cases(pairs(), st.data())
def test_score_gives_the_same_scores_for_automata_with_the_same_scores(pair, data):
    _, one, _ = pair
    k, names, other = one.semiring, renamed(data.draw, one), changed(data.draw, one)
    several = data.draw(st.lists(strings(one.alphabet, longest=5, run=0), min_size=1, max_size=4))
    before = scores(exactly(one), several)
    with tempfile.TemporaryDirectory() as folder:
        files.write(rename(other, names), f"{folder}/a.json")
        written = [json.dumps([names[s] for s in x]) for x in several]
        status, out, _ = command("score", f"{folder}/a.json", "--lists", "--json", "--", *written)
    after = [k.parse(text) for text in json.loads(out)["scores"]]
    assert status == 0 and len(after) == len(before)
    for x, old, new in zip(several, before, after, strict=True):
        assert old == new or (k is LOG and abs(old - new) <= rounding(one, len(x)) + rounding(other, len(x)))


def rounding(automaton, length):
    """Return a bound on the error of a log score in any summation order (:class:`automata.semirings.Log`)."""
    weights = [
        abs(w)
        for part in (automaton.initial, automaton.final, automaton.matrices)
        for w in part.flat
        if math.isfinite(w)
    ]
    largest = (length + 2) * (max(weights, default=0) + math.log(automaton.states + 1)) + 1
    return (length + 2) * (automaton.states + 1) * (4 * largest + 4) * 2.0**-53
