"""Tests that kernels that are wrong only for some sizes, layouts, options or training calls do not hold."""

import functools
import sys
from math import prod
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import find, settings

from automata.errors import InputError
from proofs_tests.kernels.conftest import LARGEST, SHORT
from proofs_tests.kernels.recurrent import KERNELS
from proofs_tests.kernels.test_believe_kernel import Flow, results
from ratproof import believe_kernel
from ratproof.evidence.ledger import recording
from ratproof.laws.kernels import drawing
from ratproof.laws.kernels.bounds.rounding import KernelForm
from ratproof.laws.kernels.comparison import Held, hold
from ratproof.laws.kernels.counterexample import ShownCall, WrongCall
from ratproof.laws.kernels.family import FAMILIES
from ratproof.laws.kernels.kernel import Kernel
from ratproof.laws.kernels.layouts import LAYOUTS
from ratproof.laws.kernels.problem import Problem
from ratproof.laws.kernels.rungs import KERNEL_RUNGS
from ratproof.laws.kernels.stepwise import as_kernel


def planted(wrong):
    """Return a kernel whose outputs are wrong whenever ``wrong(arguments)`` is true."""

    def plant(right):
        @functools.wraps(right)
        def kernel(**arguments):
            outputs, state = right(**arguments)
            return (outputs * 1.5 + 0.5 if wrong(**arguments) else outputs), state

        return kernel

    return plant


def with_arguments(change):
    """Return a kernel that replaces its arguments by ``change(arguments)``."""

    def plant(right):
        return lambda **arguments: right(**{**arguments, **change(**arguments)})

    return plant


def flowing(changes):
    """Return a kernel whose gradients are changed: ``changes(arguments)`` returns the change, or None."""

    def plant(right):
        def kernel(**arguments):
            outputs, state = right(**arguments)
            change = changes(arguments) if outputs.requires_grad else None
            return outputs if change is None else Flow.apply(outputs, change), state

        return kernel

    return plant


def double(flow):
    return 2 * flow


def double_if_frozen(arguments):
    return None if all(arguments[name].requires_grad for name in "qkv") else double


def double_if_expanded(arguments):
    return lambda flow: double(flow) if flow.numel() > 1 and not any(flow.stride()) else flow


def double_the_second_time(arguments):
    times = iter((1, 2))
    return lambda flow: next(times) * flow


def zero_the_values(arguments):
    def change(flow):
        arguments["v"].data.zero_()
        return flow

    return change


def fused(*, q, v, **_):
    return q.untyped_storage().data_ptr() == v.untyped_storage().data_ptr() and q.numel()


def time_first(*, q, **_):
    return q.shape[0] > 1 and q.shape[1] > 1 and q.stride(0) < q.stride(1)


FAULTS = {
    "wrong for K > 16": (planted(lambda *, q, **_: q.shape[3] > 16), "sampled"),
    "wrong for V > 16": (planted(lambda *, v, **_: v.shape[3] > 16), "exact"),
    "wrong for H > 3": (planted(lambda *, q, **_: q.shape[2] > 3), "split"),
    "wrong for B > 4": (planted(lambda *, q, **_: q.shape[0] > 4), "independence"),
    "wrong for T from 2 to 6": (planted(lambda *, q, **_: 2 <= q.shape[1] <= 6), "exact"),
    "wrong for T of 4 modulo 8": (planted(lambda *, q, **_: q.shape[1] % 8 == 4), "sampled"),
    "wrong for T > 300 and K > 4": (
        planted(lambda *, q, **_: q.shape[1] > 300 and q.shape[3] > 4),
        "sampled",
    ),
    "wrong for K of no multiple of 4": (
        planted(lambda *, q, **_: q.shape[3] > 32 and q.shape[3] % 4),
        "split",
    ),
    "wrong for K = 64 and V = 128": (
        planted(lambda *, q, v, **_: (q.shape[3], v.shape[3]) == (64, 128)),
        "sampled",
    ),
    "wrong where time is before the batch": (planted(time_first), "sampled"),
    "wrong for slices of one tensor": (planted(fused), "exact"),
    "a scale of 0 is none": (with_arguments(lambda *, scale, **_: {"scale": scale or None}), "sampled"),
    "q and k are clamped to 8": (
        with_arguments(lambda *, q, k, **_: {"q": q.clamp(-8, 8), "k": k.clamp(-8, 8)}),
        "sampled",
    ),
    "wrong for int32 offsets": (
        planted(lambda *, cu_seqlens, **_: cu_seqlens is not None and cu_seqlens.dtype == torch.int32),
        "sampled",
    ),
    "wrong where gradients are asked for": (planted(lambda *, q, **_: q.requires_grad), "gradient"),
    "wrong without a final state": (
        planted(lambda *, output_final_state, **_: not output_final_state),
        "sampled",
    ),
    "gradients doubled if q, k or v is frozen": (flowing(double_if_frozen), "gradient"),
    "gradients doubled if the sum is a plain one": (flowing(double_if_expanded), "gradient"),
    "gradients doubled in the second backward pass": (flowing(double_the_second_time), "gradient"),
    "a backward pass zeroes v": (flowing(zero_the_values), "gradient"),
    "wrong in inference mode": (planted(lambda **_: torch.is_inference_mode_enabled()), "split"),
}
CORRECTED = (
    "wrong for T > 300 and K > 4",
    "q and k are clamped to 8",
    "gradients doubled if q, k or v is frozen",
)
"""The faults that are also planted in a delta rule, whose bounds differ, but whose calls are drawn alike."""


@pytest.fixture
def usual(monkeypatch, unshrunk, all_sizes):
    """Use the default calls except for the longest ones, and do not shrink counterexamples."""
    monkeypatch.setattr(drawing, "LENGTHS", (*SHORT, 513))


def refuted(claim, kind, examples=100):
    with recording():
        try:
            KERNEL_RUNGS[kind](claim.kernel, examples)
        except WrongCall:
            return True
    return False


@pytest.mark.parametrize(
    ("fault", "family"),
    [*((fault, "linear-attention") for fault in FAULTS), *((fault, "delta-rule") for fault in CORRECTED)],
)
def test_no_fault_of_sizes_layouts_and_options_holds(usual, fault, family):
    plant, kind = FAULTS[fault]
    claim = believe_kernel("planted", family=family, kernel=plant(KERNELS[family]))
    assert refuted(claim, kind)


@pytest.mark.parametrize("kind", KERNEL_RUNGS)
def test_a_correct_kernel_holds_in_all_of_these_calls(usual, kind):
    assert not refuted(believe_kernel("right", family="gla", kernel=KERNELS["gla"]), kind, 40)


def test_sizes_and_lengths_come_from_the_claim_and_the_report_has_the_largest(all_sizes):
    seen = []

    def kernel(**arguments):
        seen.append((*arguments["q"].shape, arguments["v"].shape[3]))
        return KERNELS["gla"](**arguments)

    sizes, lengths = {"B": (2, 3), "K": (32, 64), "V": (8,)}, (5, 17)
    claim = believe_kernel("own-sizes", family="gla", kernel=kernel, sizes=sizes, lengths=lengths)
    result = results(claim, 20, "sampled")["sampled"]
    batches, times, heads, keys, values = (set(axis) for axis in zip(*seen, strict=True))
    assert batches <= {1, 2, 3} and {2, 3} & batches and keys == {32, 64} and values == {8}  # 1: packed
    assert times == {5, 17} and max(heads) > 3
    assert "K other than 32, 64, V other than 8, lengths other than 5, 17" in result.facts["module"]
    largest = result.facts["largest_sizes"]
    assert largest["K"] == 64 and largest["T"] == 17 and largest["B T H K V"] >= 64 * 8 * 17


@pytest.mark.parametrize("packed", [True, False])
def test_a_kernel_of_one_row_gets_several_packed_sequences_and_never_two_rows(packed):
    seen = set()

    def kernel(**arguments):
        offsets = arguments["cu_seqlens"]
        seen.add((*arguments["x"].shape[::2], 1 if offsets is None else len(offsets) - 1))
        return KERNELS["hgrn"](**arguments)

    without = [] if packed else ["cu_seqlens"]
    claim = believe_kernel("one", family="hgrn", kernel=kernel, sizes={"B": (1,), "D": (1,)}, without=without)
    assert results(claim, 20, "sampled")["sampled"].verdict == "holds"
    rows, lanes, sequences = map(set, zip(*seen, strict=True))
    assert rows == lanes == {1} and (max(sequences) > 1) == packed
    if packed:
        seen.clear()
        assert results(claim, 20, "independence")["independence"].verdict == "holds"
        assert min(sequences for *_, sequences in seen) > 1
    else:
        assert "independence" not in claim.rungs


@pytest.mark.parametrize("kind", KERNEL_RUNGS)
def test_every_check_has_a_wide_call_and_one_with_keys_not_a_multiple_of_16(monkeypatch, kind):
    monkeypatch.setattr(drawing, "LARGEST", LARGEST)
    rung = KERNEL_RUNGS[kind]
    kernel = believe_kernel("wide", family="gla", kernel=KERNELS["gla"]).kernel
    groups = {group.name: group.sizes for group in drawing.groups_of(kernel, 10, rung.shortest, rung.small)}
    calls = {
        name: find(
            drawing.problems(kernel, rung.numbers, groups[name], rung.rows, rung.heads),
            lambda call: True,
            settings=settings(max_examples=1),
        )
        for name in ("wide", "odd", "large")
    }
    assert (calls["wide"].keys, calls["wide"].values, calls["wide"].time) == (64, 64, 129)
    assert calls["odd"].keys == 100 and calls["odd"].time >= 2
    product = prod(calls["large"].sizes().values())
    assert 2**19 < product <= (2**21 if kind == "gradient" else 2**23)
    assert (calls["large"].keys, calls["large"].values) == (64, 128)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"sizes": {"Q": (1,)}}, "sizes must be one of B, H, K, V, got 'Q'"),
        ({"sizes": {"K": (0,)}}, r"sizes\['K'\] must be a tuple of integers of at least 1, got \(0,\)"),
        ({"sizes": {"K": 64}}, r"sizes\['K'\] must be a tuple of integers of at least 1, got 64"),
        ({"lengths": (1.5,)}, r"lengths must be a tuple of integers of at least 0, got \(1.5,\)"),
        (
            {"lengths": (8,), "longest": 9},
            r"lengths must be multiples of 1 and given without longest, got \(8,\)",
        ),
        (
            {"lengths": (8, 9), "multiple": 8, "without": ("cu_seqlens",)},
            r"lengths must be multiples of 8.*, got \(8, 9\)",
        ),
    ],
)
def test_sizes_and_lengths_must_be_integers(more, says):
    with pytest.raises(InputError, match=f"mine: {says}"):
        believe_kernel("mine", family="gla", kernel=KERNELS["gla"], **more)


CALLS = [{"layout": layout} for layout in LAYOUTS] + [
    {"mode": "inference", "offsets": "int32", "packed": True, "lengths": (2, 1), "batch": 1},
    {"mode": "twice", "frozen": ("k",), "final": False},
    {"mode": "sum", "layout": "fused"},
]


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_a_script_makes_the_same_call(call, monkeypatch, capsys):
    seen = []

    def kernel(**arguments):
        tensors = {n: x for n, x in arguments.items() if isinstance(x, torch.Tensor)}
        kinds = {n: (x.shape, x.stride(), x.dtype, x.requires_grad, x.tolist()) for n, x in tensors.items()}
        seen.append((kinds, arguments["output_final_state"], torch.is_inference_mode_enabled()))
        return KERNELS["hgrn"](**arguments)

    shape = {
        "lengths": (3,),
        "batch": 2,
        "heads": 2,
        "keys": 1,
        "values": 1,
        "packed": False,
        "has_initial_state": True,
    }
    drawn = {"scale": None, "numbers": "real", "gates": "mild", "directions": "free", "seed": 1}
    problem = Problem(FAMILIES["hgrn"], "float32", "float32", **{**shape, **drawn, **call})
    declared, arrays = Kernel("mine", FAMILIES["hgrn"], kernel, KernelForm()), problem.arrays()
    weights = problem.weights() if problem.mode in ("sum", "twice") else {}
    if not problem.final:
        del weights["final_state"]
    result = declared.gradients(problem, arrays, weights) if weights else declared.call(problem, arrays)
    name, values = ("x.grad", result.flows["x"]) if weights else ("o", result.outputs)
    wrong = ShownCall(declared, problem, arrays, "", weights).wrong(name, (0, 1, 1), 0.0, 1.0, 0.0)
    monkeypatch.setitem(sys.modules, "kernel", SimpleNamespace(kernel=kernel))
    exec(wrong.counterexample.script, {})
    printed = float(capsys.readouterr().out.partition(" = ")[2])
    assert seen[0] == seen[1] and printed == pytest.approx(values[0, 1, 1])


def test_calls_are_split_only_into_listed_lengths():
    called = set()

    def kernel(**arguments):
        called.add(arguments["x"].shape[1])
        return KERNELS["hgrn"](**arguments)

    claim = believe_kernel("lengths", family="hgrn", kernel=kernel, lengths=(16, 32), without=["cu_seqlens"])
    assert results(claim, kind="split")["split"].verdict == "holds" and called == {16}
    claim = believe_kernel("length", family="hgrn", kernel=kernel, lengths=(32,), without=["cu_seqlens"])
    assert "split" not in claim.rungs


@pytest.mark.parametrize("name", ["o", "final_state"])
def test_a_call_must_not_overwrite_the_results_of_an_earlier_call(name):
    buffers = {}

    def kernel(**arguments):
        results = dict(zip(("o", "final_state"), KERNELS["hgrn"](**arguments), strict=True))
        right = results[name]
        if not right.requires_grad:
            results[name] = buffers.setdefault((right.shape, right.dtype), right).copy_(right)
        return tuple(results.values())

    claim = believe_kernel("buffer", family="hgrn", kernel=kernel, without=["cu_seqlens"])
    refuted = results(claim, kind="split")["split"]
    assert refuted.verdict == "refuted"
    assert f"{name} of the previous call is modified by this call" in refuted.counterexample.sentence()


def test_measured_gradients_run_if_lengths_are_multiples_of_a_large_number():
    def step(state, x):
        state = x["f"] * state + x["u"]
        return state, state

    options = {
        "inputs": {"f": "BTD decay", "u": "BTD"},
        "state": "D",
        "output": "u",
        "sizes": {"B": (1,), "D": (2,)},
    }
    family = believe_kernel("multiple", step=step, kernel=lambda **call: None, **options).kernel.family
    claim = believe_kernel(
        "multiple",
        step=step,
        kernel=as_kernel(family),
        multiple=512,
        without=["cu_seqlens", "empty"],
        **options,
    )
    assert results(claim, 2, kind="gradient")["gradient"].verdict == "holds"


@pytest.mark.parametrize(
    "form",
    [
        lambda h, u, z: (1 - z) * h + z * u,
        lambda h, u, z: h + z * (u - h),
        lambda h, u, z: u + (1 - z) * (h - u),
    ],
)
def test_all_forms_of_a_minimal_gru_are_within_the_bound(form):
    def kernel(z, u, initial_state=None):
        state, outputs = torch.zeros_like(u[:, 0]) if initial_state is None else initial_state, []
        for t in range(u.shape[1]):
            state = form(state, u[:, t], z[:, t])
            outputs.append(state)
        return torch.stack(outputs, 1), state

    claim = believe_kernel(
        "min-gru", family="min-gru", kernel=kernel, without=["cu_seqlens", "empty"], sizes={"D": (100,)}
    )
    assert results(claim, 60, kind="sampled")["sampled"].verdict == "holds"


def test_a_bound_that_is_useless_in_float32_is_useless_in_float16():
    """The outputs are stored in float16, but their sums are computed in float32."""
    shape = {"lengths": (3,), "batch": 1, "heads": 1, "keys": 1, "values": 1, "packed": False}
    drawn = {"has_initial_state": True, "scale": None, "numbers": "real", "gates": "mild", "seed": 1}
    problem = Problem(FAMILIES["hgrn"], "float16", "float32", **shape, **drawn, directions="free")
    shown = ShownCall(Kernel("mine", FAMILIES["hgrn"], KERNELS["hgrn"], KernelForm()), problem, {})
    values = np.full((1, 2), 1e-3)
    with recording() as ledger:
        hold(shown, [Held("o", values, values, np.full((1, 2), 1.0))])
    assert ledger.facts["numbers"] == (0, 2)
