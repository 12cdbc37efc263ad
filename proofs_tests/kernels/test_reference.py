"""The reference's states and bounds, made for all tokens at once, are those of one token after another."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from proofs_tests.kernels.stepwise import adjoint_snapshots, snapshots
from ratproof.kernels.family import FAMILIES, LinearRecurrence
from ratproof.kernels.problem import Problem
from ratproof.kernels.reference.adjoint import adjoint, trajectory
from ratproof.kernels.reference.form import Arithmetic, Form
from ratproof.kernels.reference.roles import groups, roles_of

KDA = LinearRecurrence(
    "a gate a key",
    {"q": "BTHK", "k": "BTHK", "v": "BTHV", "beta": "BTH", "g": "BTHK"},
    decay="g",
    correction="delta",
)
READ_FIRST = LinearRecurrence(
    "read before it is corrected",
    {"q": "BTHK", "k": "BTHK", "v": "BTHV", "a": "BTHK", "b": "BTHK", "g": "BTH", "u": "HK"},
    decay="g",
    correction="low-rank",
    bonus="u",
)


@st.composite
def problems(draw):
    family = draw(st.sampled_from([*FAMILIES.values(), KDA, READ_FIRST]))
    dtype = draw(st.sampled_from(("float32", "float64")))
    return Problem(
        family=family,
        dtype=dtype,
        accumulation=dtype,
        lengths=(draw(st.sampled_from((0, 1, 2, 5, 7, 8, 9, 33))),),
        batch=draw(st.integers(1, 2)),
        heads=draw(st.integers(1, 2)),
        keys=1 if family.lanes else draw(st.integers(1, 3)),
        values=1 if family.lanes else draw(st.integers(1, 3)),
        packed=False,
        started=True,
        scale=2.0 if family.scaled else None,
        numbers=draw(st.sampled_from(("plain", "real"))),
        gates=draw(st.sampled_from(("none", "mild", "bursts", "infinite"))),
        directions=draw(st.sampled_from(("hot", "free"))),
        apart=False,
        seed=draw(st.integers(0, 2**32 - 1)),
    )


forms = st.builds(
    Form,
    st.sampled_from((None, 1, 4, 8, 64)),
    st.sampled_from(("any", "tree", "double")),
    st.sampled_from(("substitution", "explicit")),
)


def same(one, other):
    return one.shape == other.shape and np.allclose(
        one.astype(float), other.astype(float), rtol=1e-12, atol=1e-300
    )


def alike(many, each):
    """Are these snapshots, and those one after another?"""
    return all(
        same(getattr(many, part)[t], getattr(one, part))
        for t, one in enumerate(each)
        for part in ("value", "error", "size")
    )


def roles(problem):
    return roles_of(problem, problem.arrays(), next(groups(problem)))


@given(problems(), forms)
def test_states_and_bounds_are_those_of_one_token_after_another(problem, form):
    own, arithmetic = roles(problem), Arithmetic.of(problem.dtype)
    made = trajectory(own, form, arithmetic)
    before, after, last = snapshots(own, form, arithmetic)
    assert alike(made.before, before) and alike(made.after, after)
    assert same(made.last.value, last.value) and same(made.last.error, last.error)


@given(problems(), forms)
def test_so_are_the_adjoints(problem, form):
    own, arithmetic, weights = roles(problem), Arithmetic.of(problem.dtype), problem.weights()
    lanes = (..., None) if problem.family.lanes else ...
    outputs, final = weights["o"][lanes], weights["final_state"].reshape(own.start.shape)
    made = adjoint(own, outputs, final, form, arithmetic)
    flows, corrections, last = adjoint_snapshots(own, outputs, final, form, arithmetic)
    assert alike(made.held, flows) and same(made.last.error, last.error)
    for t, correction in enumerate(corrections):
        if correction is not None:
            assert same(made.corrections[0][t], correction[0])
            assert same(made.corrections[1][t], correction[1])
