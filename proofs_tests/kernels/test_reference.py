"""Tests that the reference's vectorised states and bounds equal those that are computed token by token."""

from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from proofs_tests.kernels.chunked import delta
from proofs_tests.kernels.stepwise import Running, adjoint_snapshots, snapshots
from ratproof.laws.kernels.bounds import chunked, ellipsoid, recurrent
from ratproof.laws.kernels.bounds.adjoint import adjoint
from ratproof.laws.kernels.bounds.chunked import bounded_states
from ratproof.laws.kernels.bounds.ellipsoid import Ellipsoids
from ratproof.laws.kernels.bounds.rounding import KernelForm, RoundingUnits
from ratproof.laws.kernels.comparison import compare
from ratproof.laws.kernels.counterexample import WrongCall
from ratproof.laws.kernels.family import FAMILIES, LinearRecurrence
from ratproof.laws.kernels.kernel import Kernel
from ratproof.laws.kernels.naive import groups, inputs_of, numbers_of, state_trajectory
from ratproof.laws.kernels.problem import Problem

READ_FIRST = LinearRecurrence(
    "read before it is corrected",
    {"q": "BTHK", "k": "BTHK", "v": "BTHV", "a": "BTHK", "b": "BTHK", "g": "BTH", "u": "HK"},
    decay="g",
    correction="low-rank",
    bonus="u",
)


@st.composite
def problems(draw):
    family = draw(
        st.sampled_from(
            [
                *(family for family in FAMILIES.values() if not family.window and not family.function),
                READ_FIRST,
            ]
        )
    )
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
        has_initial_state=True,
        scale=2.0 if family.scaled else None,
        numbers=draw(st.sampled_from(("plain", "real"))),
        gates=draw(st.sampled_from(("none", "mild", "bursts", "infinite"))),
        directions=draw(st.sampled_from(("hot", "free"))),
        layout="contiguous",
        seed=draw(st.integers(0, 2**32 - 1)),
    )


forms = st.builds(
    KernelForm,
    st.sampled_from((None, 1, 4, 8, 64)),
    st.sampled_from(("any", "tree", "double")),
    st.sampled_from(("substitution", "explicit")),
)


def same(one, other):
    one, other = (x.astype(complex if np.iscomplexobj(x) else float) for x in (one, other))
    return one.shape == other.shape and np.allclose(one, other, rtol=1e-12, atol=1e-300)


def alike(many, each):
    """Assert that the vectorised snapshots equal those of the sequential computation."""
    return all(
        same(getattr(many, part)[t], getattr(one, part))
        for t, one in enumerate(each)
        for part in ("value", "error", "size")
    )


def roles(problem):
    return inputs_of(problem, problem.arrays(), next(groups(problem)))


@contextmanager
def ellipsoids(tried):
    """Make the reference always or never compute bounds by ellipsoids."""
    told = lambda errors, course: tried
    with patch.object(recurrent, "is_too_wide", told), patch.object(chunked, "is_too_wide", told):
        yield


@given(problems(), forms)
def test_states_and_bounds_equal_the_sequential_ones(problem, form):
    own, arithmetic = roles(problem), RoundingUnits.of(problem.dtype)
    with ellipsoids(False):
        states = bounded_states(own, form, arithmetic)
    before, after, last = snapshots(own, form, arithmetic)
    assert alike(states.before, before) and alike(states.after, after)
    assert same(states.last.value, last.value) and same(states.last.error, last.error)


@given(problems(), forms)
def test_the_adjoints_are_equal(problem, form):
    own, arithmetic, weights = roles(problem), RoundingUnits.of(problem.dtype), problem.weights()
    outputs, final = (numbers_of(problem, weights[name]) for name in ("o", "final_state"))
    if problem.family.normalised:
        outputs = np.concatenate([outputs, outputs[..., :1]], -1)
    outputs, final = outputs.reshape(own.value.shape), final.reshape(own.start.shape)
    with ellipsoids(False):
        result = adjoint(own, outputs, final, form, arithmetic)
    flows, corrections, last = adjoint_snapshots(own, outputs, final, form, arithmetic)
    assert alike(result.held, flows) and same(result.last.error, last.error)
    for t, correction in enumerate(corrections):
        if correction is not None:
            assert same(result.corrections.value[t], correction[0])
            assert same(result.corrections.error[t], correction[1])


@given(problems(), forms, st.booleans())
def test_no_bound_is_larger_with_ellipsoids(problem, form, backwards):
    assume(problem.time)
    own, arithmetic = roles(problem), RoundingUnits.of(problem.dtype)
    states = []
    for answer in (False, True):
        with ellipsoids(answer):
            states.append(bounded_states(own, form, arithmetic, backwards, backwards))
    for part in ("before", "held", "after", "last"):
        norms, others = (getattr(m, part).error for m in states)
        assert norms.shape == others.shape and (others <= norms).all()


@pytest.mark.parametrize("family", ["delta-rule", "gated-delta-rule", "rwkv-7"])
def test_an_ellipsoids_steps_are_those_of_the_recurrence(family):
    """The recurrence starts from the identity matrix and has values of 0, so states are products of steps."""
    problem = Problem(
        FAMILIES[family], "float64", "float64", (6,), 2, 2, 3, 3, False, True, 1.0, "real", "mild",
        "free", 4,
    )  # fmt: skip
    inputs = roles(problem)
    inputs = replace(
        inputs,
        value=0 * inputs.value,
        start=np.broadcast_to(np.eye(3, dtype=np.longdouble), inputs.start.shape),
    )
    states = state_trajectory(inputs).states
    for t, step in enumerate(Ellipsoids(inputs).steps):
        assert np.allclose(states[t + 1].astype(float), step @ states[t].astype(float), atol=1e-12)


def one_after_another(own, form, arithmetic):
    """Return the bounds by ellipsoids before each token and after the last, computed one token at a time."""
    norms, every, bounds = Running(own, form, arithmetic), Ellipsoids(own), []

    def bound():
        rounded = norms._chunk_roundings()
        direct = rounded * norms.since + 2 * form.chunk * arithmetic.smallest
        more = np.linalg.norm(direct, axis=-2, keepdims=True) + norms._stretch() * start
        return np.fmin(norms.now().error, more + ellipsoid.half_axes([every.now()])[0]), more

    for t in range(own.time):
        if t % form.chunk == 0:
            if t:
                every.add(bound()[1])
            norms.begin_chunk(t, min(t + form.chunk, own.time))
            start = every.length()
        bounds.append(bound()[0])
        solution, _ = norms._solved(t)
        every.move(t, solution, 0 * solution)
        norms.update(t)
    return bounds, bound()[0]


@pytest.mark.parametrize("family", ["delta-rule", "gated-delta-rule", "rwkv-7"])
def test_bounds_by_ellipsoids_in_chunks_equal_the_sequential_ones(family):
    problem = Problem(
        FAMILIES[family], "float32", "float32", (30,), 2, 1, 4, 2, False, True, 1.0, "real", "mild",
        "free", 3,
    )  # fmt: skip
    own, form, arithmetic = roles(problem), KernelForm(8, inverse="explicit"), RoundingUnits.of("float32")
    with ellipsoids(True):
        states = bounded_states(own, form, arithmetic)
    bounds, last = one_after_another(own, form, arithmetic)
    assert same(states.before.error, np.stack(bounds)) and same(states.held.error, np.stack(bounds))
    assert same(states.last.error, last)


def worst(moves, towards):
    """Return the reachable error with the largest component along ``towards``.

    Each move multiplies the error by a matrix. It then adds either a bounded multiple of a vector, or any
    vector of at most a given length.
    """
    flow, along = towards, []
    for step, _, _ in moves[::-1]:
        along.append(flow)
        flow = step.T @ flow
    error = np.zeros(len(towards))
    for (step, column, most), pull in zip(moves, along[::-1], strict=True):
        size = max(np.linalg.norm(pull), 1e-300)
        error = step @ error + most * (pull / size if column is None else column * np.sign(column @ pull))
    return error


TIME, ONE = 40, np.eye(4)


@pytest.mark.parametrize("family", ["delta-rule", "gated-delta-rule", "rwkv-7"])
@pytest.mark.parametrize("part", ["own", "ball", "addition", "addition first", "at ends", "all", "all first"])
def test_no_possible_error_leaves_its_ellipsoid(family, part):
    """The largest simulated error reaches at least a tenth of the bound."""
    rng = np.random.default_rng(len(part))
    problem = Problem(
        FAMILIES[family], "float64", "float64", (TIME,), 1, 1, 4, 2, False, True, 1.0, "real", "mild",
        "free", len(family),
    )  # fmt: skip
    inputs = roles(problem)
    columns = (inputs.key if inputs.beta is not None else inputs.b)[0, :, 0].astype(float)
    steps, first = Ellipsoids(inputs).steps[:, 0, 0], part.endswith("first")
    added = {
        n: rng.random((TIME, 1, 1, 1, 2)) * (n in part or "all" in part) for n in ("own", "ball", "addition")
    }
    ends = rng.random((5, 1, 1, 1, 2)) * (part in ("at ends", "all"))
    nothing = np.zeros((TIME, 1, 1, 1, 1))
    own, ball, addition = added.values()
    if part == "at ends" or part == "own":  # in chunks of 8
        bounds = ellipsoid.in_chunks(inputs, own, ends, 0 * ends, list(range(0, TIME, 8)))[0]
    else:
        ends = 0 * ends
        bounds = ellipsoid.step_by_step(inputs, own, ball, addition, nothing, first)[0]
    moves = []
    for t in range(TIME):
        if t and t % 8 == 0:
            moves.append((ONE, None, ends[t // 8 - 1].flat[0]))
        if first:
            moves.append((ONE, None, addition[t].flat[0]))
        moves.append((steps[t], columns[t], own[t].flat[0]))
        moves.append((ONE, None, (ball[t] + (0 if first else addition[t])).flat[0]))
    reached = max(np.linalg.norm(worst(moves, towards)) for towards in rng.normal(size=(50, 4)))
    assert bounds[-1, 0, 0, 0, 0] / 10 <= reached <= bounds[-1, 0, 0, 0, 0]


def test_an_ellipsoid_is_bounded_by_the_root_of_its_trace_and_grows_with_roundings():
    problem = Problem(
        FAMILIES["delta-rule"], "float64", "float64", (9,), 1, 1, 3, 1, False, True, 1.0, "real", "mild",
        "free", 5,
    )  # fmt: skip
    inputs, ball = roles(problem), np.full((9, 1, 1, 1, 1), 0.1)
    plain, grown = (
        ellipsoid.step_by_step(inputs, 0 * ball, ball, 0 * ball, stretch * ball, False)[0]
        for stretch in (0, 1)
    )
    assert (grown[2:] > plain[2:]).all() and np.array_equal(grown[:2], plain[:2])
    ends = ball[:3]
    plain, grown = (
        ellipsoid.in_chunks(inputs, 0 * ball, ends, stretch * ends, [0, 3, 6])[0] for stretch in (0, 1)
    )
    assert np.array_equal(grown[:8], plain[:8]) and (grown[8:] > plain[8:]).all()


def test_too_large_numbers_fall_back_to_the_norm():
    none = [(np.ones((1, 1, 1)), np.full((1, 1, 1, 2, 2), x)) for x in (np.inf, np.nan)]
    assert ellipsoid.half_axes(none).min() == np.inf


def test_an_error_at_a_late_boundary_is_detected_by_ellipsoids_only():
    """The state is off by a hundredth after 960 tokens in chunks of 64. Without ellipsoids, the bound permits
    an error that is five times as large.
    """
    family, off = FAMILIES["delta-rule"], 0.0

    def kernel(**tensors):
        parts = [{**tensors, **{n: tensors[n][:, cut] for n in ("q", "k", "v", "beta")}} for cut in cuts]
        first, state = delta(chunk=64, **parts[0])
        last, state = delta(chunk=64, **{**parts[1], "initial_state": state * (1 + off)})
        return torch.cat([first, last], 1), state

    cuts = slice(0, 960), slice(960, None)
    problem = Problem(
        family, "float32", "float32", (1025,), 1, 1, 4, 3, False, True, 1.0, "real", "none", "free", 0
    )
    call = Kernel("mine", family, kernel, KernelForm(64)), problem, problem.arrays()
    compare(*call)
    off = 0.01
    with pytest.raises(WrongCall):
        compare(*call)
    off = 0.05
    with ellipsoids(False):
        compare(*call)
