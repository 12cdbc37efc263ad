"""Tests of kernels whose recurrence is given as a Python step."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from torch.nn import functional

from automata.errors import InputError
from proofs_tests.kernels.test_believe_kernel import FEW, results, verdicts
from ratproof import kernel_claim
from ratproof.laws.kernels import comparison
from ratproof.laws.kernels.bounds import gradients, run
from ratproof.laws.kernels.bounds.rounding import KernelForm
from ratproof.laws.kernels.family import FAMILIES
from ratproof.laws.kernels.problem import Problem
from ratproof.laws.kernels.state_parts import step_with_one_state
from ratproof.laws.kernels.stepwise import as_kernel, stepwise

QKVG = {"q": "BTHK", "k": "BTHK", "v": "BTHV", "g": "BTHK log-decay"}


def gla(state, x):
    """Return a step of gated linear attention."""
    state = x["g"].exp()[..., None] * state + x["k"][..., None] * x["v"][..., None, :]
    return state, (state * x["q"][..., None]).sum(-2)


def leaky_tanh(state, x):
    """Return a step of a nonlinear unit."""
    state = x["f"] * state + (1 - x["f"]) * torch.tanh(x["u"])
    return state, state


def delta(state, x):
    """Return a step of the delta rule, with matrix products."""
    state = x["g"].exp()[..., None, None] * state
    read = (x["k"][..., None, :] @ state)[..., 0, :]
    state = state + (x["beta"][..., None] * x["k"])[..., None] * (x["v"] - read)[..., None, :]
    return state, (x["q"][..., None, :] @ state)[..., 0, :]


def multiplied_out(state, x):
    """Return the step of :func:`leaky_tanh` with (1 - f) u expanded to u - f u."""
    update = torch.tanh(x["u"])
    state = update - x["f"] * update + state * x["f"]
    return state, state


def faulty(fault):
    """Return the GLA step as a kernel with a planted fault."""

    def wrong(state, x):
        if fault == "decays late":
            state = x["g"].exp()[..., None] * (state + x["k"][..., None] * x["v"][..., None, :])
            return state, (state * x["q"][..., None]).sum(-2)
        state, output = gla(state, x)
        return (1.001 * state, output) if fault == "state scaled by 1.001" else (state, 1.001 * output)

    return as_kernel(replace(family_of(gla), function=wrong))


OPTIONS = {
    gla: {"inputs": QKVG},
    delta: {"inputs": {**QKVG, "g": "BTH log-decay", "beta": "BTH decay"}},
    leaky_tanh: {"inputs": {"f": "BTD decay", "u": "BTD"}, "state": "D", "output": "u"},
}


def claim_of(step, kernel, **more):
    """Return the claim that the kernel computes the step."""
    return kernel_claim("mine", step=step, kernel=kernel, longest=33, **OPTIONS[step], **more)


def family_of(step):
    """Return the family that ratproof derives from a step."""
    return claim_of(step, lambda **call: None).kernel.family


@pytest.mark.parametrize("step", OPTIONS)
def test_the_step_itself_holds(step):
    assert set(verdicts(claim_of(step, as_kernel(family_of(step))), FEW).values()) == {"holds"}


def with_keywords(state, x):
    """Return the step of :func:`leaky_tanh`, with operands that are passed by name, in any order."""
    state = torch.lerp(torch.tanh(input=x["u"]), weight=torch.sigmoid(input=x["f"]), end=state)
    state = torch.sub(other=torch.sum(input=x["u"][..., None], dim=-1), input=state)
    return state, state


def test_operands_of_a_step_may_be_passed_by_name():
    inputs = {"f": "BTD decay-logit", "u": "BTD"}
    options = {"step": with_keywords, "inputs": inputs, "state": "D", "output": "u", "longest": 17}
    options |= {"form": "chunked", "chunk": 8}
    kernel = as_kernel(kernel_claim("mine", kernel=lambda **call: None, **options).kernel.family)
    assert verdicts(kernel_claim("mine", kernel=kernel, **options), FEW, "sampled") == {"sampled": "holds"}


def test_a_factor_that_is_a_sum_may_be_multiplied_out():
    kernel = as_kernel(replace(family_of(leaky_tanh), function=multiplied_out))
    assert set(verdicts(claim_of(leaky_tanh, kernel), 20).values()) == {"holds"}


def interpolating(state, x):
    """Return the step of :func:`leaky_tanh`, computed with ``torch.lerp``."""
    state = torch.lerp(torch.tanh(x["u"]), state, x["f"])
    return state, state


def from_the_state(state, x, error=0.0):
    """Return the step of :func:`leaky_tanh` as the state plus a difference, with an error in the output."""
    state = state + (1 - x["f"]) * (torch.tanh(x["u"]) - state)
    return state, (1 + error) * state


OPTIONS_OF_LANES = OPTIONS[leaky_tanh] | {"gate_gradient": "direct", "longest": 33}


@pytest.mark.parametrize("kind", ["sampled", "gradient"])
@pytest.mark.parametrize("form", [leaky_tanh, multiplied_out, interpolating, from_the_state])
def test_a_step_with_lerp_allows_every_form_of_an_interpolation(form, kind):
    kernel = as_kernel(replace(family_of(leaky_tanh), function=form))
    claim = kernel_claim("mine", step=interpolating, kernel=kernel, **OPTIONS_OF_LANES)
    assert verdicts(claim, 20, kind) == {kind: "holds"}


@pytest.mark.usefixtures("unshrunk")
def test_a_fault_of_an_interpolation_is_refuted():
    kernel = as_kernel(replace(family_of(leaky_tanh), function=partial(from_the_state, error=1e-4)))
    claim = kernel_claim("mine", step=interpolating, kernel=kernel, **OPTIONS_OF_LANES)
    assert verdicts(claim, 20, "sampled") == {"sampled": "refuted"}


@pytest.mark.parametrize("step", OPTIONS)
def test_direct_gradients_have_derived_bounds(step):
    claim = claim_of(step, as_kernel(family_of(step)), gate_gradient="direct")
    assert not claim.kernel.measures_gradients
    assert verdicts(claim, FEW, kind="gradient") == {"gradient": "holds"}


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("fault", ["decays late", "output scaled by 1.001"])
def test_a_fault_of_a_direct_gradient_is_refuted(fault):
    claim = claim_of(gla, faulty(fault), gate_gradient="direct")
    assert verdicts(claim, 40, kind="gradient") == {"gradient": "refuted"}


def test_gradients_agree_with_the_family():
    problem = call(gla)
    own = stepwise(problem, problem.arrays(), KernelForm(), problem.weights())
    as_family = replace(problem, family=FAMILIES["gla"], scale=1.0)
    weights = problem.weights()
    expected = gradients(
        as_family, problem.arrays(), weights["o"], weights["final_state"], KernelForm(), False
    )
    for name, (value, bound) in expected.items():
        ours, ours_bound = own[f"{name}.grad"]
        assert abs(ours - value).max() < 1e-12
        assert (ours_bound < 16 * bound).all()


FAULTS = {
    "decays late": {"sampled", "gradient", "split", "independence"},
    "state scaled by 1.001": {"sampled", "gradient", "split", "independence"},
    "output scaled by 1.001": {"sampled", "split", "independence"},  # 1e-3 of a gradient is too small
}


def with_logarithm(state, x, scale=1.0):
    """Return a step whose output is NaN for about half of the elements."""
    state = x["f"] * state + x["u"]
    return state, scale * (state + torch.log(x["u"]))


@pytest.mark.usefixtures("unshrunk")
def test_a_fault_is_refuted_beside_elements_that_are_nan():
    options = OPTIONS[leaky_tanh]
    family = kernel_claim("mine", step=with_logarithm, kernel=lambda **call: None, **options).kernel.family
    for scale, verdict in ((1.0, "holds"), (1.001, "refuted")):
        kernel = as_kernel(replace(family, function=partial(with_logarithm, scale=scale)))
        claim = kernel_claim("mine", step=with_logarithm, kernel=kernel, longest=65, **options)
        assert verdicts(claim, FEW, kind="sampled") == {"sampled": verdict}


def test_a_reference_that_is_nan_with_a_finite_bound_is_not_a_comparison(monkeypatch):
    def broken(*args):
        right = stepwise(*args)
        right["o"][0][...] = np.nan
        return right

    monkeypatch.setattr(comparison, "stepwise", broken)
    (result,) = results(claim_of(gla, as_kernel(family_of(gla))), FEW, kind="sampled").values()
    assert str(result.verdict) == "unknown"
    assert "the reference for o is NaN with a finite error bound" in result.why


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_refuted(fault):
    answers = verdicts(claim_of(gla, faulty(fault)), 40)
    assert {kind for kind, verdict in answers.items() if verdict == "refuted"} >= FAULTS[fault]


def test_a_chunked_form_is_allowed_more_rounding_than_steps():
    problem = call(gla)
    steps, chunks = (stepwise(problem, problem.arrays(), KernelForm(chunk)) for chunk in (None, 16))
    assert (steps["o"][1] <= chunks["o"][1]).all()


def call(step, time=33):
    """Return a problem for the step, with ``time`` tokens of real values."""
    sizes = {"lengths": (time,), "batch": 2, "heads": 2, "keys": 4, "values": 5}
    options = {"packed": False, "has_initial_state": True, "scale": None, "numbers": "real", "gates": "mild"}
    return Problem(family_of(step), "float32", "float32", **sizes, **options, directions="free", seed=1)


def test_the_bound_is_comparable_with_that_of_the_family():
    """The bound that is derived from the step is between 1/5 and 16 times the bound of the family."""
    problem = call(gla)
    own = stepwise(problem, problem.arrays(), KernelForm())
    expected = run(replace(problem, family=FAMILIES["gla"], scale=1.0), problem.arrays(), KernelForm())
    assert abs(own["o"][0] - expected.outputs).max() < 1e-12
    ratio = own["o"][1] / expected.output_bounds.reshape(own["o"][1].shape)
    assert ratio.min() > 0.2 and ratio.max() < 16


def test_an_operation_without_a_rule_is_an_error():
    def step(state, x):
        return torch.fft.fft(state + x["u"]).real, state

    with pytest.raises(InputError, match="mine: the step's fft_fft is not supported: no rule bounds"):
        kernel_claim("mine", step=step, inputs={"u": "BTD"}, state="D", output="u", kernel=print)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"family": "gla"}, "pass either family or step, not both"),
        (
            {"inputs": {"v": "BVT"}},
            r"the axes of v must be letters of BHKMTV \(only K, M and V may repeat\) and begin with BT",
        ),
        ({"inputs": {"v": "BTHH"}}, r"the axes of v must be letters of BHKMTV \(only K, M and V may"),
        (
            {"inputs": {"v": "BTHV negative"}},
            "the kind of v must be one of log-decay, decay, decay-logit, log-gate, positive",
        ),
        ({"inputs": {"v": ""}}, "v must have axes and at most one kind, got ''"),
        ({"inputs": {"v": "BTHV decay positive"}}, "v must have axes and at most one kind"),
        ({"inputs": "BTHV"}, "inputs must map names to axes"),
        ({"output": "o"}, "output must name a tensor whose axes begin with 'BT', got 'o'"),
        ({"state": "HKT"}, r"state must be letters of HKV \(only K, M and V may repeat\), got 'HKT'"),
        (
            {"state": ("HKV", "KV")},
            r"the axes of each state tensor must be 'D' or begin with 'H' \(heads\), got 'KV'",
        ),
        ({"state": ()}, "state must be axes, such as 'HKV', or a tuple of axes, got"),
        ({"state": ("HKV",)}, "the step raised"),
        ({"state": "HV"}, "the step raised RuntimeError for B = 2, H = 3, K = 4, V = 5"),
        ({"step": lambda state, x: (state, state)}, "the step's output must have the axes BHV, shape"),
        ({"step": lambda state, x: (state, 1.0)}, "the step's output must have the axes BHV, .* got float"),
        ({"inputs": {**QKVG, "initial_state": "BTHK"}}, "initial_state is an option of the kernel"),
        ({"step": 3}, "step must be a function, got a int"),
    ],
)
def test_a_wrong_declaration_is_an_error(more, says):
    options = {"step": gla, "inputs": QKVG, "kernel": print} | more
    with pytest.raises(InputError, match=says):
        kernel_claim("mine", **options)


def lstm(state, x):
    """Compute the step of an LSTM cell without recurrent weights; its state is a pair of tensors."""
    h, c = state
    c = x["f"].sigmoid() * c + x["i"].sigmoid() * torch.tanh(x["u"] + h)
    h = x["o"].sigmoid() * torch.tanh(c)
    return (h, c), h


LSTM = {
    "inputs": dict.fromkeys("fiuo", "BTD"),
    "output": "u",
    "state": ("D", "D"),
    "without": ["cu_seqlens"],
    "lengths": (0, 1, 7),
    "sizes": {"B": (1, 2), "D": (1, 3)},
}


def lstm_kernel(f, i, u, o, initial_state=None, *, stale=False):
    """Compute the LSTM's steps; with ``stale``, the candidate reads c in place of h."""
    h, c = (u[:, :0].sum(1), u[:, :0].sum(1)) if initial_state is None else initial_state
    outputs = []
    for t in range(u.shape[1]):
        update = torch.tanh(u[:, t] + (c if stale else h)) * torch.sigmoid(i[:, t])
        c = torch.sigmoid(f[:, t]) * c + update
        h = torch.sigmoid(o[:, t]) * torch.tanh(c)
        outputs.append(h)
    return torch.stack(outputs, 1) if outputs else torch.zeros_like(u), (h, c)


def test_a_state_may_be_a_tuple_of_tensors():
    claim = kernel_claim("mine", step=lstm, kernel=lstm_kernel, **LSTM)
    assert set(verdicts(claim).values()) == {"holds"}
    kernel = as_kernel(claim.kernel.family)
    assert set(verdicts(kernel_claim("mine", step=lstm, kernel=kernel, **LSTM)).values()) == {"holds"}


def test_a_result_may_be_a_list():
    kernel = lambda f, i, u, o, initial_state=None: list(lstm_kernel(f, i, u, o, initial_state))
    assert verdicts(kernel_claim("mine", step=lstm, kernel=kernel, **LSTM), kind="sampled") == {
        "sampled": "holds"
    }


def test_a_kernel_that_modifies_a_tensor_of_its_initial_state_is_refuted():
    def kernel(f, i, u, o, initial_state=None):
        results = lstm_kernel(f, i, u, o, initial_state)
        if initial_state is not None:
            initial_state[1].zero_()
        return results

    claim = kernel_claim("mine", step=lstm, kernel=kernel, **LSTM | {"sizes": {"B": (2,), "D": (3,)}})
    (result,) = results(claim, 20, "sampled").values()
    example = result.counterexample
    assert example.position == "initial_state" and example.kernel == "a modified tensor"


def scaled(f, i, u, o, initial_state=None):
    """Compute the LSTM's steps with a planted fault: the second tensor of the final state is scaled."""
    outputs, (h, c) = lstm_kernel(f, i, u, o, initial_state)
    return outputs, (h, 1.001 * c)


def test_a_wrong_tensor_of_a_state_is_named_and_a_script_shows_it(capsys):
    claim = kernel_claim("mine", step=lstm, kernel=scaled, **LSTM)
    (result,) = results(claim, 20, "sampled").values()
    example = result.counterexample
    assert example.position.startswith("final_state, tensor 1, [")
    exec(example.script, {"__name__": "__main__"})
    assert example.kernel in capsys.readouterr().out


def elman(state, x):
    """Return a step of an Elman network, whose recurrent weights are shared by all tokens."""
    state = torch.tanh(x["u"] + torch.einsum("bhk,hkm->bhm", state, x["W"]))
    return state, state


def stabilized_slstm(state, x):
    """Return a step of sLSTM with a stabilizer in its state."""
    c, n, m = state
    forget = torch.nn.functional.logsigmoid(x["f"])
    largest = torch.maximum(forget + m, x["i"])
    old, new = torch.exp(forget + m - largest), torch.exp(x["i"] - largest)
    c, n = old * c + new * torch.tanh(x["z"]), old * n + new
    return (c, n, largest), c / torch.clamp(n.abs(), min=1e-3)


def rotation(state, x):
    """Return a step with a complex state, as a pair of its real and imaginary parts."""
    (a, b), size = state, x["g"].exp()
    cosine, sine = size * torch.cos(x["angle"]), size * torch.sin(x["angle"])
    a, b = cosine * a - sine * b + x["u"], sine * a + cosine * b
    return (a, b), a


def tropical(state, x):
    """Return a step of maxima and sums."""
    state = torch.maximum(state + x["a"], x["u"])
    return state, state


def covariance(state, x):
    """Return a step whose state is a K x K matrix per head, and whose output is normalised."""
    state = x["f"][..., None, None] * state + x["u"][..., None] * x["u"][..., None, :]
    read = torch.einsum("bhkm,bhm->bhk", state, x["u"])
    return state, read * torch.rsqrt(read.square().mean(-1, keepdim=True) + 1e-3)


def wrong(step):
    """Return a step whose output has a relative error of 1e-3."""

    def faulty(state, x):
        state, output = step(state, x)
        return state, 1.001 * output

    return faulty


MORE = {
    elman: {"inputs": {"u": "BTHK", "W": "HKK"}, "state": "HK", "output": "u"},
    stabilized_slstm: {
        "inputs": {"f": "BTD decay-logit", "i": "BTD log-gate", "z": "BTD"},
        "state": ("D", "D", "D"),
        "output": "z",
    },
    rotation: {
        "inputs": {"g": "BTD log-decay", "angle": "BTD", "u": "BTD"},
        "state": ("D", "D"),
        "output": "u",
    },
    tropical: {"inputs": {"a": "BTD", "u": "BTD"}, "state": "D", "output": "u"},
    covariance: {"inputs": {"f": "BTH decay", "u": "BTHK"}, "state": "HKK", "output": "u"},
}


@pytest.mark.parametrize("step", MORE)
def test_other_recurrences_hold_and_a_small_error_is_refuted(step):
    for own, expected in ((step, "holds"), (wrong(step), "refuted")):
        right = kernel_claim(
            "mine", step=step, kernel=print, without=["cu_seqlens", "initial-state"], **MORE[step]
        )
        parts = right.kernel.family.state
        function = (
            step_with_one_state(own, parts, right.kernel.family.tensors) if isinstance(parts, tuple) else own
        )
        kernel = as_kernel(replace(right.kernel.family, function=function))
        claim = kernel_claim("mine", step=step, kernel=kernel, longest=17, **MORE[step])
        answers = verdicts(claim, 20, "sampled") if own is not step else verdicts(claim, 10)
        assert set(answers.values()) == {expected}


def heads_inside(state, x):
    """Return the GLA step with the state (N, K, H, V) and outputs (N, V, H)."""
    state = x["g"].exp().transpose(1, 2)[..., None] * state
    state = state + x["k"].transpose(1, 2)[..., None] * x["v"].transpose(1, 2)[:, None]
    return state, (state * x["q"].transpose(1, 2)[..., None]).sum(1).transpose(1, 2)


def without_heads(state, x):
    """Return the GLA step without the axis H."""
    state = x["g"].exp()[..., None] * state + x["k"][..., None] * x["v"][:, None]
    return state, (state * x["q"][..., None]).sum(1)


def shared_keys(state, x):
    """Return the step of Mamba-2, in which all heads have the same keys and queries."""
    state = x["g"].exp()[..., None, None] * state + x["k"][:, None, :, None] * x["v"][:, :, None]
    return state, (state * x["q"][:, None, :, None]).sum(-2)


def fixed_weights(state, x):
    """Return a step with a tensor that is the same for all tokens, with the axis H last."""
    state = state + x["k"][..., None] * x["v"][..., None, :]
    return state, (state * x["w"].transpose(1, 2)[..., None]).sum(-2)


def norm_of_lanes(state, x):
    """Return a step whose outputs are divided by a norm of all lanes."""
    state = x["f"] * state + x["u"]
    return state, state * (state.square().mean(-1, keepdim=True) + 1e-5).rsqrt()


AXES = {
    heads_inside: {"inputs": {**QKVG, "v": "BTVH"}, "state": "KHV"},
    without_heads: {"inputs": {"q": "BTK", "k": "BTK", "v": "BTV", "g": "BTK log-decay"}, "state": "KV"},
    shared_keys: {"inputs": {"q": "BTK", "k": "BTK", "v": "BTHV", "g": "BTH log-decay"}},
    fixed_weights: {"inputs": {"k": "BTHK", "v": "BTHV", "w": "BKH"}},
    norm_of_lanes: OPTIONS[leaky_tanh],
}


@pytest.mark.parametrize("step", AXES)
def test_independence_holds_for_every_order_of_axes(step):
    family = kernel_claim("mine", step=step, kernel=lambda **call: None, **AXES[step]).kernel.family
    claim = kernel_claim("mine", step=step, kernel=as_kernel(family), longest=17, **AXES[step])
    assert verdicts(claim, kind="independence") == {"independence": "holds"}


@pytest.mark.usefixtures("unshrunk")
@pytest.mark.parametrize("step", [heads_inside, shared_keys])
def test_a_kernel_that_mixes_sequences_or_heads_is_refuted(step):
    for axis in (0, 2):
        family = kernel_claim("mine", step=step, kernel=lambda **call: None, **AXES[step]).kernel.family

        def mixes(axis=axis, family=family, **call):
            outputs, state = as_kernel(family)(**call)
            return outputs + 1e-3 * outputs.roll(1, axis), state

        claim = kernel_claim("mine", step=step, kernel=mixes, longest=17, **AXES[step])
        assert verdicts(claim, kind="independence") == {"independence": "refuted"}


@pytest.mark.parametrize("numbers", ["plain", "real"])
@pytest.mark.parametrize("gates", ["mild", "infinite"])
def test_decays_are_from_0_to_1_and_0_is_a_gate_of_minus_infinity(numbers, gates):
    options = {"inputs": {"f": "BTD decay", "u": "BTD"}, "state": "D", "output": "f"}
    family = kernel_claim("mine", step=leaky_tanh, kernel=lambda **call: None, **options).kernel.family
    problem = replace(call(gla), family=family, numbers=numbers, gates=gates, large=True, heads=50)
    decays = problem.arrays()["f"]
    assert ((decays >= 0) & (decays <= 1)).all() and (decays == 0).any() == (gates == "infinite")


def test_the_name_of_a_tensor_does_not_restrict_its_values():
    def gated(state, x):
        state = state + x["beta"].sigmoid() * (x["u"] - state)
        return state, state

    options = {"inputs": {"beta": "BTD", "u": "BTD"}, "state": "D", "output": "u"}
    family = kernel_claim("mine", step=gated, kernel=lambda **call: None, **options).kernel.family
    assert (replace(call(gla), family=family).arrays()["beta"] < 0).any()


def chunked_sums(logarithm):
    """Return a kernel in chunks of 16 tokens whose decays are exponentials of sums of logarithms."""

    def kernel(f, u, initial_state=None):
        state, outputs = torch.zeros_like(u[:, 0]) if initial_state is None else initial_state, []
        for begin in range(0, u.shape[1], 16):
            sums = logarithm(f[:, begin : begin + 16]).cumsum(1)
            later = torch.ones(sums.shape[1], sums.shape[1], dtype=torch.bool).tril()[..., None]
            decays = (sums[:, :, None] - sums[:, None]).masked_fill(~later, -torch.inf).exp()
            own = torch.einsum("btsd,bsd->btd", decays, u[:, begin : begin + 16])
            outputs.append(own + sums.exp() * state[:, None])
            state = outputs[-1][:, -1]
        return torch.cat(outputs, 1), state

    return kernel


@pytest.mark.parametrize(
    ("kind", "logarithm"), [("decay-logit", functional.logsigmoid), ("decay", torch.log)]
)
def test_chunks_may_sum_the_logarithms_of_gates(kind, logarithm):
    def step(state, x):
        state = (x["f"].sigmoid() if kind == "decay-logit" else x["f"]) * state + x["u"]
        return state, state

    options = {"inputs": {"f": f"BTD {kind}", "u": "BTD"}, "state": "D", "output": "u"}
    claim = kernel_claim(
        "mine", step=step, kernel=chunked_sums(logarithm), form="chunked", chunk=16, longest=65,
        without=["cu_seqlens", "empty", "infinite-gates"], **options
    )  # fmt: skip
    assert verdicts(claim, 100, kind="sampled") == {"sampled": "holds"}
