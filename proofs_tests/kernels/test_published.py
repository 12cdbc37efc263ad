"""Tests of adapters for published kernels: state-space layers, grouped values, and functions by name."""

import sys
from functools import partial
from types import ModuleType

import numpy as np
import pytest
import torch

from automata.errors import InputError
from proofs_tests.kernels.recurrent import KERNELS
from proofs_tests.kernels.test_believe_kernel import RUNGS, Flow, verdicts
from ratproof import believe_kernel
from ratproof.laws.kernels.bounds import run
from ratproof.laws.kernels.bounds.rounding import KernelForm
from ratproof.laws.kernels.family import FAMILIES, LRU, SELECTIVE_SCAN, SSD
from ratproof.laws.kernels.problem import Problem
from ratproof.laws.kernels.published import grouped_values, lru, of_fla, selective_scan, ssd

STATELESS = ("initial-state",)


def scan(u, delta, A, B, C, return_last_state, mistake=""):
    """Compute a scan with the layout of mamba_ssm's reference: (B, D, T), (D, N) and (B, G, N, T)."""
    group = u.shape[1] // B.shape[1]
    B, C = B.repeat_interleave(group, 1), C.repeat_interleave(group, 1)
    h, outputs = u.new_zeros(u.shape[0], u.shape[1], A.shape[1]), []
    for t in range(u.shape[2]):
        step = delta[:, :, t, None]
        decay = (step * A).exp()
        written = step * B[..., t] * u[:, :, t, None]
        if mistake == "B as Mamba's Theorem 1 has it":
            written = torch.where(A == 0, step, (decay - 1) / A) * B[..., t] * u[:, :, t, None]
        if mistake == "steps of a neighbour":
            decay = (delta.roll(1, 1)[:, :, t, None] * A).exp()
        h = decay * h + written
        outputs.append((h * C[..., t]).sum(-1))
    return (torch.stack(outputs, 2) if outputs else torch.zeros_like(u)), h


def test_a_selective_scan_holds_in_every_check():
    claim = believe_kernel("scan", family=SELECTIVE_SCAN, kernel=selective_scan(scan), without=STATELESS)
    assert verdicts(claim) == dict.fromkeys(("exact", "sampled", "gradient", "independence"), "holds")


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("mistake", ["B as Mamba's Theorem 1 has it", "steps of a neighbour"])
def test_a_wrong_selective_scan_is_refuted(mistake):
    kernel = selective_scan(lambda *tensors, **rest: scan(*tensors, **rest, mistake=mistake))
    claim = believe_kernel("scan", family=SELECTIVE_SCAN, kernel=kernel, without=STATELESS)
    assert verdicts(claim, 100, "sampled") == {"sampled": "refuted"}


def chunk_scan(x, dt, A, B, C, chunk_size, initial_states, return_final_states, wrong=1.0):
    """Compute the function of mamba_chunk_scan_combined, with its layouts (B, T, H, P), (B, T, H), (H) and
    (B, T, H, N).
    """
    state = x.new_zeros(*x.shape[::2], x.shape[3], B.shape[3]) if initial_states is None else initial_states
    outputs = []
    for first in range(0, x.shape[1], chunk_size):
        cut = slice(first, first + chunk_size)
        sums = (dt[:, cut] * A).cumsum(1)
        decays = (sums[:, :, None] - sums[:, None]).clamp(max=0).exp()
        length = sums.shape[1]
        decay = decays * x.new_ones(length, length).tril()[..., None]
        values = x[:, cut] * dt[:, cut, :, None]
        scores = torch.einsum("bihn,bjhn,bijh->bijh", C[:, cut], B[:, cut], decay)
        carried = torch.einsum("bihn,bhpn,bih->bihp", C[:, cut], state, sums.exp())
        outputs.append(torch.einsum("bijh,bjhp->bihp", scores, values) + carried)
        written = torch.einsum("bjhn,bjhp,bjh->bhpn", B[:, cut], values, decay[:, -1])
        state = wrong * sums[:, -1].exp()[..., None, None] * state + written
    return (torch.cat(outputs, 1) if outputs else torch.zeros_like(x)), state


def test_mamba_2s_chunks_hold_in_every_check_and_a_wrong_boundary_is_refuted():
    declared = {"family": SSD, "form": "chunked", "chunk": 16}
    claim = believe_kernel("ssd", kernel=ssd(chunk_scan, 16), **declared)
    assert verdicts(claim) == dict.fromkeys(RUNGS, "holds")
    wrong = ssd(lambda *tensors, **rest: chunk_scan(*tensors, **rest, wrong=1.001), 16)
    assert verdicts(believe_kernel("ssd", kernel=wrong, **declared), 60, "split") == {"split": "refuted"}


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize(("name", "change"), [("dt", lambda x: x * 1.001), ("a", lambda x: 0 * x)])
def test_another_gradient_of_steps_or_rates_is_refuted(name, change):
    right = ssd(chunk_scan, 16)
    kernel = lambda **tensors: right(**{**tensors, name: Flow.apply(tensors[name], change)})
    adapted = lambda *, q, k, v, dt, a, initial_state: kernel(
        q=q, k=k, v=v, dt=dt, a=a, initial_state=initial_state
    )
    claim = believe_kernel("ssd", family=SSD, kernel=adapted, form="chunked", chunk=16)
    assert verdicts(claim, 60, "gradient") == {"gradient": "refuted"}


def complex_scan(factors, inputs, state=None, mistake=""):
    """Compute an LRU's recurrence by its definition.

    The arguments are complex, of the shapes ``(D,)``, ``(B, T, D)`` and ``(B, D)``.
    """
    turn = factors.conj() if mistake == "turned the other way" else factors
    turn = turn.abs() if mistake == "the size alone" else turn
    if mistake == "a gradient that is not conjugate":
        turn = turn.detach() + (factors - factors.detach()).conj()
    h, outputs = inputs[:, :0].sum(1) if state is None else state, []
    for t in range(inputs.shape[1]):
        if mistake == "parts that are rounded apart" and t % 16 == 15:
            h = torch.complex(h.real * (1 + 1e-5), h.imag)
        h = turn * h + inputs[:, t]
        outputs.append(h)
    return (torch.stack(outputs, 1) if outputs else inputs), h


def doubled(factors, inputs):
    """Compute an LRU's recurrence by recursive doubling, without an initial state or empty sequences."""
    powers, step = factors.expand(inputs.shape), 1
    while step < inputs.shape[1]:
        later = powers[:, step:] * inputs[:, :-step] + inputs[:, step:]
        inputs = torch.cat([inputs[:, :step], later], 1)
        powers = torch.cat([powers[:, :step], powers[:, step:] * powers[:, :-step]], 1)
        step *= 2
    return inputs


def test_an_lrus_scan_holds_in_every_check():
    claim = believe_kernel("mine", family=LRU, kernel=lru(complex_scan))
    assert verdicts(claim) == dict.fromkeys(RUNGS, "holds")
    parallel = {"form": "chunked", "chunk": 129, "without": ("initial-state", "empty")}
    claim = believe_kernel("mine", family=LRU, kernel=lru(doubled), **parallel)
    assert verdicts(claim) == dict.fromkeys(("exact", "sampled", "gradient", "independence"), "holds")


@pytest.mark.parametrize(
    ("mistake", "rung"),
    [
        ("turned the other way", "exact"),
        ("the size alone", "exact"),
        ("parts that are rounded apart", "sampled"),
        ("a gradient that is not conjugate", "gradient"),
    ],
)
def test_a_wrong_scan_of_an_lru_is_refuted(mistake, rung):
    kernel = lru(lambda *tensors: complex_scan(*tensors, mistake=mistake))
    claim = believe_kernel("mine", family=LRU, kernel=kernel)
    assert verdicts(claim, 60, rung) == {rung: "refuted"}


def test_the_reference_with_complex_factors_is_their_recurrence():
    sizes = {"dtype": "float32", "accumulation": "float32", "lengths": (9,), "batch": 2, "heads": 3}
    rest = {
        "keys": 1,
        "values": 1,
        "packed": False,
        "has_initial_state": True,
        "numbers": "real",
        "gates": "none",
    }
    problem = Problem(LRU, scale=None, **sizes, **rest, directions="hot", seed=2)
    arrays = problem.arrays()
    f, u, h = (arrays[name] @ (1, 1j) for name in ("f", "u", "initial_state"))
    result = run(problem, arrays, KernelForm())
    for t in range(9):
        h = f * h + u[:, t]
        assert np.allclose(result.outputs[:, t].astype(float) @ (1, 1j), h, rtol=1e-13)
    assert np.allclose(result.states[:, :, 0].astype(float) @ (1, 1j), h, rtol=1e-13)


@pytest.mark.usefixtures("unshrunk")
def test_grouped_values():
    """The kernel has two heads of values for each head of queries and keys."""

    def kernel(*, q, k, wrong=False, **tensors):
        q, k = (x.repeat(1, 1, 2, 1) if wrong else x.repeat_interleave(2, 2) for x in (q, k))
        return KERNELS["gated-delta-rule"](q=q, k=k, **tensors)

    right, wrong = (
        believe_kernel("grouped", family="gated-delta-rule", kernel=grouped_values(own, 2))
        for own in (kernel, partial(kernel, wrong=True))
    )
    assert set(verdicts(right).values()) == {"holds"}
    assert verdicts(wrong, 60, "sampled") == {"sampled": "refuted"}


def test_a_library_function_by_its_name(monkeypatch):
    module = ModuleType("fla.ops.gla")

    def fused_recurrent_gla(q, k, v, gk=None, scale=None, initial_state=None, output_final_state=False):
        own = {"initial_state": initial_state, "output_final_state": output_final_state}
        return KERNELS["gla"](q=q, k=k, v=v, g=gk, scale=scale, **own)

    module.fused_recurrent_gla = fused_recurrent_gla
    for name, contents in (
        ("fla", ModuleType("fla")),
        ("fla.ops", ModuleType("fla.ops")),
        ("fla.ops.gla", module),
    ):
        monkeypatch.setitem(sys.modules, name, contents)
    kernel = of_fla("fused_recurrent_gla")
    claim = believe_kernel("theirs", family="gla", kernel=kernel, without=("cu_seqlens",))
    assert verdicts(claim, kind="sampled") == {"sampled": "holds"}
    with pytest.raises(InputError, match=r"fla.ops.gla.chunk_gla cannot be imported"):
        of_fla("chunk_gla")
    with pytest.raises(InputError, match=r"of flash-linear-attention, chunk_.*, got 'gla'"):
        of_fla("gla")


@pytest.mark.parametrize("form", [KernelForm(), KernelForm(chunk=4)], ids=["recurrent", "chunked"])
def test_a_scan_is_gated_attention_of_products_with_no_smaller_bound(form):
    """A selective scan multiplies decays and values by time steps, which adds roundings."""
    sizes = {"dtype": "float32", "accumulation": "float32", "lengths": (11,), "batch": 2, "heads": 2}
    rest = {
        "keys": 3,
        "values": 2,
        "packed": False,
        "has_initial_state": True,
        "numbers": "real",
        "gates": "bursts",
    }
    more = {"directions": "free", "seed": 3}
    scanned = Problem(SELECTIVE_SCAN, scale=None, **sizes, **rest, **more)
    arrays = scanned.arrays()
    steps, rates = arrays["dt"][..., None], arrays["a"]
    products = {name: arrays[name] for name in ("q", "k", "initial_state")}
    products |= {"v": steps * arrays["v"], "g": steps * rates}
    result = run(scanned, arrays, form)
    plain = run(Problem(FAMILIES["gla"], scale=1.0, **sizes, **rest, **more), products, form)
    assert np.allclose(result.outputs.astype(float), plain.outputs.astype(float), rtol=1e-12)
    for own, other in (
        (result.output_bounds, plain.output_bounds),
        (result.state_bounds, plain.state_bounds),
    ):
        assert (own >= other).all() and (own / other).mean() > 1.02
