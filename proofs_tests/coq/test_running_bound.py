"""Tests that the running error bound of sampled comparisons equals the bound that Coq proves."""

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from automata.rounding.bounds import prefix_bounds
from automata.rounding.formats import FLOAT32, FLOAT64, Format
from automata.rounding.steps import RealSteps, StackedAutomata
from automata.semirings import REAL
from automata.wfsa import WFSA
from proofs_tests.coq.conftest import run_definitions

FORMATS = {"binary32": (FLOAT32, "(-24)", "(-126)", "128"), "binary64": (FLOAT64, "(-53)", "(-1022)", "1024")}
WORDS = {"binary32": {"": 3, "a": 3, "ab": 2}, "binary64": {"a": 2}}
"""For each format, the words and the maximum number of states of the automata that read them. Coq does not
reduce fractions, so three states take seconds.
"""
HEADING = """\
From Coq Require Import ZArith QArith List.
Import ListNotations running_bound ieee754.
Open Scope Q_scope.
Definition parts (v : number) := [Qnum (fst v); Z.pos (Qden (fst v)); Qnum (snd v); Z.pos (Qden (snd v))].
"""
SCORE = """
Eval vm_compute in option_map parts (score (power {u}) (power {tiny}) (power {largest})
  {initial}
  {final}
  {word}).
"""


def automaton(seed: int, most: int) -> WFSA:
    """Return an automaton of at most this many states, with weights 0, 1 and -1, floats, and fractions.

    Some of the fractions are near 1.
    """
    rng = np.random.default_rng(seed)
    states = int(rng.integers(1, most + 1))

    def weights(*shape: int) -> Any:
        if not shape:
            fraction = Fraction(int(rng.integers(-40, 40)), int(rng.integers(1, 30)))
            kinds = [0, 1, -1, Fraction(float(rng.normal())), 1 - Fraction(1, 2**60), fraction]
            return kinds[rng.integers(len(kinds))]
        return [weights(*shape[1:]) for _ in range(shape[0])]

    letters = {symbol: weights(states, states) for symbol in "ab"}
    return WFSA(REAL, weights(states), weights(states), letters)


def fraction(value: object) -> str:
    number = Fraction(value)  # type: ignore[arg-type]
    return f"({number.numerator} # {number.denominator})"


def vector(weights: object, slack: object) -> str:
    pairs = zip(weights, slack, strict=True)  # type: ignore[call-overload]
    return f"[{'; '.join(f'({fraction(w)}, {fraction(s)})' for w, s in pairs)}]"


def query(a: WFSA, word: str, kind: str) -> str:
    computed_in, u, tiny, largest = FORMATS[kind]
    run = RealSteps(StackedAutomata.of([a], [a]), computed_in, None)
    matrices = []
    for symbol in word:
        rows, slack = (part[a.index[symbol]] for part in (a.matrices, run.matrices.slack))
        matrices.append(f"[{'; '.join(map(vector, rows.T, slack.T))}]")
    return SCORE.format(
        u=u,
        tiny=tiny,
        largest=largest,
        initial=vector(a.initial, run.initial_slack[0]),
        final=vector(a.final, run.final.slack[0, :, 0]),
        word=f"[{'; '.join(matrices)}]",
    )


@pytest.mark.parametrize("kind", FORMATS)
def test_the_running_bound_is_the_proved_one(theory, kind):
    """Python's bound, which is rounded upwards, is at least Coq's, and larger by at most 2^-30 of it."""
    cases = [(automaton(seed, most), word) for seed in range(8) for word, most in WORDS[kind].items()]
    text = HEADING + "".join(query(a, word, kind) for a, word in cases)
    output = re.findall(r"= Some\s+\[(.*?)\]", run_definitions(text, theory), re.DOTALL)
    assert len(output) == len(cases)
    computed_in: Format = FORMATS[kind][0]
    positive = 0
    for (a, word), text in zip(cases, output, strict=True):
        parts = [int(part) for part in re.sub(r"[()\s]|%Z", "", text).split(";")]
        value, proved = Fraction(*parts[:2]), Fraction(*parts[2:])
        scores, bounds = prefix_bounds(a, word, computed_in)
        assert value == scores[-1]
        assert proved <= Fraction(bounds[-1]) <= proved * (1 + Fraction(1, 2**30))
        positive += proved > 0
    assert positive > len(cases) / 2
