"""Tests of the families of kernels: correct chunked kernels hold, and planted faults are refuted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from proofs_tests.kernels import chunked
from proofs_tests.kernels.recurrent import KERNELS, over_strings, stacked
from proofs_tests.kernels.test_believe_kernel import results, verdicts
from ratproof import kernel_claim
from ratproof.laws.kernels.bounds.rounding import KernelForm
from ratproof.laws.kernels.comparison import compare, hold_call, recurrence
from ratproof.laws.kernels.counterexample import ShownCall, WrongCall
from ratproof.laws.kernels.drawing import groups_of
from ratproof.laws.kernels.family import FAMILIES
from ratproof.laws.kernels.kernel import Kernel
from ratproof.laws.kernels.problem import Problem


def per_key(g, k):
    """Repeat the gates of each head for all keys."""
    g = g[:, None] if g.dim() == 1 else g[..., None]
    return g.expand(k.shape).to(k.dtype)


def simple_gla(*, g, k, **rest):
    """Compute linear attention with one gate per head in chunks."""
    return chunked.gla(g=per_key(g, k), k=k, **rest)


def corrected(q, k, p, v, beta, g, scale, initial_state, output_final_state, cu_seqlens, before):
    """Compute a delta rule with one gate per key, in chunks of 16.

    The correction reads the state with p: before the decay if ``before`` is true, and after it otherwise.
    """
    (batch, time, heads, keys), values = q.shape, v.shape[-1]
    scale = keys**-0.5 if scale is None else scale
    outputs, states = torch.zeros(batch, time, heads, values, dtype=v.dtype), []
    for n, (row, begin, end) in enumerate(chunked.spans(batch, time, cu_seqlens)):
        s = torch.zeros(heads, keys, values, dtype=v.dtype) if initial_state is None else initial_state[n]
        for cut in (slice(first, min(first + 16, end)) for first in range(begin, end, 16)):
            sums, zeros = chunked.cumulated(g[row, cut])
            at = sums, zeros
            if before:
                at = tuple(torch.cat([0 * x[:1], x[:-1]]) for x in at)
            alive = at[1][:, None] == zeros[None]
            left = (at[0][:, None] - sums[None]).clamp(max=0).exp() * alive
            query, key, read = (x[row, cut] for x in (q, k, p))
            weight = beta[row, cut].T[..., None]
            lower = weight * torch.einsum("ihk,jhk,ijhk->hij", read, key, left.to(v.dtype)).tril(-1)
            old = torch.einsum("ihk,hkv->hiv", read * (at[0].exp() * (at[1] == 0)), s)
            right = weight * (v[row, cut].transpose(0, 1) - old)
            one = torch.eye(len(sums), dtype=v.dtype)
            w = torch.linalg.solve_triangular(one + lower, right, upper=False, unitriangular=True)
            decay, since = chunked.between(sums, zeros, len(sums)).to(v.dtype), sums.exp() * (zeros == 0)
            scores = torch.einsum("ihk,jhk,ijhk->hij", query, key, decay)
            carried = torch.einsum("ihk,hkv->ihv", query * since, s)
            outputs[row, cut] = scale * (carried + (scores @ w).transpose(0, 1))
            s = since[-1][..., None] * s + torch.einsum("jhk,hjv->hkv", key * decay[-1], w)
        states.append(s)
    return outputs, torch.stack(states) if output_final_state else None


def kda(*, k, **rest):
    """Compute Kimi delta attention in chunks."""
    return corrected(k=k, p=k, before=False, **rest)


def comba(*, k, g, **rest):
    """Compute Comba in chunks."""
    return corrected(k=k, g=per_key(g, k), before=True, **rest)


def delta_product(*, q, g, num_householder, cu_seqlens, scale, initial_state, output_final_state, **rest):
    """Compute the gated delta product as a gated delta rule with n updates per token, in chunks of 16."""
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    steps = [x.new_zeros(x.shape[0], x.shape[1] * num_householder, *x.shape[2:]) for x in (q, g)]
    steps[0][:, num_householder - 1 :: num_householder] = q
    steps[1][:, ::num_householder] = g
    options = {"scale": scale, "initial_state": initial_state, "output_final_state": output_final_state}
    options["cu_seqlens"] = None if cu_seqlens is None else cu_seqlens * num_householder
    chunk = 16 * num_householder
    outputs, state = chunked.gated_delta(q=steps[0], g=steps[1], chunk=chunk, **options, **rest)
    return outputs[:, num_householder - 1 :: num_householder], state


def normalised(*, q, k, v, **rest):
    """Compute normalised linear attention in chunks, with the normaliser as an additional column."""
    ones = torch.ones_like(v[..., :1])
    outputs, state = chunked.gla(q=q, k=k, v=torch.cat([v, ones], -1), g=torch.zeros_like(k), scale=1, **rest)
    return outputs[..., :-1] / outputs[..., -1:], state


def hgrn2(*, g, **rest):
    """Compute HGRN2 in chunks, as gated linear attention with keys 1 - exp(g)."""
    return chunked.gla(g=g, k=1 - g.exp(), **rest)


def interpolated(mixed):
    """Return a kernel of a minimal GRU whose step is ``mixed(h, u, z)``."""

    def one(tensors, state, scale):
        z, u = tensors["z"], tensors["u"]
        h, outputs = u[:, :0].sum(1) if state is None else state, []
        for t in range(u.shape[1]):
            h = mixed(h, u[:, t], z[:, t])
            outputs.append(h)
        return stacked(outputs, u), h

    return over_strings(one)


def interpolated_states(mixed, weight=lambda g: 1 - g.exp()):
    """Return a kernel of HGRN2 whose step is ``mixed(S, v, k)``, where the keys k are ``weight(g)``."""

    def one(tensors, state, scale):
        q, v, k = tensors["q"], tensors["v"], weight(tensors["g"])
        scale = q.shape[-1] ** -0.5 if scale is None else scale
        s = v.new_zeros(*k[:, :0].sum(1).shape, v.shape[-1]) if state is None else state
        outputs = []
        for t in range(v.shape[1]):
            s = mixed(s, v[:, t, :, None].expand(s.shape), k[:, t, ..., None].expand(s.shape))
            outputs.append(scale * (q[:, t, ..., None] * s).sum(-2))
        return stacked(outputs, v), s

    return over_strings(one)


@over_strings
def parallel_convolution(tensors, state, scale):
    """Compute a causal convolution of all tokens at once with torch's convolution."""
    x, weight = tensors["x"], tensors["weight"]
    state = x.new_zeros(x.shape[0], *weight.shape) if state is None else state
    joined = torch.cat([state, x.mT], -1)
    if not x.shape[1]:
        return x, state
    y = torch.nn.functional.conv1d(joined[..., 1:], weight[:, None], tensors["bias"], groups=x.shape[2])
    return y.mT, joined[..., x.shape[1] :]


class Shifted(torch.autograd.Function):
    """An identity function of a convolution's final state, whose gradient may go to the wrong inputs.

    The gradient is wrong if there are fewer than W - 1 tokens, where W is the width of the convolution. This
    is the fault of flash-linear-attention's issue 1140.
    """

    @staticmethod
    def forward(ctx, state, time):
        ctx.time = time
        return state.clone()

    @staticmethod
    def backward(ctx, flow):
        time, width = ctx.time, flow.shape[-1]
        if time < width - 1:
            flow = torch.cat([flow[..., : width - time], flow[..., 1 : 1 + time]], -1)
        return flow, None


@over_strings
def shifted_convolution(tensors, state, scale):
    outputs, state = KERNELS["causal-conv1d"](initial_state=state, **tensors)
    return outputs, Shifted.apply(state, tensors["x"].shape[1])


@over_strings
def detached_convolution(tensors, state, scale):
    """Compute a convolution without the gradient of those initial inputs that remain in the state."""
    outputs, last = KERNELS["causal-conv1d"](initial_state=state, **tensors)
    left = max(0, last.shape[-1] - tensors["x"].shape[1])
    return outputs, torch.cat([last[..., :left].detach(), last[..., left:]], -1)


CHUNKED = {
    "simple-gla": simple_gla,
    "lightning-attention": simple_gla,
    "kda": kda,
    "comba": comba,
    "normalised-linear-attention": normalised,
    "gated-delta-product": delta_product,
    "hgrn2": hgrn2,
}
STEPS = {
    "lerp": torch.lerp,
    "lerp of 1 - z": lambda h, u, z: torch.lerp(u, h, 1 - z),
    "h + z (u - h)": lambda h, u, z: h + z * (u - h),
    "u + (1 - z) (h - u)": lambda h, u, z: u + (1 - z) * (h - u),
    "(h + z u) - z h": lambda h, u, z: (h + z * u) - z * h,
    "((1 - z) h + u) - (1 - z) u": lambda h, u, z: ((1 - z) * h + u) - (1 - z) * u,
}
"""Steps of a convex combination in forms that are equal without rounding."""
INTERPOLATED = {"min-gru": ("z", "u", interpolated), "hgrn2": ("g", "v", interpolated_states)}


@pytest.mark.parametrize("kind", ["sampled", "gradient"])
@pytest.mark.parametrize("family", CHUNKED)
def test_a_chunked_kernel_holds(family, kind):
    claim = kernel_claim("right", family=family, kernel=CHUNKED[family], form="chunked", chunk=16)
    assert verdicts(claim, 20, kind) == {kind: "holds"}


def test_an_elementwise_kernel_may_lack_initial_states():
    def kernel(*, f, u):
        return KERNELS["elementwise"](f=f, u=u, initial_state=torch.zeros_like(u[:, :0].sum(1)))

    claim = kernel_claim("mine", family="elementwise", kernel=kernel, without=("initial-state",))
    assert verdicts(claim, kind="sampled") == {"sampled": "holds"}


def test_a_parallel_convolution_holds():
    claim = kernel_claim("right", family="causal-conv1d", kernel=parallel_convolution)
    assert set(verdicts(claim, 20).values()) == {"holds"}


@pytest.mark.parametrize("kernel", [shifted_convolution, detached_convolution])
def test_a_wrong_gradient_through_the_state_of_a_convolution_is_refuted(kernel):
    claim = kernel_claim("wrong", family="causal-conv1d", kernel=kernel)
    result = results(claim, 60, "gradient")["gradient"]
    assert str(result.verdict) == "refuted" and result.counterexample.sizes[0] < 8
    assert verdicts(claim, 60, "sampled") == {"sampled": "holds"}


@pytest.mark.usefixtures("unshrunk")
def test_slopes_may_have_no_gradient():
    kernel = lambda *, g, **rest: KERNELS["lightning-attention"](g=g.detach(), **rest)
    declared = {"family": "lightning-attention", "kernel": kernel}
    assert verdicts(kernel_claim("wrong", **declared), 40, "gradient") == {"gradient": "refuted"}
    claim = kernel_claim("right", without=("decay-gradient",), **declared)
    assert verdicts(claim, 40, "gradient") == {"gradient": "holds"}


@pytest.mark.parametrize("kind", ["sampled", "gradient"])
@pytest.mark.parametrize("mixed", STEPS.values(), ids=STEPS)
@pytest.mark.parametrize(
    ("family", "kernel"),
    [("min-gru", interpolated), ("hgrn2", interpolated_states)],
    ids=["min-gru", "hgrn2"],
)
def test_a_convex_combination_may_add_a_difference(family, kernel, mixed, kind):
    claim = kernel_claim("right", family=family, kernel=kernel(mixed))
    assert verdicts(claim, 20, kind) == {kind: "holds"}


@pytest.mark.parametrize("kind", ["sampled", "gradient"])
@pytest.mark.parametrize("family", INTERPOLATED)
def test_a_kernel_in_chunks_may_interpolate_token_by_token(family, kind):
    kernel = INTERPOLATED[family][2](STEPS["h + z (u - h)"])
    claim = kernel_claim("right", family=family, kernel=kernel, form="chunked", chunk=16)
    assert verdicts(claim, 20, kind) == {kind: "holds"}


@pytest.mark.parametrize("kind", ["sampled", "gradient"])
def test_the_keys_of_hgrn2_may_be_computed_with_expm1(kind):
    kernel = interpolated_states(STEPS["h + z (u - h)"], lambda g: -g.expm1())
    claim = kernel_claim("right", family="hgrn2", kernel=kernel, gate_gradient="direct")
    assert verdicts(claim, 20, kind) == {kind: "holds"}


@pytest.mark.parametrize("mixed", STEPS.values(), ids=STEPS)
@pytest.mark.parametrize("family", INTERPOLATED)
def test_no_form_of_a_convex_combination_exceeds_its_bound(family, mixed):
    """Gates close to 0 and 1, and inputs that are much larger or smaller than the state."""
    gate, value, kernel = INTERPOLATED[family]
    for seed, size in enumerate((1e-3, 1.0, 1e3)):
        problem = one_lane(family, time=2, rows=2_000, seed=seed)
        arrays, rng = problem.arrays(), np.random.default_rng(seed)
        weight = 10.0 ** rng.uniform(-6, 0, arrays[gate].shape)
        weight = np.where(rng.random(weight.shape) < 0.5, weight, 1 - weight)
        arrays[gate] = weight if family == "min-gru" else np.log(1 - np.minimum(weight, 1 - 1e-6))
        arrays[value] = size * arrays[value]
        arrays = {name: problem.in_format(name, array) for name, array in arrays.items()}
        right = Kernel("right", FAMILIES[family], kernel(mixed), KernelForm())
        compare(right, problem, arrays)
        weights = problem.weights()
        call = right.gradients(problem, arrays, weights)
        shown = ShownCall(right, problem, arrays, "", weights)
        hold_call(shown, call, lambda own: recurrence(problem, arrays, own, weights))  # noqa: B023


@pytest.mark.parametrize("family", INTERPOLATED)
def test_the_bound_of_a_convex_combination_shows_a_relative_error_of_1e_4(family):
    """The error is in the outputs of one of the first 64 tokens of a long sequence."""
    problem = replace(one_lane(family, time=2_049, rows=2, seed=0), heads=2, keys=2, values=3)
    for token in (0, 5, 31, 63):

        def wrong(token=token, **arguments):
            outputs, state = KERNELS[family](**arguments)
            outputs[:, token] *= 1 + 1e-4
            return outputs, state

        with pytest.raises(WrongCall):
            compare(Kernel("wrong", FAMILIES[family], wrong, KernelForm()), problem, problem.arrays())


def one_lane(family, time, rows, seed):
    """Return a call in float32 with one lane, or one head with one key and one value."""
    sizes = {"batch": rows, "heads": 1, "keys": 1, "values": 1, "packed": False, "has_initial_state": True}
    options = {"scale": 1.0, "numbers": "real", "gates": "mild", "directions": "free", "seed": seed}
    return Problem(FAMILIES[family], "float32", "float32", (time,), **sizes, **options)


@pytest.mark.parametrize("family", ["lru", "mamba-2", "selective-scan", "ssd"])
def test_the_kernels_of_state_space_layers_have_families(family):
    kernel = KERNELS["mamba-2" if family == "ssd" else family]
    assert verdicts(kernel_claim("right", family=family, kernel=kernel), kind="sampled") == {
        "sampled": "holds"
    }


def changed(family, **changes):
    """Return a kernel of the family that first changes some of its input tensors."""

    def kernel(**arguments):
        for name, change in changes.items():
            arguments[name] = change(arguments[name])
        return KERNELS[family](**arguments)

    return kernel


def without_normaliser(state):
    """Return an initial state whose normaliser is 0."""
    return None if state is None else torch.cat([state[..., :-1], torch.zeros_like(state[..., -1:])], -1)


def divided_by_at_least_one(q, *, k, v, **rest):
    """Compute normalised linear attention with the divisor max(z^T q, 1)."""
    values = torch.cat([v, torch.ones_like(v[..., :1])], -1)
    outputs, state = KERNELS["linear-attention"](q=q, k=k, v=values, scale=1, **rest)
    return outputs[..., :-1] / outputs[..., -1:].clamp(min=1), state


def reversed_steps(steps, arguments):
    """Reverse the order of the steps of each token in the arguments."""
    turn = lambda x: x.unflatten(1, (-1, steps)).flip(2).flatten(1, 2) if x.numel() else x
    return {name: turn(x) if name in ("k", "v", "beta") else x for name, x in arguments.items()}


def decayed_afterwards(family):
    """Return a kernel that applies each token's decay after its update instead of before."""

    def kernel(*, g, cu_seqlens, **rest):
        later = torch.cat([torch.zeros_like(g[:, :1]), g[:, :-1]], 1)
        if cu_seqlens is not None:
            later[:, cu_seqlens[:-1][cu_seqlens[:-1] < g.shape[1]].long()] = 0
        outputs, state = KERNELS[family](g=later, cu_seqlens=cu_seqlens, **rest)
        return outputs, state

    return kernel


FAULTS = {
    "simple-gla: the next head's gate": ("simple-gla", changed("simple-gla", g=lambda g: g.roll(1, -1))),
    "simple-gla: decays after the update": ("simple-gla", decayed_afterwards("simple-gla")),
    "lightning-attention: the heads reversed": (
        "lightning-attention",
        changed("lightning-attention", g=lambda g: g.flip(0)),
    ),
    "lightning-attention: slopes in float16": (
        "lightning-attention",
        changed("lightning-attention", g=lambda g: g.half().to(g.dtype)),
    ),
    "kda: decays after the update": ("kda", decayed_afterwards("kda")),
    "kda: without beta": ("kda", changed("kda", beta=torch.ones_like)),
    "kda: the mean gate of a head": (
        "kda",
        changed("kda", g=lambda g: g.mean(-1, keepdim=True).expand(g.shape)),
    ),
    "comba: reads with k": ("comba", lambda *, k, p, **rest: KERNELS["comba"](k=k, p=k, **rest)),
    "comba: reads after the decay": (
        "comba",
        lambda *, p, g, **rest: KERNELS["comba"](p=p * g.exp()[..., None], g=g, **rest),
    ),
    "comba: without beta": ("comba", changed("comba", beta=torch.ones_like)),
    "gated-delta-product: the steps of a token reversed": (
        "gated-delta-product",
        lambda *, num_householder, **rest: KERNELS["gated-delta-product"](
            num_householder=num_householder, **reversed_steps(num_householder, rest)
        ),
    ),
    "gated-delta-product: without beta": (
        "gated-delta-product",
        changed("gated-delta-product", beta=torch.ones_like),
    ),
    "gated-delta-product: the next token's gate": (
        "gated-delta-product",
        changed("gated-delta-product", g=lambda g: g.roll(-1, 1)),
    ),
    "normalised-linear-attention: without the initial normaliser": (
        "normalised-linear-attention",
        changed("normalised-linear-attention", initial_state=without_normaliser),
    ),
    "normalised-linear-attention: a divisor of at least 1": (
        "normalised-linear-attention",
        lambda *, q, **rest: divided_by_at_least_one(q, **rest),
    ),
    "hgrn2: keys of 1": ("hgrn2", lambda *, g, **rest: KERNELS["gla"](g=g, k=torch.ones_like(g), **rest)),
    "hgrn2: decays after the update": (
        "hgrn2",
        lambda *, g, **rest: decayed_afterwards("gla")(g=g, k=1 - g.exp(), **rest),
    ),
    "min-gru: z and 1 - z exchanged": ("min-gru", changed("min-gru", z=lambda z: 1 - z)),
    "min-gru: the next token's gate": ("min-gru", changed("min-gru", z=lambda z: z.roll(-1, 1))),
    "min-lstm: without the input gate": ("min-lstm", changed("min-lstm", i=torch.ones_like)),
    "min-lstm: normalised gates": (
        "min-lstm",
        lambda *, f, i, **rest: KERNELS["min-lstm"](f=f / (f + i + 1e-9), i=i / (f + i + 1e-9), **rest),
    ),
    "causal-conv1d: the weights reversed": (
        "causal-conv1d",
        changed("causal-conv1d", weight=lambda weight: weight.flip(-1)),
    ),
    "causal-conv1d: without bias": ("causal-conv1d", changed("causal-conv1d", bias=torch.zeros_like)),
    "lru: the conjugate factor": ("lru", changed("lru", f=lambda f: f * f.new_tensor([1.0, -1.0]))),
    "mamba-2: the next head's rate": ("mamba-2", changed("mamba-2", a=lambda a: a.roll(1, 0))),
    "selective-scan: one rate per head": (
        "selective-scan",
        changed("selective-scan", a=lambda a: a[:, :1].expand(a.shape)),
    ),
}


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize(("family", "kernel"), FAULTS.values(), ids=FAULTS)
def test_a_planted_fault_is_refuted(family, kernel):
    claim = kernel_claim("wrong", family=family, kernel=kernel)
    assert verdicts(claim, 60, "sampled") == {"sampled": "refuted"}


def test_a_kernel_that_is_wrong_only_beyond_4096_tokens_is_refuted(very_long):
    """The state is halved after 4,096 tokens."""
    family = "hgrn"

    def kernel(*, initial_state, cu_seqlens, **rest):
        name = FAMILIES[family].value
        if cu_seqlens is not None or rest[name].shape[1] <= 4096:
            return KERNELS[family](initial_state=initial_state, cu_seqlens=cu_seqlens, **rest)
        axes = FAMILIES[family].tensors
        parts = (
            {n: x[:, cut] if "T" in axes.get(n, "") else x for n, x in rest.items()}
            for cut in (slice(0, 4096), slice(4096, None))
        )
        first, state = KERNELS[family](**next(parts), initial_state=initial_state)
        last, state = KERNELS[family](**next(parts), initial_state=state / 2)
        return torch.cat([first, last], 1), state

    claim = kernel_claim("wrong", family=family, kernel=kernel)
    result = results(claim, 7, "sampled")["sampled"]
    assert str(result.verdict) == "refuted" and result.counterexample.sizes[0] > 4096


@pytest.mark.parametrize(
    ("declared", "longest"),
    [
        ({}, 8193),
        ({"multiple": 64, "without": ("cu_seqlens",)}, 8192),
        ({"longest": 5000}, 5000),
        ({"longest": 100}, 100),
        ({"lengths": (7, 9)}, 9),
        ({"form": "chunked", "chunk": 2049}, 2049),
        ({"sizes": {"K": (64,), "V": (64,)}}, 2049),
    ],
)
def test_the_long_call_respects_the_declared_sizes(declared, longest, very_long, all_lengths):
    kernel = kernel_claim("mine", family="gla", kernel=KERNELS["gla"], **declared).kernel
    groups = list(groups_of(kernel, 100, 0, small=False, long=True))
    assert max(max(times) for group in groups for times in group.sizes.times) == longest
