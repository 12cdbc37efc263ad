"""Tests of verdicts on kernels: correct kernels hold in every check, and mistakes are refuted or reported."""

import re
import sys
from functools import partial
from types import SimpleNamespace

import pytest
import torch

from automata.errors import InputError
from proofs_tests.kernels.chunked import delta, gated_delta, gla
from proofs_tests.kernels.conftest import SHORT
from proofs_tests.kernels.recurrent import KERNELS
from ratproof import believe_kernel
from ratproof.evidence.subjects import registered
from ratproof.ladder.user_files import outcome_of
from ratproof.laws.kernels import watch
from ratproof.laws.kernels.bounds import run
from ratproof.laws.kernels.bounds.rounding import KernelForm
from ratproof.laws.kernels.family import FAMILIES, LinearRecurrence
from ratproof.laws.kernels.problem import Problem
from ratproof.laws.runner import memory_capped

FEW = len(SHORT)
"""One call of each length."""
RUNGS = ("exact", "sampled", "gradient", "split", "independence")


def results(claim, examples=FEW, kind=None):
    with registered(claim):
        return {
            r.kind: r
            for r in outcome_of([claim], "test", kinds=[kind] if kind else [], examples=examples).results
        }


def verdicts(claim, examples=FEW, kind=None):
    return {kind: str(r.verdict) for kind, r in results(claim, examples, kind).items()}


@pytest.mark.parametrize("family", ["hgrn", "gla", "rwkv-7"])
def test_a_recurrent_kernel_holds_in_every_check(family):
    claim = believe_kernel("right", family=family, kernel=KERNELS[family])
    assert verdicts(claim) == dict.fromkeys(RUNGS, "holds")


@pytest.mark.parametrize("family", sorted({*FAMILIES} - {"hgrn", "gla", "rwkv-7"}))
def test_a_recurrent_kernel_of_every_family_holds(family):
    claim = believe_kernel("right", family=family, kernel=KERNELS[family])
    assert verdicts(claim, kind="sampled") == {"sampled": "holds"}


@pytest.mark.parametrize(
    ("family", "kernel", "more"),
    [
        ("gla", gla, {}),
        ("delta-rule", partial(delta, inverse="explicit"), {"inverse": "explicit"}),
        ("gated-delta-rule", gated_delta, {}),
    ],
)
def test_a_chunked_kernel_holds_in_every_check(family, kernel, more):
    claim = believe_kernel("right", family=family, kernel=kernel, **{"form": "chunked", "chunk": 16, **more})
    assert set(verdicts(claim).values()) == {"holds"}


def test_a_chunked_kernel_holds_on_sequences_of_every_length(all_lengths):
    kernel = partial(gla, chunk=64)
    claim = believe_kernel("right", family="gla", kernel=kernel, form="chunked", chunk=64)
    assert verdicts(claim, kind="gradient") == {"gradient": "holds"}


MISTAKES = {
    "scale applied twice": "exact",
    "a neighbour seen": "independence",
    "the diagonal left out": "exact",
    "an edge rounded": "sampled",
    "the remainder lost": "split",
    "rows mixed": "independence",
    "heads reversed at the end": "split",
}


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize(("mistake", "kind"), MISTAKES.items())
def test_a_mistake_in_a_chunked_kernel_is_refuted(mistake, kind):
    claim = believe_kernel(
        "wrong", family="gla", kernel=partial(gla, mistake=mistake), form="chunked", chunk=16
    )
    assert verdicts(claim, 100, kind) == {kind: "refuted"}


def changed(family, name, change):
    """Return a kernel of the family that changes the input tensor ``name`` first."""

    def kernel(**arguments):
        return KERNELS[family](**{**arguments, name: change(arguments[name])})

    return kernel


ARGUMENTS = [
    ("rwkv-6", "u", torch.zeros_like),
    ("rwkv-6", "u", lambda u: u.flip(0)),
    ("rwkv-7", "w", lambda w: w.roll(1, 1)),
    ("gla", "g", lambda g: g.clamp(min=-5)),
    ("linear-attention", "v", lambda v: v.half().to(v.dtype)),
    ("gated-delta-rule", "beta", lambda b: b.flip(-1)),
    ("gated-delta-rule", "g", lambda g: g - g.cumsum(1) + g.cumsum(1)),
    ("delta-rule", "beta", lambda b: b.clamp(max=1)),
    ("retention", "scale", lambda s: 1.0 if s is None else s),
    ("hgrn", "initial_state", lambda s: None),
    ("hgrn", "cu_seqlens", lambda c: c if c is None else c.clone().clamp(max=int(c[-1]) - 1)),
    ("elementwise", "f", lambda f: f.relu()),
    ("elementwise", "u", lambda u: u.mul_(1.0001)),
]


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize(("family", "name", "change"), ARGUMENTS)
def test_a_kernel_that_reads_another_tensor_is_refuted(family, name, change):
    claim = believe_kernel("wrong", family=family, kernel=changed(family, name, change))
    assert verdicts(claim, 100, "sampled") == {"sampled": "refuted"}


class Flow(torch.autograd.Function):
    """An identity function whose gradient is changed."""

    @staticmethod
    def forward(ctx, x, change):
        ctx.change = change
        return x.clone()

    @staticmethod
    def backward(ctx, flow):
        return ctx.change(flow), None


def flowing(family, name, change):
    """Return a kernel of the family that changes the gradient of the argument or result ``name``."""

    def kernel(**arguments):
        if name in arguments and arguments[name] is not None:
            arguments[name] = Flow.apply(arguments[name], change)
        results = dict(zip(("o", "final_state"), KERNELS[family](**arguments), strict=True))
        if name in results:
            results[name] = Flow.apply(results[name], change)
        return tuple(results.values())

    return kernel


def nothing(flow):
    return 0 * flow


FLOWS = [
    ("hgrn", "final_state", nothing),
    ("elementwise", "initial_state", nothing),
    ("elementwise", "f", lambda flow: flow * 1.0001),
    ("hgrn", "g", lambda flow: flow.roll(1, 1)),
    ("gla", "q", lambda flow: flow * 2),
    ("gla", "initial_state", lambda flow: flow.flip(1)),
    ("gla", "g", lambda flow: flow.half().to(flow.dtype)),
    ("retention", "k", lambda flow: flow - 1e-4 * flow.abs()),
    ("linear-attention", "v", lambda flow: flow.flip(-1)),
    ("delta-rule", "beta", nothing),
    ("delta-rule", "k", lambda flow: flow.roll(1, 1)),
    ("gated-delta-rule", "g", lambda flow: flow + 1e-3),
    ("rwkv-6", "u", nothing),
    ("rwkv-6", "w", lambda flow: flow.roll(-1, 1)),
    ("rwkv-7", "a", lambda flow: -flow),
    ("rwkv-7", "b", lambda flow: flow * 1.001),
]


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize(("family", "name", "change"), FLOWS)
def test_a_kernel_with_another_gradient_is_refuted(family, name, change):
    claim = believe_kernel("wrong", family=family, kernel=flowing(family, name, change))
    result = results(claim, 2 * FEW, "gradient")["gradient"]
    assert str(result.verdict) == "refuted"
    where = f"{name}.grad" if name in FAMILIES[family].tensors or name == "initial_state" else ".grad"
    assert where in result.counterexample.position


class Cumulated(torch.autograd.Function):
    """An autograd function for HGRN that computes the gate's gradient as a sum over later tokens."""

    @staticmethod
    def forward(ctx, x, g, start):
        ctx.save_for_backward(x, g, start)
        return KERNELS["hgrn"](x=x, g=g, initial_state=start)

    @staticmethod
    def backward(ctx, to_outputs, to_state):
        x, g, start = ctx.saved_tensors
        outputs, state = KERNELS["hgrn"](x=x, g=g, initial_state=start)
        flow, flows = to_state, torch.zeros_like(x)
        for t in reversed(range(x.shape[1])):
            flow = flows[:, t] = flow + to_outputs[:, t]
            flow = flow * g[:, t].exp()
        later = (outputs * to_outputs - x * flows).flip(1).cumsum(1).flip(1)
        return flows, later + (state * to_state)[:, None], flow


def test_gradients_of_gates_may_be_sums_over_later_tokens_unless_disallowed():
    def kernel(*, x, g, initial_state):
        return Cumulated.apply(x, g, x.new_zeros(x[:, 0].shape) if initial_state is None else initial_state)

    declared = {"family": "hgrn", "kernel": kernel, "without": ("cu_seqlens", "empty")}
    assert verdicts(believe_kernel("right", **declared), 60, "gradient") == {"gradient": "holds"}
    direct = believe_kernel("wrong", gate_gradient="direct", **declared)
    assert verdicts(direct, 60, "gradient") == {"gradient": "refuted"}


def test_gradients_that_end_at_a_chunk_boundary_are_refuted():
    kernel = partial(gla, mistake="gradients that end at an edge")
    claim = believe_kernel("wrong", family="gla", kernel=kernel, form="chunked", chunk=16)
    result = results(claim, 100, "gradient")["gradient"]
    assert str(result.verdict) == "refuted" and "T = 0" not in result.counterexample.problem


def test_a_kernel_without_gradients_declares_it_or_is_refuted():
    def kernel(**arguments):
        with torch.no_grad():
            return KERNELS["hgrn"](**arguments)

    wrong = believe_kernel("wrong", family="hgrn", kernel=kernel)
    assert verdicts(wrong, kind="gradient") == {"gradient": "refuted"}
    assert "gradient" not in verdicts(
        believe_kernel("plain", family="hgrn", kernel=kernel, without=("gradient",))
    )


@pytest.mark.usefixtures("unshrunk")
def test_exchanged_factors_are_refuted():
    kernel = lambda *, a, b, **rest: KERNELS["rwkv-7"](a=b, b=a, **rest)
    claim = believe_kernel("wrong", family="rwkv-7", kernel=kernel)
    assert verdicts(claim, 100, kind="exact") == {"exact": "refuted"}


def test_a_late_mistake_is_found_at_its_shortest_length(all_lengths):
    def kernel(**arguments):
        outputs, states = KERNELS["hgrn"](**arguments)
        return torch.cat([outputs[:, :200], outputs[:, 200:] * 1.01], 1), states

    result = results(believe_kernel("wrong", family="hgrn", kernel=kernel), 100, "sampled")["sampled"]
    assert "T = 201," in result.counterexample.problem and result.counterexample.position == "o[0, 200, 0]"


def test_first_order_corrections_do_not_replace_an_inverse():
    claim = believe_kernel(
        "wrong", family="delta-rule", kernel=partial(delta, inverse="first order"), form="chunked", chunk=16
    )
    assert verdicts(claim, kind="exact") == {"exact": "refuted"}


def test_a_users_own_family_needs_no_change_here():
    """The family is decayed linear attention that is read before its update."""
    tensors = {"q": "BTHK", "k": "BTHK", "v": "BTHV", "g": "BTH", "zero": "HK"}
    family = LinearRecurrence("own", tensors, decay="g", bonus="zero")

    def kernel(*, q, k, v, g, zero, **rest):
        return KERNELS["rwkv-6"](r=q, k=k, v=v, w=g[..., None].expand(k.shape), u=zero, **rest)

    assert set(verdicts(believe_kernel("own", family=family, kernel=kernel)).values()) == {"holds"}


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize(
    ("family", "dtype"), [("gla", "float16"), ("delta-rule", "bfloat16"), ("hgrn", "bfloat16")]
)
def test_a_kernel_with_low_precision_inputs_and_float32_accumulation_holds(family, dtype):
    def widening(**arguments):
        wide = {
            n: x.float() if isinstance(x, torch.Tensor) and x.is_floating_point() else x
            for n, x in arguments.items()
        }
        outputs, states = KERNELS[family](**wide)
        return outputs.to(getattr(torch, dtype)), states

    declared = {"family": family, "dtypes": (dtype,), "accumulation": "float32"}
    right = believe_kernel("right", kernel=widening, **declared)
    assert verdicts(right) == dict.fromkeys(RUNGS, "holds")
    without = believe_kernel("right", kernel=widening, without=("narrow-gradient",), **declared)
    assert without.variants[0].kinds == tuple(kind for kind in RUNGS if kind != "gradient")

    def narrow(**arguments):
        name = FAMILIES[family].value
        arguments[name] = (arguments[name].float() * 1.02).to(getattr(torch, dtype))
        return widening(**arguments)

    wrong = believe_kernel("wrong", kernel=narrow, **declared)
    assert verdicts(wrong, 100, "sampled") == {"sampled": "refuted"}

    def off(**arguments):
        name = FAMILIES[family].value
        arguments[name] = Flow.apply(arguments[name], lambda flow: 1.02 * flow)
        return widening(**arguments)

    wrong = believe_kernel("wrong", kernel=off, **declared)
    assert verdicts(wrong, 40, "gradient") == {"gradient": "refuted"}


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize(("summed", "verdict"), [(False, "holds"), (True, "refuted")])
def test_gradients_that_are_summed_in_bfloat16_are_refuted(summed, verdict):
    """The gradient of u is a sum over all tokens, and each of its terms is rounded to bfloat16."""

    def kernel(*, u, **tensors):
        wide = {
            n: x.float() if getattr(x, "dtype", None) == torch.bfloat16 else x for n, x in tensors.items()
        }
        if summed:
            u = Flow.apply(u[None, None].expand(tensors["r"].shape), lambda flow: flow)
            bonus = (wide["r"] * u.float() * wide["k"]).sum(-1, keepdim=True) * wide["v"]
            scale = tensors["r"].shape[-1] ** -0.5 if tensors["scale"] is None else tensors["scale"]
            outputs, state = KERNELS["rwkv-6"](u=torch.zeros(u.shape[2:]), **wide)
            return (outputs + scale * bonus).bfloat16(), state
        outputs, state = KERNELS["rwkv-6"](u=u.float(), **wide)
        return outputs.bfloat16(), state

    declared = {"family": "rwkv-6", "dtypes": ("bfloat16",), "accumulation": "float32"}
    claim = believe_kernel("sums", kernel=kernel, **declared)
    assert verdicts(claim, 40, "gradient") == {"gradient": verdict}


def test_a_script_shows_the_counterexample_without_ratproof(monkeypatch, capsys):
    claim = believe_kernel("wrong", family="gla", kernel=partial(gla, mistake="scale applied twice"))
    example = results(claim, 100, kind="exact")["exact"].counterexample
    text = example.script
    assert "ratproof" not in text and f"Seed {example.seed}." in text
    user_file = SimpleNamespace(kernel=lambda **arguments: (arguments["q"][..., :1] * 7, None))
    monkeypatch.setitem(sys.modules, "kernel", user_file)
    exec(text.replace("final_state[", "o["), {})
    assert capsys.readouterr().out.startswith(example.position)


def test_the_script_of_a_gradient_shows_it(monkeypatch, capsys):
    claim = believe_kernel("wrong", family="hgrn", kernel=flowing("hgrn", "x", lambda flow: 2 * flow))
    example = results(claim, 100, kind="gradient")["gradient"].counterexample
    user_file = SimpleNamespace(kernel=lambda *, x, **rest: (x * 3, torch.zeros_like(x[:, 0])))
    monkeypatch.setitem(sys.modules, "kernel", user_file)
    exec(example.script, {})
    printed, _, value = capsys.readouterr().out.partition(" = ")
    assert printed == example.position.replace("x.grad", "arguments['x'].grad") and float(value) % 3 == 0


def test_a_failed_claim_raises_an_assertion_error():
    right = believe_kernel("right", family="hgrn", kernel=KERNELS["hgrn"])
    report = right.check(examples=FEW)
    assert report.as_expected and {result.claim for result in report.results} == {"right"}
    wrong = believe_kernel("wrong", family="hgrn", kernel=changed("hgrn", "x", lambda x: 2 * x))
    with pytest.raises(AssertionError, match=r"the kernel's o\[0, 0, 0\] is"):
        wrong.check(examples=FEW)


def test_unsupported_features_are_reported_and_not_tried():
    def kernel(*, q, k, v, scale, initial_state, output_final_state):
        assert k.shape[1] and k.is_contiguous()
        return KERNELS["linear-attention"](
            q=q, k=k, v=v, scale=scale, initial_state=initial_state, output_final_state=True, cu_seqlens=None
        )

    unsupported = ("cu_seqlens", "empty", "non-contiguous")
    answers = results(believe_kernel("plain", family="linear-attention", kernel=kernel, without=unsupported))
    assert {str(r.verdict) for r in answers.values()} == {"holds"}
    message = "not tested: packed sequences, empty sequences, non-contiguous tensors"
    assert message in answers["exact"].facts["module"]
    without = ("cu_seqlens",)
    missing = results(believe_kernel("plain", family="linear-attention", kernel=kernel, without=without))
    sampled = missing["sampled"]
    assert str(sampled.verdict) == "unknown"
    assert "raised AssertionError" in sampled.why and "(B = 1, T = 0," in sampled.why
    assert sampled.why.endswith("without=['empty'] leaves out empty inputs")
    with pytest.raises(InputError, match=r"no argument cu_seqlens; add without=\['cu_seqlens'\]"):
        believe_kernel("plain", family="linear-attention", kernel=kernel)


def test_a_kernel_that_needs_multiples_of_a_length_gets_only_these():
    def kernel(**arguments):
        assert arguments["x"].shape[1] % 16 == 0
        outputs, states = KERNELS["hgrn"](**arguments)
        return torch.cat([outputs[:, :16], outputs[:, 16:] * wrong], 1), states

    declared = {"family": "hgrn", "kernel": kernel, "without": ("cu_seqlens",)}
    wrong = 1.0
    answers = results(believe_kernel("right", multiple=16, **declared))
    assert {str(r.verdict) for r in answers.values()} == {"holds"} and answers["split"].cases
    assert "lengths other than multiples of 16" in answers["exact"].facts["module"]
    assert str(results(believe_kernel("any", **declared), kind="sampled")["sampled"].verdict) == "unknown"
    wrong = 2.0
    result = results(believe_kernel("wrong", multiple=16, **declared), 100, "sampled")["sampled"]
    assert "T = 32," in result.counterexample.problem


def test_a_kernel_gets_no_more_tokens_than_its_maximum():
    seen = []

    def kernel(**arguments):
        seen.append(arguments["x"].shape[1])
        return KERNELS["hgrn"](**arguments)

    answers = results(believe_kernel("short", family="hgrn", kernel=kernel, longest=20))
    assert {str(r.verdict) for r in answers.values()} == {"holds"} and max(seen) == 20
    assert "more than 20 tokens" in answers["exact"].facts["module"]


OTHER_KINDS = [
    (lambda u, state: u, "result is a Tensor, the recurrence's is a tuple", "result"),
    (lambda u, state: (u, None), "final_state is None, the recurrence's is a tensor of shape", "final_state"),
    (lambda u, state: (u.half(), state), "and float16, the recurrence's is", "o"),
    (lambda u, state: (u, state.mT), "final_state is a tensor of shape", "final_state"),
    (lambda u, state: (u[:, :16], state), "T = 17, D = 1, float32, an initial state", "o"),
]


@pytest.mark.parametrize(("change", "says", "name"), OTHER_KINDS)
def test_a_kernel_that_returns_a_wrong_type_is_refuted(change, says, name, monkeypatch, capsys):
    def kernel(**arguments):
        return change(*KERNELS["elementwise"](**arguments))

    claim = believe_kernel("odd", family="elementwise", kernel=kernel)
    for kind in ("sampled", "gradient"):
        result = results(claim, 60, kind)[kind]
        assert str(result.verdict) == "refuted"
        example = result.counterexample
        assert says in example.sentence() and example.position == name
    monkeypatch.setitem(sys.modules, "kernel", SimpleNamespace(kernel=kernel))
    exec(example.script, {})
    printed = capsys.readouterr().out
    described = re.findall(r"[A-Z]\w+|\(.*\)|float\d+", example.kernel)
    assert described and all(words in printed for words in described)


def test_calls_that_raise_hide_no_mistake_in_others():
    def kernel(*, cu_seqlens, **arguments):
        if cu_seqlens is not None:
            raise ValueError("strings are not packed")
        outputs, states = KERNELS["hgrn"](cu_seqlens=None, **arguments)
        return outputs * factor, states

    factor = 2.0
    claim = believe_kernel("raises", family="hgrn", kernel=kernel)
    assert verdicts(claim, 60, "sampled") == {"sampled": "refuted"}
    factor = 1.0
    result = results(claim, 60, "sampled")["sampled"]
    assert str(result.verdict) == "unknown" and result.cases > 30
    assert "raised ValueError: strings are not packed (B = 1, T = " in result.why


def test_a_gradient_that_raises_hides_no_mistake_in_others():
    def backward(flow):
        if len(flow) == 3:
            raise ValueError("three rows")
        return factor * flow

    factor = 1.0
    claim = believe_kernel("raises", family="hgrn", kernel=flowing("hgrn", "x", backward))
    result = results(claim, 60, "gradient")["gradient"]
    assert str(result.verdict) == "unknown" and result.cases > 30
    assert "the kernel's gradient raised ValueError: three rows (B = 3, T = " in result.why
    factor = 2.0
    assert verdicts(claim, 60, "gradient") == {"gradient": "refuted"}


def test_a_check_beyond_its_time_ends_as_unknown_or_refuted(monkeypatch):
    clock = 0

    def kernel(**arguments):
        nonlocal clock
        clock += 1  # one second per call
        outputs, states = KERNELS["hgrn"](**arguments)
        return outputs * factor, states

    monkeypatch.setattr(watch, "now", lambda: clock)
    factor = 1.0
    claim = believe_kernel("slow", family="hgrn", kernel=kernel, seconds=30)
    result = results(claim, 100, "sampled")["sampled"]
    assert str(result.verdict) == "unknown" and 30 <= result.cases <= 31
    assert "slow: 30 seconds were too short" in result.why
    factor, clock = 2.0, 0
    assert verdicts(claim, 100, "sampled") == {"sampled": "refuted"} and clock <= 32


@pytest.mark.parametrize(("most", "fraction"), [(None, 0.25), (3_000, 0.3)])
def test_a_gpus_memory_is_capped_meanwhile(monkeypatch, most, fraction):
    told = []
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 1)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (4_000, 10_000))
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda device: 1_000)
    monkeypatch.setattr(
        torch.cuda,
        "set_per_process_memory_fraction",
        lambda share, device: told.append((share, device.index)),
    )
    with memory_capped(torch.device("cuda"), most):
        assert told == [(fraction, 1)]
    assert told == [(fraction, 1), (1.0, 1)]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"family": "mamba"}, "the family must be one of linear-attention.* got 'mamba'"),
        ({"kernel": 3}, "the kernel must be a function, got a int"),
        ({"device": "gpu"}, "device must be a torch device, such as 'cuda', got 'gpu'"),
        ({"without": ("cu-seqlens",)}, "without must be one of .*cu_seqlens.*, got 'cu-seqlens'"),
        ({"without": "scale"}, "without must be a tuple of names, got 'scale'"),
        ({"without": None}, "without must be a tuple of names, got None"),
        ({"scan": None}, "scan must be one of any, chain, tree, double, got None"),
        ({"dtypes": (None,)}, "dtypes must be one of float32.*, got None"),
        ({"sizes": [("K", (4,))]}, "sizes must map axes to tuples of integers, got "),
        ({"dtypes": ("bfloat16",)}, r"accumulation must be .* got None for the dtypes \('bfloat16',\)"),
        ({"accumulation": "float32"}, "accumulation must be .* None otherwise, got 'float32' for the dtypes"),
        (
            {"dtypes": ("float16",), "accumulation": "float16"},
            "accumulation must be one of float32.*, got 'float16'",
        ),
        ({"dtypes": ("int8",)}, "dtypes must be one of float32, float64, bfloat16, float16, got 'int8'"),
        ({"dtypes": ()}, "dtypes must have at least one of [a-z0-9, ]+$"),
        ({"chunk": 16}, "chunk must be .*, got 16 for the form 'recurrent'"),
        ({"form": "chunked"}, "chunk must be .*, got None for the form 'chunked'"),
        ({"form": "parallel"}, "form must be one of recurrent, chunked, got 'parallel'"),
        ({"seconds": 0}, "seconds must be positive, got 0"),
        ({"lengths": 0}, "lengths must be a tuple of integers of at least 0, got 0"),
        ({"gpu_memory": 1.5}, "gpu_memory must be a positive number of bytes, got 1.5"),
        ({"longest": 0}, "longest must be an integer of at least 1, got 0"),
        (
            {"multiple": 16},
            "multiple must be 1 for a kernel that supports 'cu_seqlens', got 16; if it does not, add"
            " 'cu_seqlens' to without=",
        ),
        ({"multiple": 0, "without": ("cu_seqlens",)}, "multiple must be a positive integer, got 0"),
        ({"scan": "up"}, "scan must be one of any, chain, tree, double, got 'up'"),
        ({"inverse": "none"}, "inverse must be one of substitution, explicit, .*got 'none'"),
        ({"gate_gradient": "sum"}, "gate_gradient must be one of direct, cumulated, got 'sum'"),
    ],
)
def test_inconsistent_arguments_are_reported(more, says):
    with pytest.raises(InputError, match=f"mine: {says}"):
        believe_kernel("mine", **{"family": "gla", "kernel": KERNELS["gla"], **more})


@pytest.mark.parametrize("family", [name for name, own in FAMILIES.items() if own.function is None])
def test_the_reference_is_the_recurrence_in_exact_numbers(family):
    """Compare with the step-by-step kernel in float64. The values are integers, so nothing is rounded."""
    own = FAMILIES[family]
    lanes = 1 if own.lanes else 3
    scale = 2.0 if own.scaled else None
    problem = Problem(
        own, "float64", "float64", (7,), 2, 2, lanes, lanes, False, True, scale, "exact", "infinite", "hot", 5
    )
    arrays = problem.arrays()
    outputs, states = KERNELS[family](**problem.arguments(arrays))
    result = run(problem, arrays, KernelForm())
    difference = abs(outputs.numpy().reshape(result.outputs.shape) - result.outputs).max()
    assert difference <= (0 if own.exact else 1e-12)
    assert (abs(states.numpy().reshape(result.states.shape) - result.states) <= result.state_bounds).all()
