"""Tests that kernels whose 32-bit offsets overflow are refuted, on rows that are far apart in memory."""

import mmap
import os
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from proofs_tests.kernels.recurrent import KERNELS
from proofs_tests.kernels.test_believe_kernel import results, verdicts
from ratproof import kernel_claim
from ratproof.laws.kernels.drawing import groups_of
from ratproof.laws.kernels.layouts import FAR, laid_out, may_be_far

ONE = {"lengths": (1, 5), "without": ["cu_seqlens"]}
SIZES = {"B": (1, 3), "H": (2,), "K": (2,), "V": (3,)}
pytestmark = pytest.mark.skipif(not may_be_far("cpu"), reason="needs 20 GiB of address space for float32")


def reading(number):
    """Return a kernel of GLA that computes the offsets of its tensors' rows in this integer dtype."""

    def row(x, index):
        with np.errstate(over="ignore"):
            offset = int(number(index) * number(x.stride(0)))
        return x.as_strided(x.shape[1:], x.stride()[1:], x.storage_offset() + offset)

    def kernel(*, q, k, v, g, scale=None, initial_state=None, output_final_state=True):
        tensors = {"q": q, "k": k, "v": v, "g": g}
        rows = range(len(q))
        copies = {name: torch.stack([row(x, number(n)) for n in rows]) for name, x in tensors.items()}
        return KERNELS["gla"](**copies, scale=scale, initial_state=initial_state)

    return kernel


def by_triton(wide):
    """Return a kernel of GLA that copies its rows with Triton; ``wide`` says whether offsets are int64."""
    triton = pytest.importorskip("triton")
    tl = pytest.importorskip("triton.language")

    @triton.jit
    def copy_rows(x, y, stride, size, WIDE: tl.constexpr, BLOCK: tl.constexpr):
        row, i = tl.program_id(0), tl.arange(0, BLOCK)
        begin = (row.to(tl.int64) if WIDE else row) * stride
        tl.store(y + row * size + i, tl.load(x + begin + i, mask=i < size), mask=i < size)

    def copied(x):
        x = x if x[0].is_contiguous() else x.contiguous()
        y, size = x.new_empty(x.shape), x[0].numel()
        copy_rows[(len(x),)](x, y, x.stride(0), size, WIDE=wide, BLOCK=triton.next_power_of_2(size))
        return y

    def kernel(*, q, k, v, g, scale=None, initial_state=None, output_final_state=True):
        copies = {"q": copied(q), "k": copied(k), "v": copied(v), "g": copied(g)}
        return KERNELS["gla"](**copies, scale=scale, initial_state=initial_state)

    return kernel


def claim(kernel, **more):
    return kernel_claim("mine", family="gla", kernel=kernel, **{**ONE, "sizes": SIZES, **more})


def test_a_kernel_with_offsets_in_int64_holds():
    assert verdicts(claim(reading(np.int64)), 8, "sampled") == {"sampled": "holds"}


def test_a_kernel_with_offsets_in_int32_is_refuted_and_a_script_shows_it(monkeypatch, capsys):
    wrong = reading(np.int32)
    (result,) = results(claim(wrong), 8, "sampled").values()
    example = result.counterexample
    assert str(result.verdict) == "refuted" and "elements apart in memory" in example.sentence()
    assert example.position.startswith("o[2, ")
    monkeypatch.setitem(sys.modules, "kernel", SimpleNamespace(kernel=wrong))
    exec(example.script, {})
    assert example.kernel in capsys.readouterr().out


@pytest.mark.usefixtures("where_triton_runs", "unshrunk")
@pytest.mark.parametrize(("wide", "verdict"), [(True, "holds"), (False, "refuted")])
@pytest.mark.skipif(os.environ.get("TRITON_INTERPRET") != "1", reason="runs in Triton's interpreter")
def test_an_overflow_in_a_triton_kernel_is_refuted(wide, verdict):
    assert verdicts(claim(by_triton(wide)), 8, "sampled") == {"sampled": verdict}


def test_far_rows_have_the_same_values_and_a_stride_of_32_bits():
    tensors = {"x": torch.randn(3, 4, 2), "s": torch.randn(3, 2).double(), "u": torch.randn(2, 5)}
    far = laid_out(tensors, FAR)
    for name, x in tensors.items():
        assert torch.equal(far[name], x) and far[name].dtype == x.dtype
    assert far["u"] is tensors["u"]
    for name in ("x", "s"):
        assert far[name].stride(0) < 2**31 <= 2 * far[name].stride(0)
        assert far[name].storage_offset() + 2 * far[name].stride(0) - 2**32 >= 0


@pytest.mark.parametrize(
    "more",
    [{"without": ["cu_seqlens", "non-contiguous"]}, {"sizes": {"B": (1, 2)}}, {"device": "cuda"}],
    ids=str,
)
def test_no_call_has_far_rows_if_the_kernel_does_not_support_them(more):
    for own, expected in (({}, True), (more, False)):
        names = [
            group.name for group in groups_of(claim(reading(int), **own).kernel, 4, 0, small=False, long=True)
        ]
        assert ("far" in names) is expected


def test_no_call_has_far_rows_without_enough_addresses(monkeypatch):
    def refuse(*arguments, **options):
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(mmap, "mmap", refuse)
    assert not may_be_far("cpu")
