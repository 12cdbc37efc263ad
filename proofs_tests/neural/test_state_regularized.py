"""The state-regularized layers against Wang & Niepert's equations, and what their paper says about them."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.utils.rnn import pack_sequence, pad_packed_sequence

from automata.errors import InputError
from neural.state_regularized.component import StochasticComponent
from neural.state_regularized.layers import KINDS, LSTMP, SRGRU
from neural.state_regularized.parts import ElmanPart, GRUPart, LSTMPart, PeepholePart
from proofs_tests.neural import sr_equations
from proofs_tests.neural.sr_equations import close, exactly

F, D = torch.float32, torch.float64
LAYERS = {**KINDS, "lstm-p": LSTMP}
FALSE_ALARM = 1e-9
"""How often a statistical test here may fail for a network that is right; the seeds are fixed besides."""

every = pytest.mark.parametrize("kind", LAYERS)
regularized = pytest.mark.parametrize("kind", KINDS)
both_similarities = pytest.mark.parametrize("similarity", ["dot", "euclidean"])
both_dtypes = pytest.mark.parametrize("dtype", [F, D], ids=str)
temperatures = st.floats(-3, 3).map(lambda x: 10**x)


def randomly(module, seed, spread=0.7):
    """All parameters drawn anew, the biases too."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(torch.randn(p.shape, generator=generator, dtype=D) * spread)
    return module.eval()


def vectors(seed, *shape, dtype=D):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=D).to(dtype)


@st.composite
def components(draw, **fixed):
    """A component with random centroids, and a vector u."""
    dtype, d, k = draw(st.sampled_from([F, D])), draw(st.integers(1, 5)), draw(st.integers(2, 6))
    options = {"similarity": draw(st.sampled_from(["dot", "euclidean"])), "temperature": draw(temperatures)} | fixed
    made = randomly(StochasticComponent(k, d, dtype=dtype, **options), draw(st.integers(0, 2**20)))
    return made, vectors(draw(st.integers(0, 2**20)), d, dtype=dtype) * draw(st.sampled_from([0.0, 0.01, 1.0, 8.0]))


@st.composite
def networks(draw):
    """A network of any kind and shape with random weights, how it was made, and strings for it."""
    kind, dtype, bidirectional = draw(st.sampled_from(list(LAYERS))), draw(st.sampled_from([F, D])), draw(st.booleans())
    sizes = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    shape = {"num_layers": draw(st.integers(1, 3)), "bias": draw(st.booleans()), "bidirectional": bidirectional}
    options = {}
    if kind in KINDS:
        options = {"similarity": draw(st.sampled_from(["dot", "euclidean"])), "temperature": draw(temperatures)}
        shape["k"] = draw(st.integers(2, 4))
    made = randomly(LAYERS[kind](*sizes, dtype=dtype, **shape, **options), draw(st.integers(0, 2**20)))
    lengths = draw(st.lists(st.integers(0, 5), min_size=1, max_size=4))
    strings = [vectors(seed, n, sizes[0], dtype=dtype) for seed, n in enumerate(lengths)]
    return made, kind, options, strings


def zeros(made):
    """The first state of every cell, for the reference."""
    d, dtype = made.hidden_size, sr_equations.dtype_of(made)
    return [(exactly(np.zeros(d), dtype), exactly(np.zeros(d), dtype)) for _ in made.cells]


def computes(made, kind, options, string, output, ends, states=None):
    """The outputs (T, d) and the last state (cells, d), or a pair of such, are those of the equations."""
    first = zeros(made) if states is None else states
    values, last, alpha = sr_equations.layers(made, kind, string.tolist(), first, **options)
    assert output.shape == (len(string), made.hidden_size * made.directions)
    assert output.dtype == next(made.parameters()).dtype
    for found, near in zip(output, values, strict=True):
        close(found, near)
    ends = (ends,) if isinstance(ends, torch.Tensor) else ends
    for number, part in enumerate(ends):
        for found, state in zip(part, last, strict=True):
            close(found, state[number])
    return alpha


# the stochastic component


@given(components())
def test_alpha_is_equation_2_or_3_and_h_equation_5(drawn):
    made, u = drawn
    h, alpha = made(u)
    centroids = made.centroids.detach().double().numpy()
    near = sr_equations.alphas(centroids, exactly(u, sr_equations.dtype_of(made)), made.similarity, made.temperature)
    close(alpha, near)
    close(h, sr_equations.mixture(centroids, near))


@given(components(transition="sampled"))
def test_sampled_h_is_always_exactly_a_centroid_that_can_be_sampled(drawn):
    made, u = drawn
    many = u.expand(3, 20, -1)
    h, alpha = made(many)
    is_centroid = (h.unsqueeze(-1) == made.centroids).all(dim=-2)
    assert h.shape == many.shape
    assert bool((is_centroid & (alpha > 0)).any(dim=-1).all())


@given(components(transition="limit"))
def test_in_the_limit_h_is_exactly_a_most_probable_centroid(drawn):
    made, u = drawn
    h, alpha = made(torch.stack([u, -u]))
    best = alpha == alpha.max(dim=-1, keepdim=True).values
    assert bool(((h.unsqueeze(-1) == made.centroids).all(dim=-2) & best).any(dim=-1).all())


def test_equations_2_and_3_on_paper():
    """With u = (1, 0), s_1 = (1, 0), s_2 = (0, 2): u s = (1, 0) and |u - s| = (0, sqrt 5)."""
    for similarity, gap in (("dot", 1), ("euclidean", math.sqrt(5))):
        made = StochasticComponent(2, 2, similarity, temperature=0.5, dtype=D)
        with torch.no_grad():
            made.centroids.copy_(torch.tensor([[1.0, 0.0], [0.0, 2.0]], dtype=D))
        h, alpha = made(torch.tensor([1.0, 0.0], dtype=D))
        first = 1 / (1 + math.exp(-gap / 0.5))
        assert alpha.tolist() == pytest.approx([first, 1 - first])
        assert h.tolist() == pytest.approx([first, 2 * (1 - first)])


def within_chernoff(counts, alpha):
    """Hoeffding's bound: a mean of n samples is t away from its expectation with probability at most 2 exp(-2 n t^2)."""
    n = int(counts.sum())
    t = math.sqrt(math.log(2 * len(alpha) / FALSE_ALARM) / (2 * n))
    assert ((counts / n - alpha).abs() <= t).all()


def choices(made, h):
    """How often each centroid was chosen."""
    return (h.unsqueeze(-1) == made.centroids).all(dim=-2).sum(dim=0)


@both_similarities
@pytest.mark.parametrize("temperature", [0.5, 4.0])
def test_equation_4_samples_from_alpha(similarity, temperature):
    """Two vectors in one batch, each by its own alpha."""
    made = randomly(StochasticComponent(4, 3, similarity, "sampled", temperature, dtype=D), seed=1)
    torch.manual_seed(2)
    u = vectors(3, 2, 3)
    h, _ = made(u.expand(100_000, 2, 3))
    for one in range(2):
        near = sr_equations.alphas(made.centroids.detach().numpy(), exactly(u[one], "float64"), similarity, temperature)
        assert near.value.max() < 0.95
        within_chernoff(choices(made, h[:, one]), torch.tensor(near.value))


def test_equation_4_draws_anew_for_every_string_and_step():
    made = StochasticComponent(2, 2, transition="sampled", dtype=D)
    torch.manual_seed(2)
    first, second = (made(torch.zeros(100_000, 2, dtype=D))[0] for _ in range(2))
    pairs = torch.stack([(a == made.centroids[:, 0]).all(dim=-1).long() for a in (first, second)])
    within_chernoff(torch.bincount(pairs[0] * 2 + pairs[1], minlength=4), torch.full((4,), 0.25, dtype=D))
    within_chernoff(torch.bincount(pairs[0, :-1] * 2 + pairs[0, 1:], minlength=4), torch.full((4,), 0.25, dtype=D))


@both_similarities
@both_dtypes
@pytest.mark.parametrize("transition", ["mixture", "sampled", "limit"])
@pytest.mark.parametrize("temperature", [1e-7, 1e-30, 1e-44, 1e-300, 5e-324])
def test_at_a_low_temperature_alpha_is_one_hot_at_the_most_similar_centroid(similarity, dtype, transition, temperature):
    """Theorem 3.2: its tau goes to 0, so that b / tau goes beyond every float."""
    made = randomly(StochasticComponent(5, 3, similarity, transition, temperature, dtype=dtype), seed=4)
    u = torch.cat([vectors(5, 20, 3, dtype=dtype), 100 * vectors(6, 20, 3, dtype=dtype)])
    h, alpha = made(u)
    best = made.similarities(u).argmax(dim=-1)
    assert torch.equal(alpha, torch.eye(5, dtype=dtype)[best])
    assert torch.equal(h, made.centroids.T[best])


@pytest.mark.parametrize("temperature", [1e9, 1e300])
@both_dtypes
def test_at_a_high_temperature_alpha_is_uniform(dtype, temperature):
    made = randomly(StochasticComponent(4, 3, temperature=temperature, dtype=dtype), seed=4)
    assert made(vectors(5, 6, 3, dtype=dtype))[1].tolist() == [[pytest.approx(0.25, abs=1e-6)] * 4] * 6


@pytest.mark.parametrize("temperature", [1e-300, 0.2, 1.0])
@both_similarities
def test_gradients_are_finite_at_every_temperature(similarity, temperature):
    made = randomly(StochasticComponent(4, 3, similarity, temperature=temperature), seed=4)
    h, alpha = made(vectors(5, 6, 3, dtype=F))
    (h.sum() + alpha[:, 0].sum()).backward()
    assert bool(made.centroids.grad.isfinite().all())


def test_centroids_start_uniform():
    """In [-0.5, 0.5] (section 3.3): the empirical distribution is t away with probability at most 2 exp(-2 n t^2) (Massart)."""
    torch.manual_seed(6)
    numbers = SRGRU(2, 100, k=1000).cell.component.centroids.detach().double().flatten().sort().values
    n = len(numbers)
    t = math.sqrt(math.log(2 / FALSE_ALARM) / (2 * n))
    assert numbers[0] >= -0.5 and numbers[-1] <= 0.5
    assert (numbers + 0.5 - torch.arange(1, n + 1) / n).abs().max() <= t + 1 / n


@regularized
def test_noise_is_only_in_training(kind):
    noisy, quiet = (randomly(KINDS[kind](2, 3, k=4, num_layers=2, noise=noise), seed=7) for noise in (0.5, 0.0))
    v = vectors(8, 5, 3, 2, dtype=F)
    assert torch.equal(noisy(v)[0], quiet(v)[0])
    assert torch.equal(noisy(v)[0], noisy(v)[0])
    noisy.train(), quiet.train()
    assert torch.equal(quiet(v)[0], quiet.eval()(v)[0])
    assert not torch.equal(noisy(v)[0], quiet(v)[0])
    assert not torch.equal(noisy(v)[0], noisy(v)[0])


@pytest.mark.parametrize("temperature", [0.25, 4.0])
def test_noise_is_gaussian_and_on_the_logits(temperature):
    """The difference log alpha_1 - log alpha_2 is (b_1 - b_2) / tau and noise of variance 2 noise^2; Laurent and Massart bound its estimate."""
    noise, n = 0.3, 100_000
    made = randomly(StochasticComponent(2, 3, temperature=temperature, noise=noise, dtype=D), seed=9).train()
    torch.manual_seed(10)
    u = vectors(11, 3)
    log = made(u.expand(n, 3))[1].detach().log()
    b = made.similarities(u).detach()
    off = log[:, 0] - log[:, 1] - (b[0] - b[1]) / temperature
    x = math.log(4 / FALSE_ALARM)
    assert abs(float(off.mean())) <= noise * math.sqrt(2) * math.sqrt(2 * x / n)
    apart = float((off**2).mean()) / (2 * noise**2) - 1
    assert -2 * math.sqrt(x / n) <= apart <= 2 * math.sqrt(x / n) + 2 * x / n


# the recurrent component


@pytest.mark.parametrize(
    ("kind", "part_class", "cell_class"),
    [
        ("sr-elman", ElmanPart, torch.nn.RNNCell), ("sr-gru", GRUPart, torch.nn.GRUCell), ("sr-lstm", LSTMPart, torch.nn.LSTMCell),
        ("sr-lstm-p", PeepholePart, torch.nn.LSTMCell),
    ],
)  # fmt: skip
@both_dtypes
@pytest.mark.parametrize("bias", [True, False])
def test_the_recurrent_component_is_that_of_torch(kind, part_class, cell_class, dtype, bias):
    """With copied weights (and no peepholes): both within the bound of the equations."""
    for seed in range(20):
        part, cell = randomly(part_class(3, 4, bias, dtype=dtype), seed), cell_class(3, 4, bias, dtype=dtype)
        with torch.no_grad():
            cell.weight_ih.copy_(part.input.weight), cell.weight_hh.copy_(part.hidden.weight)
            if bias:
                cell.bias_ih.copy_(part.input.bias), cell.bias_hh.copy_(part.hidden.bias)
            if kind == "sr-lstm-p":
                part.peepholes.zero_()
        x, h, c = (vectors(seed * 3 + i, 1, n, dtype=dtype) for i, n in enumerate((3, 4, 4)))
        state = (h, c) if part.has_cell_state else (h,)
        found, theirs = part.step(part.read(x), state), cell(x, state if part.has_cell_state else h)
        theirs = theirs if isinstance(theirs, tuple) else (theirs,)
        weights = {f"part.{name}": p for name, p in sr_equations.numbers(part).items()}
        near = sr_equations.PARTS[kind](weights, *(exactly(v[0], sr_equations.dtype_of(part)) for v in (x, h, c)))
        for ours, their, true in zip(found, theirs, near, strict=False):
            close(ours[0], true)
            close(their[0], true)


@pytest.mark.parametrize(("gate", "sees"), [(0, "before"), (1, "before"), (2, "after")])
def test_each_peephole_sees_its_cell_state(gate, sees):
    """Equations 6 to 8: p^i and p^f see c_{t-1}, p^o sees c_t. All else is 0 but the bias of g, so f = i = o = 1/2 without."""
    part = PeepholePart(1, 1, dtype=D)
    with torch.no_grad():
        for p in part.parameters():
            p.zero_()
        part.input.bias[2] = math.atanh(0.5)  # g = 1/2
        part.peepholes[gate] = 3.0
    before = 0.8
    zero = torch.zeros(1, 1, dtype=D)
    u, c = (float(v.detach()) for v in part.step(part.read(zero), (zero, zero + before)))
    opened = 1 / (1 + math.exp(-3 * before))
    i, f = (opened if gate == place else 0.5 for place in (0, 1))
    after = f * before + i * 0.5
    assert c == pytest.approx(after)
    assert u == pytest.approx((1 / (1 + math.exp(-3 * after)) if sees == "after" else 0.5) * math.tanh(after))


# the layers


@given(networks())
def test_a_network_computes_the_equations_however_it_is_called(drawn):
    """A batch with lengths, time or batch first, packed, and one string alone: each string by its own, the empty one too."""
    made, kind, options, strings = drawn
    lengths = [len(string) for string in strings]
    padded = torch.nn.utils.rnn.pad_sequence(strings, padding_value=torch.nan)
    output, state = made(padded, lengths=lengths)
    made.batch_first = True
    swapped, _ = made(padded.transpose(0, 1), lengths=torch.tensor(lengths))
    made.batch_first = False
    for b, string in enumerate(strings):
        computes(made, kind, options, string, output[: len(string), b], part_of(state, b))
        assert (output[len(string) :, b] == 0).all()
        computes(made, kind, options, string, swapped[b, : len(string)], part_of(state, b))
        computes(made, kind, options, string, *made(string))
    packed = [string for string in strings if len(string)]
    if packed:
        output, state = made(pack_sequence(packed, enforce_sorted=False))
        for b, string in enumerate(packed):
            computes(made, kind, options, string, pad_packed_sequence(output)[0][: len(string), b], part_of(state, b))


def part_of(state, b):
    return state[:, b] if isinstance(state, torch.Tensor) else tuple(part[:, b] for part in state)


@given(networks(), st.integers(0, 2**20))
def test_it_starts_in_the_state_that_is_given(drawn, seed):
    made, kind, options, strings = drawn
    d, dtype = made.hidden_size, next(made.parameters()).dtype
    h, c = vectors(seed, 2, len(made.cells), d, dtype=dtype)
    given_state = h if isinstance(made(strings[0])[1], torch.Tensor) else (h, c)
    name = sr_equations.dtype_of(made)
    states = [(exactly(one, name), exactly(other, name)) for one, other in zip(h, c, strict=True)]
    computes(made, kind, options, strings[0], *made(strings[0], given_state), states)


@given(networks().filter(lambda drawn: drawn[1] in KINDS and len(drawn[0].cells) == 1))
def test_the_scores_are_alpha_of_every_step(drawn):
    made, kind, options, strings = drawn
    alpha = computes(made, kind, options, strings[0], *made(strings[0]))
    scores = made.scores(strings[0])
    assert scores.shape == (len(strings[0]), made.cell.component.k)
    for found, near in zip(scores, alpha, strict=True):
        close(found, near)


@regularized
@both_similarities
@pytest.mark.parametrize("transition", ["sampled", "limit"])
@both_dtypes
def test_hard_transitions_follow_the_equations_from_centroid_to_centroid(kind, similarity, transition, dtype):
    """Each step's alpha is that of the state before, which is exactly the centroid that was chosen."""
    made = randomly(KINDS[kind](2, 3, k=4, similarity=similarity, transition=transition, temperature=0.5, dtype=dtype), seed=12)
    torch.manual_seed(13)
    v, name = vectors(14, 6, 5, 2, dtype=dtype), sr_equations.dtype_of(made)
    first = made.cell.at_centroid(2, batch=5)
    ran = made.cell.run(v, first)
    assert torch.equal(ran.outputs, ran.states[0])
    p = sr_equations.numbers(made, "cells.0.")
    for t in range(6):
        for b in range(5):
            before = [exactly((s[t - 1, b] if t else f[b]).detach(), name) for s, f in zip(ran.states, first, strict=True)]
            alpha, (_, c) = sr_equations.step(kind, p, exactly(v[t, b], name), (*before, None)[:2], similarity, 0.5)
            close(ran.scores[t, b], alpha)
            chosen = (ran.outputs[t, b].unsqueeze(-1) == made.cell.component.centroids).all(dim=0)
            assert int(chosen.sum()) == 1
            if transition == "limit":
                assert bool(chosen[ran.scores[t, b].argmax()])
            if c is not None:
                close(ran.states[1][t, b], c)


@regularized
def test_at_centroid_h_is_that_centroid_and_c_is_zero(kind):
    made = randomly(KINDS[kind](2, 3, k=4), seed=15)
    for place in range(4):
        h, *c = made.cell.at_centroid(place, batch=2)
        assert torch.equal(h, made.cell.component.centroids[:, place].expand(2, 3))
        assert len(c) == (0 if made.cell.memoryless else 1)
        assert not c or torch.equal(c[0], torch.zeros(2, 3))


def test_memoryless_is_what_has_no_cell_state():
    assert {kind: KINDS[kind](2, 3).cell.memoryless for kind in KINDS} == {
        "sr-elman": True, "sr-gru": True, "sr-lstm": False, "sr-lstm-p": False,
    }  # fmt: skip


@every
@pytest.mark.parametrize("bidirectional", [False, True])
def test_an_empty_string_and_an_empty_batch_are_read(kind, bidirectional):
    made = randomly(LAYERS[kind](2, 3, num_layers=2, bidirectional=bidirectional), seed=16)
    d = 3 * made.directions
    for time, batch in ((0, 2), (4, 0), (0, 0)):
        output, state = made(torch.zeros(time, batch, 2))
        assert output.shape == (time, batch, d)
        for part in (state,) if isinstance(state, torch.Tensor) else state:
            assert torch.equal(part, torch.zeros(2 * made.directions, batch, 3))


@every
@both_similarities
def test_gradients_reach_every_parameter_of_every_layer(kind, similarity):
    """With equation 5; those of finite differences."""
    options = {"k": 3, "similarity": similarity, "temperature": 0.5} if kind in KINDS else {}
    made = randomly(LAYERS[kind](2, 2, num_layers=2, dtype=D, **options), seed=17).train()
    v = vectors(18, 3, 1, 2)
    made(v)[0].square().sum().backward()
    assert all(bool((p.grad != 0).any()) for p in made.parameters())
    names = [name for name, _ in made.named_parameters()]

    def run(v, *weights):
        return torch.func.functional_call(made, dict(zip(names, weights, strict=True)), (v,))[0]

    assert torch.autograd.gradcheck(run, (v.requires_grad_(), *(p.detach().clone().requires_grad_() for p in made.parameters())))


@regularized
@pytest.mark.parametrize("transition", ["sampled", "limit"])
def test_no_gradient_flows_through_a_choice(kind, transition):
    """dh/dS is one for the chosen column and zero for the others; before it, nothing learns."""
    made = randomly(KINDS[kind](2, 3, k=4, transition=transition, dtype=D), seed=19).train()
    torch.manual_seed(20)
    h, _ = made(vectors(21, 3, 1, 2))
    h[-1].sum().backward()
    component = made.cell.component
    chosen = (h[-1, 0].unsqueeze(-1) == component.centroids).all(dim=0)
    assert torch.equal(component.centroids.grad, chosen.expand(3, 4).to(D))
    assert all(p.grad is None or not bool(p.grad.any()) for p in made.cell.part.parameters())


@pytest.mark.parametrize("kind", ["sr-lstm", "sr-lstm-p"])
def test_the_cell_state_goes_on_without_the_stochastic_component(kind):
    """Of two steps, the first's c matters to the second although both choose the same centroid."""
    made = randomly(KINDS[kind](2, 3, k=4, transition="limit", dtype=D), seed=22)
    h = made.cell.component.centroids[:, :1].T
    ends = [made.cell.run(torch.zeros(1, 1, 2, dtype=D), (h, torch.full((1, 3), c, dtype=D))).states[1] for c in (0.0, 1.0)]
    assert not torch.equal(*ends)


def test_layers_have_components_of_their_own():
    made = SRGRU(2, 3, k=4, num_layers=3)
    assert len(made.components) == len({id(c.centroids) for c in made.components}) == 3


# what is wrong


@pytest.mark.parametrize("value", [0, 0.0, -1.0, math.nan, math.inf, "1", None, True, 10**400, [1.0]])
def test_a_temperature_that_is_none_is_named(value):
    with pytest.raises(InputError, match=r'temperature is .*, where a positive number is right; transition="limit"') as found:
        SRGRU(2, 3, k=4, temperature=value)
    assert "\n" not in str(found.value) and len(str(found.value)) < 300
    made = SRGRU(2, 3, k=4)
    with pytest.raises(InputError, match="temperature is"):
        made.cell.component.temperature = value
    assert made.cell.component.temperature == 1.0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"k": 1}, "k is 1, where an integer from 2 on"), ({"k": 2.0}, "k is 2.0"), ({"k": True}, "k is True"),
        ({"similarity": "cosine"}, "similarity is 'cosine', where \"dot\" or \"euclidean\""), ({"similarity": None}, "similarity is None"),
        ({"transition": "soft"}, "transition is 'soft', where \"mixture\" or \"sampled\" or \"limit\""),
        ({"noise": -0.1}, "noise is -0.1"), ({"noise": math.nan}, "noise is nan"), ({"noise": math.inf}, "noise is inf"),
        ({"noise": "0.1"}, "noise is '0.1'"), ({"noise": None}, "noise is None"), ({"noise": True}, "noise is True"),
        ({"noise": 10**400}, "noise is"),
        ({"centroids": 3}, "no option 'centroids'; it has k, noise, similarity, temperature, transition"),
        ({"bias": 1}, "bias is 1"), ({"num_layers": 0}, "num_layers is 0"), ({"hidden_size": 0}, "hidden_size is 0"),
    ],
)  # fmt: skip
def test_wrong_options_are_named(options, says):
    with pytest.raises(InputError, match=says) as found:
        SRGRU(**{"input_size": 2, "hidden_size": 3, **options})
    assert "\n" not in str(found.value)


def test_lstm_p_alone_has_no_centroids():
    with pytest.raises(InputError, match="LSTMP has no option 'k'; it has none of its own"):
        LSTMP(2, 3, k=4)
    assert not any("centroids" in name for name, _ in LSTMP(2, 3).named_parameters())


@pytest.mark.parametrize("place", [-1, 4, 1.5, "0", None])
def test_a_centroid_that_is_not_there_is_named(place):
    with pytest.raises(InputError, match=r"there is no centroid .*; there are 0 to 3"):
        SRGRU(2, 3, k=4).cell.at_centroid(place)


@pytest.mark.parametrize(
    ("kind", "call", "says"),
    [
        (
            "sr-gru",
            lambda m: m(torch.zeros(2, 2, 4)),
            r"inputs have shape \(2, 2, 4\), where \(time, batch, input\) with input = 2",
        ),
        ("sr-gru", lambda m: m(torch.zeros(2)), r"inputs have shape \(2,\)"),
        ("sr-gru", lambda m: m([[1.0, 2.0]]), "input is list"),
        ("sr-gru", lambda m: m(torch.zeros(2, 2, 2), torch.zeros(2, 3)), r"state has shape \(2, 3\), where \(1, 2, 3\)"),
        ("sr-gru", lambda m: m(torch.zeros(2, 2, 2), lengths=[3, 0]), "lengths are"),
        ("sr-lstm", lambda m: m(torch.zeros(2, 2, 2), torch.zeros(1, 2, 3)), r"state has 1 part\(s\), where 2"),
        ("lstm-p", lambda m: m(torch.zeros(2, 2, 2), (torch.zeros(1, 2, 3), torch.zeros(1, 2, 4))), "state has shape"),
    ],
)
def test_wrong_shapes_are_named(kind, call, says):
    with pytest.raises(InputError, match=says) as found:
        call(LAYERS[kind](2, 3))
    assert "\n" not in str(found.value)


def test_several_layers_have_no_one_cell():
    with pytest.raises(InputError, match=r"2 layer\(s\) and 1 direction\(s\), where one of each is right"):
        SRGRU(2, 3, num_layers=2).scores(torch.zeros(1, 1, 2))
