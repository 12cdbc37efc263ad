"""Tests that Coq's enclosures of exp, the sigmoid and tanh contain the values and are narrow."""

import re
from fractions import Fraction

import flint
from flint import arb, fmpq

from proofs_tests.coq.conftest import run_definitions

FUNCTIONS = {"exponential": arb.exp, "sigmoid_of": lambda x: 1 / (1 + (-x).exp()), "tanh_of": arb.tanh}
STEPS = [Fraction(1, 64), Fraction(1, 4096), Fraction(1, 1 << 12), Fraction(1), Fraction(64)]
ARGUMENTS = sorted(
    {Fraction(0), Fraction(-1, 3), Fraction(-63 * 64 - 63, 64), Fraction(-200), Fraction(-41, 7)}
    | {-step + off for step in STEPS for off in (-Fraction(1, 1 << 20), 0, Fraction(1, 1 << 20))}
)


BITS = (12, 40, 48, 64)
"""Numbers of binary digits; up to 48, the exponential is computed from tables."""


def test_enclosures_contain_the_values_and_are_narrow(theory):
    cases = [(bits, name) for bits in BITS for name in FUNCTIONS]
    numbers = {bits: [int(x * 2**bits) for x in ARGUMENTS] for bits in BITS}
    commands = (
        f"Eval vm_compute in map (fun n => {name} {bits} (intervals.point n))"
        f" [{'; '.join(map(str, numbers[bits]))}]%Z."
        for bits, name in cases
    )
    heading = "From Coq Require Import List ZArith. Import ListNotations functions.\n"
    outputs = run_definitions(heading + "\n".join(commands), theory).split("     = ")[1:]
    with flint.ctx.workprec(200):
        for output, (bits, name) in zip(outputs, cases, strict=True):
            ends = re.findall(r"Some\s*\(\(?(-?\d+)\)?(?:%Z)?,\s*\(?(-?\d+)\)?(?:%Z)?\)", output)
            assert len(ends) == len(numbers[bits])
            for n, (low, high) in zip(numbers[bits], ends, strict=True):
                value = FUNCTIONS[name](arb(fmpq(n, 2**bits))) * 2**bits
                assert not (value < int(low) or value > int(high))
                assert int(high) - int(low) <= 16
