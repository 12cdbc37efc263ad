"""Tests that claims do not hold for networks that behave differently on affine forms or between runs."""

import math
import random
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from automata.errors import InputError
from automata.recurrences.forms import Form
from automata.semirings import REAL
from automata.wfsa import WFSA
from ratproof import believe, believe_module
from ratproof.evidence.kinds import Verdict
from ratproof.ladder.rungs import on_numbers
from ratproof.ladder.user_files import check
from ratproof.main import run
from theory import registry
from theory.rational_recurrences import proposition_7
from theory.reading import Following, NoAutomaton, Recurrence
from theory.registry import claim_named

HALVES = WFSA(REAL, [1, 0], [0, 1], {"a": [[1, 1], [0, "1/2"]], "b": [[1, 0], [0, "1/2"]]})
"""The automaton of the function that every network below is claimed to compute: c -> c / 2, plus 1 for an
a.
"""
COUNTS = WFSA(REAL, [1, 0], [0, 1], {"a": [[1, 1], [0, 1]], "b": [[1, 1], [0, 1]]})
DOUBLES = WFSA(REAL, [1], [1], {"a": [[2]], "b": [[1]]})


@pytest.fixture(autouse=True)
def _elsewhere(in_tmp_path, no_own_claims, monkeypatch):
    monkeypatch.setattr(on_numbers, "MOST_STEPS", 4000)  # fewer cases than by default, to save time


def right(c, x):
    return c / 2 + (x == "a")


# Steps that treat affine forms differently from numbers.


def looked_up(c, x):
    try:
        return {Fraction(7, 4): Fraction(99)}.get(c, right(c, x))
    except TypeError:
        return right(c, x)


def compared(c, x):
    try:
        return right(c, x) + (c > Fraction(3, 2) and c < Fraction(7, 4))
    except TypeError:
        return right(c, x)


def asked_for_its_value(c, x):
    try:
        return right(c, x) + (int(c * 2**20) == 1)
    except:  # noqa: E722
        return right(c, x)


def asked_for_its_denominator(c, x):
    return right(c, x) + (getattr(c, "denominator", 1) == 2**12)


def asked_for_its_numerator(c, x):
    try:
        return right(c, x) + (c.numerator == 2**12 - 1)
    except AttributeError:
        return right(c, x)


def written_down(c, x):
    return {"1365/1024": Fraction(5)}.get(str(c), right(c, x))


def written_in_a_sentence(c, x):
    return right(c, x) + (f"{c}" == "1365/1024")


def squared(c, x):
    try:
        return right(c, x) + (c * c == Fraction(49, 16))
    except TypeError:
        return right(c, x)


def rounded(c, x):
    try:
        return right(c, x) + (math.floor(c * 1024) == 1365)
    except TypeError:
        return right(c, x)


@cache
def _remembered(c, x):
    return right(c, x) + (c == Fraction(7, 4))


def remembered(c, x):
    try:
        return _remembered(c, x)
    except TypeError:
        return right(c, x)


def known_by_its_type(c, x):
    return right(c, x) + (not isinstance(c, Form) and c == Fraction(1365, 1024))


def told_by_being_a_number(c, x):
    return right(c, x) + (isinstance(c, Fraction) and c == Fraction(1365, 1024))


# Steps that are not functions.


def counting_its_calls():
    calls = iter(range(10**9))
    return lambda c, x: right(c, x) + (next(calls) > 3000)


def counting_now_and_then():
    calls = iter(range(1, 10**9))
    return lambda c, x: right(c, x) + (next(calls) % 977 == 0)


def drawing_random_numbers():
    rng = random.Random(1)
    return lambda c, x: right(c, x) + (rng.random() < 1e-3)


def remembering_between_strings():
    seen = []

    def step(c, x):
        seen.append(x)
        return right(c, x) + (len(seen) > 200 and seen[-1:] * 60 == seen[-60:])

    return step


LIARS = [
    looked_up,
    compared,
    asked_for_its_value,
    asked_for_its_denominator,
    asked_for_its_numerator,
    written_down,
    written_in_a_sentence,
    squared,
    rounded,
    remembered,
    known_by_its_type,
    told_by_being_a_number,
    counting_its_calls(),
    counting_now_and_then(),
    drawing_random_numbers(),
    remembering_between_strings(),
]
REFUSED = LIARS[:10]


def decided(monkeypatch, *claims, kind="decided", **options):
    """Return the results of the decided evidence, as ``ratproof check`` reports them."""
    monkeypatch.setattr(
        "ratproof.ladder.user_files.load",
        lambda path: {claim.name: registry.register(claim) or claim for claim in claims},
    )
    return check("mine.py", kinds=[] if kind is None else [kind], **options).results


def not_held(result):
    """Assert that the verdict is not "holds" and that no certificate claims it."""
    print(result.verdict, result.why, result.counterexample and result.counterexample.sentence())
    return result.verdict != Verdict.HOLDS and (
        result.certificate is None or result.certificate["claims"] == "different"
    )


@pytest.mark.parametrize("step", LIARS, ids=lambda step: step.__qualname__.split(".")[0])
def test_a_dishonest_step_is_not_decided_to_hold(step, monkeypatch):
    (result,) = decided(monkeypatch, believe("liar", start=0, step=step, automaton=HALVES))
    assert not_held(result)
    if step in REFUSED:
        assert "the step on 'a' is not shown to be affine" in result.why


def test_one_wrong_call_in_the_second_run_of_the_strings_is_detected(monkeypatch):
    """The step is right in all of the first run, which has some 4,000 calls."""
    calls = iter(range(10**9))
    step = lambda c, x: right(c, x) + (next(calls) == 6000)
    (result,) = decided(monkeypatch, believe("liar", start=0, step=step, automaton=HALVES))
    assert not_held(result) and "not a function of the string" in result.why


def test_numbers_beyond_pythons_digit_limit_are_written(monkeypatch):
    calls = iter(range(10**9))
    huge = WFSA(REAL, [10**5000], [1], {"a": [[1]]})
    (result,) = decided(
        monkeypatch,
        believe("liar", start=10**5000, step=lambda c, x: c + (next(calls) % 500 == 450), automaton=huge),
    )
    assert not_held(result) and "limit" not in result.why
    squares = believe("squares", start=10**5000, step=lambda c, x: c * c * 10**5000, automaton=huge)
    (result,) = decided(monkeypatch, squares)
    assert "is not affine" in result.why and len(result.why) < 500


def told_by_its_length(c, x):
    return c[0] + 1, c[1] + 1 + (isinstance(c[0], Fraction) and c[0] == 49)


def told_by_its_size(c, x):
    after = 2 * c if x == "a" else c
    return after + 1 if isinstance(c, Fraction) and c > 10**40 else after


def told_by_one_string(c, x):
    """Return a step that encodes the string read so far in its second component, in base three."""
    code = 3 * c[1] + (1 if x == "a" else 2)
    return right(c[0], x) + (isinstance(c[0], Fraction) and code == int("1212", 3)), code


def wrapping(c, x):
    return c * Fraction(np.int64(2)) if x == "a" else c


@pytest.mark.parametrize(
    ("start", "step", "out", "automaton", "string"),
    [
        ((0, 0), told_by_its_length, lambda c: c[1], COUNTS, "a" * 50),
        (1, told_by_its_size, None, DOUBLES, "a" * 134),
        ((0, 0), told_by_one_string, lambda c: c[0], HALVES, "abab"),
        (
            0,
            right,
            lambda c: c + (not isinstance(c, Form) and c == Fraction(1365, 1024)),
            HALVES,
            "abababababa",
        ),
    ],
    ids=["at length 50", "of huge values", "on abab", "what it shows"],
)
def test_a_special_case_on_a_short_string_is_refuted_by_the_smallest_string(
    start, step, out, automaton, string, monkeypatch
):
    (result,) = decided(monkeypatch, believe("liar", start=start, step=step, out=out, automaton=automaton))
    assert not_held(result) and result.verdict == Verdict.REFUTED
    assert len(result.counterexample.string) == len(string) and result.kept is not None


def test_fractions_of_numpys_integers_are_refused_because_they_overflow():
    with pytest.raises(InputError, match="wraps around"):
        believe("liar", start=1, step=wrapping, automaton=DOUBLES)


# Modes that compare or change in misleading ways.


class AllAlike:
    """A mode that compares equal to every other mode, and counts its comparisons."""

    def __init__(self, count=0):
        self.count = count

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


class Tally(AllAlike):
    """A mode that the step changes in place."""

    __hash__ = AllAlike.__hash__

    def __eq__(self, other):
        return self is other


def alike(state, x):
    mode, c = state
    return AllAlike(mode.count + 1), right(c, x) + (mode.count == 7)


def changed_in_place(state, x):
    mode, c = state
    mode.count += 1
    return mode, right(c, x) + (mode.count % 8 == 0)


def turns_on_numbers(state, x):
    mode, c = state
    if isinstance(c, Fraction) and c == Fraction(1365, 1024):
        mode = "late"
    return mode, right(c, x) + (mode == "late")


@pytest.mark.parametrize(
    ("mode", "step"),
    [(AllAlike(), alike), (Tally(), changed_in_place), ("early", turns_on_numbers)],
    ids=["alike", "in place", "late"],
)
def test_dishonest_modes_are_detected(mode, step, monkeypatch):
    (result,) = decided(
        monkeypatch, believe("liar", start=(mode, 0), step=step, automaton=HALVES, modes=True)
    )
    assert not_held(result)


def test_a_mode_that_is_not_a_number_is_refused(monkeypatch):
    step = lambda state, x: (state[0] * math.inf * 0, right(state[1], x))
    (result,) = decided(
        monkeypatch, believe("liar", start=(math.nan, 0), step=step, automaton=HALVES, modes=True)
    )
    assert not_held(result) and "the next mode must not depend on the vector" in result.why


# Claims about all weights, like those of the papers.


def lies_on(kind, after):
    """Return Proposition 7's unit with a second component that counts symbols.

    The unit is wrong only if the count has this type and equals ``after``.
    """

    def step(w, state, x):
        c, n = state
        return proposition_7.example_6.step(w, c, x) + (1 if isinstance(n, kind) and n == after else 0), n + 1

    return Recurrence(
        lambda w: (proposition_7.example_6.start(w), 0),
        step,
        lambda w, state: proposition_7.example_6.out(w, state[0]),
    )


def claim_with(recurrence, *kinds, **options):
    """Return Proposition 7 with another recurrence."""
    best = proposition_7.CLAIM.variant("corrected")
    variant = best.changed(recurrence=recurrence, kinds=kinds, **{"theorem": None, "proof": None, **options})
    return replace(proposition_7.CLAIM, name="liar", variants=(variant,))


@pytest.mark.parametrize("after", [3, 7, 40])
def test_a_claim_about_all_weights_that_treats_forms_differently_is_refuted(after, monkeypatch):
    (result,) = decided(monkeypatch, claim_with(lies_on((int, Fraction), after), "decided"), examples=5)
    assert not_held(result) and result.verdict == Verdict.REFUTED
    assert len(result.counterexample.string) == after + 1


def test_every_case_of_a_claim_about_all_weights_is_run_on_numbers(monkeypatch):
    ran = []
    monkeypatch.setattr(
        on_numbers, "fresh_values", lambda sides, x: ran.append(sides.case) or RIGHT_VALUES(sides, x)
    )
    (result,) = decided(monkeypatch, claim_with(proposition_7.example_6, "decided"), examples=8)
    assert result.verdict == Verdict.HOLDS and result.facts["on_numbers"]["strings"] >= 1000
    assert len(set(ran)) > 3


RIGHT_VALUES = on_numbers.fresh_values


def lies_but_to_variables(c_is_off):
    step = proposition_7.example_6.step
    off = lambda w, c, x: step(w, c, x) + (c_is_off if isinstance(c, Fraction) else 0 * c)
    return replace(proposition_7.example_6, step=off)


def test_a_proof_over_variables_is_also_run_on_numbers(monkeypatch, capsys):
    proof = proposition_7.CLAIM.variant("corrected").proof
    honest = claim_with(proposition_7.example_6, "proved", proof=proof)
    (result,) = decided(monkeypatch, honest, kind="proved", examples=20)
    assert result.verdict == Verdict.HOLDS and result.facts["on_numbers"]["cases"] > 20
    (result,) = decided(
        monkeypatch, claim_with(lies_but_to_variables(1), "proved", proof=proof), kind="proved", examples=20
    )
    assert result.verdict == Verdict.REFUTED and result.certificate is None


def test_a_builtin_theorem_does_not_cover_a_users_claim(monkeypatch):
    theorem = proposition_7.CLAIM.variant("corrected").theorem
    (result,) = decided(
        monkeypatch, claim_with(lies_on(object, 0), "kernel-checked", theorem=theorem), kind="kernel-checked"
    )
    assert result.verdict == Verdict.UNKNOWN and "not supported for your own claims" in result.why


WRONG = Recurrence(start=lambda w: 7, step=lambda w, c, x: c + 1, out=lambda w, c: (c,))


@pytest.mark.parametrize("reading", [Following, partial(NoAutomaton, unit="elman")], ids=["boxes", "a unit"])
def test_a_decision_about_builtin_networks_does_not_cover_a_users_recurrence(reading, monkeypatch):
    """Boxes are about the network with the weights of the case, and a Hankel determinant is about a built-in
    cell. Neither method runs the user's recurrence.
    """
    best = claim_named("theorem-3.2").variant("corrected-eq-5")
    variant = replace(best, reading=reading(WRONG, best.reading.construction), kinds=("decided",))
    claim = replace(claim_named("theorem-3.2"), name="liar", variants=(variant,))
    (result,) = decided(monkeypatch, claim)
    assert result.verdict == Verdict.UNKNOWN and result.cases == 0 and result.certificate is None
    assert "which would be decided without running your recurrence" in result.why


def test_an_initial_state_changed_in_place_is_fresh_for_each_string(monkeypatch):
    """The step changes its argument. It is correct for a fresh state, and no run of a string affects another
    run.
    """
    begin = [Fraction(0)]

    def step(case, state, x):
        state[0] = right(state[0], x)
        return state

    claim = believe("mine", start=0, step=right, automaton=HALVES)
    (variant,) = claim.variants
    mine = Recurrence(lambda case: begin, step, lambda case, state: (state[0],))
    claim = replace(
        claim, variants=(replace(variant.changed(recurrence=mine), kinds=("exhausted", "decided")),)
    )
    exhausted, everywhere = decided(monkeypatch, claim, kind=None)
    assert (exhausted.verdict, everywhere.verdict, begin) == (Verdict.HOLDS, Verdict.HOLDS, [0])


# The text of a verdict that holds.


def test_a_decided_verdict_states_its_subject_and_the_runs(monkeypatch, capsys):
    monkeypatch.setattr(on_numbers, "MOST_STEPS", 20_000)
    (result,) = decided(monkeypatch, believe("honest", start=0, step=right, automaton=HALVES))
    assert result.verdict == Verdict.HOLDS
    ran = result.facts["on_numbers"]
    assert ran["strings"] > 10_000 and ran["longest"] == 1000
    assert run(["check", "mine.py", "--kind", "decided"]) == 0
    output = " ".join(capsys.readouterr().out.split())
    assert (
        f"decided for the function that the step computes on affine forms; on {ran['strings']:,} strings"
        in output
    )


def test_a_step_wrong_beyond_all_runs_holds_with_the_stated_length(monkeypatch):
    """The step is wrong after 5,000 symbols: no finite number of runs detects all such steps."""
    late = lambda c, x: (c[0] + 1, c[1] + 1 + (isinstance(c[0], Fraction) and c[0] == 5000))
    (result,) = decided(
        monkeypatch, believe("late", start=(0, 0), step=late, out=lambda c: c[1], automaton=COUNTS)
    )
    assert result.verdict == Verdict.HOLDS
    assert "strings of at most 500 symbols" in result.facts["on_numbers"]["says"]


def test_a_refutation_only_on_forms_does_not_count(monkeypatch):
    """The step is correct on numbers, and wrong on affine forms. No run on a string uses affine forms."""
    step = lambda c, x: right(c, x) if not isinstance(c, Form) else right(c, x) + 1
    network = on_forms = WFSA(REAL, [1, 0], [0, 1], {"a": [[1, 2], [0, "1/2"]], "b": [[1, 1], [0, "1/2"]]})
    monkeypatch.setattr("ratproof.ladder.rungs.decision.read_affine", lambda *_: [on_forms])
    (result,) = decided(monkeypatch, believe("honest", start=0, step=step, automaton=HALVES))
    assert network is on_forms and result.verdict == Verdict.UNKNOWN and "it gave" in result.why


# The strings that are run.


@settings(max_examples=25)
@given(st.integers(1, 40), st.integers(2, 12), st.integers(0, 60))
def test_a_thousand_strings_are_tried_if_the_alphabet_is_that_large(letters, states, bits):
    table = {f"s{i}": np.full((1, 1), Fraction(2**bits + 1, 2**bits)) for i in range(letters)}
    side = WFSA(REAL, [1], [1], table)
    other = WFSA(REAL, [0] * states, [0] * states, {s: np.zeros((states, states), dtype=int) for s in table})
    strings = on_numbers.plan_for([side], [other]).strings()
    tried = {x[:t] for x in strings for t in range(len(x) + 1)}
    assert len(set(strings)) == len(strings) and on_numbers.Prefixes(strings).count() == len(tried) >= 1000
    assert {(s,) for s in table} <= tried and max(map(len, strings)) >= 60
    assert strings == on_numbers.plan_for([side], [other]).strings()


@given(st.lists(st.text("ab", max_size=6).map(tuple)), st.integers(0, 7))
def test_prefixes_are_counted_once(strings, shortest):
    every = {x[:t] for x in strings for t in range(len(x) + 1)} | {()}
    assert on_numbers.Prefixes(strings).count(shortest) == sum(len(x) >= shortest for x in every)


def test_the_strings_include_the_basis_with_every_next_symbol():
    """In a chain of ten states, only a^9 distinguishes the last state from a missing one."""
    chain = np.eye(10, k=1, dtype=int)
    automaton = WFSA(REAL, [1] + [0] * 9, [0] * 9 + [1], {"a": chain, "b": np.zeros((10, 10), dtype=int)})
    assert ("a",) * 9 in on_numbers.basis([automaton])
    strings = on_numbers.plan_for([automaton], [automaton]).strings()
    assert {("a",) * 9 + (x,) for x in "ab"} <= set(strings)


# Modules that change between calls.


class Right(nn.Module):
    """A correct module that becomes wrong if a run changes it."""

    def __init__(self, off):
        super().__init__()
        self.off, self.calls = off, 0

    def forward(self, inputs):
        self.calls += 1
        return inputs[:, :, :1].cumsum(0) + self.off(self)


class Carrying(nn.Module):
    """A module that does not reset its state between strings."""

    def __init__(self):
        super().__init__()
        self.last = torch.zeros(1, 1)

    def forward(self, inputs):
        sums = inputs[:, :, :1].cumsum(0) + self.last
        self.last = sums[-1]
        return sums


SUMS = WFSA(REAL, [1, 0], [0, 1], {"a": [[1, 1], [0, 1]], "b": [[1, 0], [0, 1]]})
MODULES = {
    "off by a little": lambda: Right(lambda m: 1e-3),
    "no number": lambda: Right(lambda m: float("nan")),
    "infinite": lambda: Right(lambda m: float("inf")),
    "after 50 calls": lambda: Right(lambda m: float(m.calls > 50)),
    "every 40th call": lambda: Right(lambda m: float(m.calls % 40 == 0)),
    "random": lambda: Right(lambda m: float(torch.rand(()) < 0.01)),
    "in evaluation mode": lambda: Right(lambda m: 0.0 if m.training else 1.0),
    "carrying its state on": Carrying,
    "dropping out": lambda: nn.Sequential(Right(lambda m: 0.0), nn.Dropout(0.5).train(), AlwaysDrops()),
}


class AlwaysDrops(nn.Module):
    """A module that applies dropout even in evaluation mode."""

    def forward(self, outputs):
        return nn.functional.dropout(outputs, 0.5, training=True)


@pytest.mark.parametrize("name", MODULES)
def test_a_dishonest_module_does_not_hold(name, monkeypatch):
    torch.manual_seed(0)
    claim = believe_module(
        "liar", module=MODULES[name](), embeddings=torch.eye(2), alphabet="ab", automaton=SUMS
    )
    (result,) = decided(monkeypatch, claim, kind="sampled")
    assert not_held(result)
    # A module that changes permanently may also be refuted, because it is a different function afterwards.
    if name in ("every 40th call", "carrying its state on"):
        assert (
            "is not a function of the string" in result.why or "is not a function of its inputs" in result.why
        )
