"""Tests that Coq's enclosures of exp, the sigmoid and tanh contain the values and are narrow."""

import re
from fractions import Fraction

import flint
import pytest
from flint import arb, fmpq

from proofs_tests.coq.conftest import compiled_theory, run_definitions
from ratproof.coq import reals

FUNCTIONS = {"exponential": arb.exp, "sigmoid_of": lambda x: 1 / (1 + (-x).exp()), "tanh_of": arb.tanh}
STEPS = [Fraction(1, 64), Fraction(1, 4096), Fraction(1, 1 << 12), Fraction(1), Fraction(64)]
ARGUMENTS = sorted(
    {Fraction(0), Fraction(-1, 3), Fraction(-63 * 64 - 63, 64), Fraction(-200), Fraction(-41, 7)}
    | {-step + off for step in STEPS for off in (-Fraction(1, 1 << 20), 0, Fraction(1, 1 << 20))}
)


@pytest.mark.parametrize("bits", [12, 40, 48, 64])
def test_enclosures_contain_the_values_and_are_narrow(tmp_path_factory, bits):
    theory = compiled_theory(reals.BOXES, tmp_path_factory.mktemp("functions"))
    numbers = [int(x * 2**bits) for x in ARGUMENTS]
    file = theory / "values.v"
    points = f"[{'; '.join(map(str, numbers))}]%Z"
    commands = (
        f"Eval vm_compute in map (fun n => {name} {bits} (intervals.point n)) {points}." for name in FUNCTIONS
    )
    file.write_text(
        "Require Import inlined. From Coq Require Import List ZArith. Import ListNotations functions.\n"
        + "\n".join(commands)
    )
    outputs = run_definitions(file, theory).split("     = ")[1:]
    with flint.ctx.workprec(200):
        for output, function in zip(outputs, FUNCTIONS.values(), strict=True):
            ends = re.findall(r"Some\s*\(\(?(-?\d+)\)?(?:%Z)?,\s*\(?(-?\d+)\)?(?:%Z)?\)", output)
            assert len(ends) == len(numbers)
            for n, (low, high) in zip(numbers, ends, strict=True):
                value = function(arb(fmpq(n, 2**bits))) * 2**bits
                assert not (value < int(low) or value > int(high))
                assert int(high) - int(low) <= 16
