"""Tests of all networks: the equations of their papers, all shapes of calls, and their gradients."""

import copy
import io
import pickle

import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pack_sequence, pad_packed_sequence

from automata.errors import InputError
from neural.layer_kind import layer_kinds
from neural.sru import SRU
from ratproof.ladder.written.references import KINDS, NAMES, REFERENCES

D = torch.float64
IN = 3  # the number of inputs or symbols, and of units, because a highway requires equal numbers
every = pytest.mark.parametrize(("kind", "options"), KINDS, ids=NAMES)
stackable = pytest.mark.parametrize(
    ("kind", "options"),
    [k for k in KINDS if k[0] != "isan"],
    ids=[n for n in NAMES if not n.startswith("isan")],
)


def build(kind, options, dtype=D, **more):
    torch.manual_seed(0)
    layer = layer_kinds()[kind].cls(IN, IN, dtype=dtype, **options, **more)
    with torch.no_grad():
        for p in layer.parameters():
            p.copy_(torch.randn(p.shape) * 0.7)
    return layer


def inputs(layer, *shape, dtype=D):
    """Return random inputs with axes for time and batch in the given order."""
    if layer.cell_class.reads_symbols:
        return torch.randint(0, IN, shape)
    return torch.randn(*shape, IN, dtype=dtype)


def by_the_equations(kind, cell, v, c):
    steps = list(REFERENCES[kind](cell, v, c))
    if not steps:
        return torch.zeros(0, IN, dtype=c.dtype), torch.zeros(0, cell.output_size, dtype=c.dtype)
    return torch.stack([c for c, _ in steps]), torch.stack([h for _, h in steps])


def flat(state):
    """Return all tensors of a state."""
    return [state] if isinstance(state, torch.Tensor) else [t for part in state for t in flat(part)]


@every
@pytest.mark.parametrize("dtype", [torch.float32, D], ids=str)
@pytest.mark.parametrize("start", [None, 0.5, -2.0])
def test_it_computes_its_equations_for_a_whole_batch(kind, options, dtype, start):
    layer = build(kind, options, dtype)
    for time, batch in ((5, 3), (1, 1), (0, 2), (4, 0)):
        v = inputs(layer, time, batch, dtype=dtype)
        first = layer.start(batch, start)
        h, c = layer(v, first)[0], layer.scores(v, first)
        assert c.shape == (time, batch, IN) and h.shape == (time, batch, layer.cell.output_size)
        assert c.dtype == h.dtype == dtype
        for b in range(batch):
            c_0 = torch.full((IN,), layer.cell.semiring.zero if start is None else start, dtype=dtype)
            scores, outputs = by_the_equations(kind, layer.cell, v[:, b], c_0)
            torch.testing.assert_close(c[:, b], scores)
            torch.testing.assert_close(h[:, b], outputs)


@every
def test_without_a_state_it_starts_in_its_initial_state(kind, options):
    layer = build(kind, options)
    v = inputs(layer, 4, 2)
    torch.testing.assert_close(layer(v)[0], layer(v, layer.start(2))[0])
    torch.testing.assert_close(layer.scores(v), layer.scores(v, layer.start(2)))


@every
def test_batch_first_only_swaps_the_axes(kind, options):
    time_first, batch_first = build(kind, options), build(kind, options, batch_first=True)
    v = inputs(time_first, 5, 4)
    (h, state), (swapped, same) = time_first(v), batch_first(v.transpose(0, 1))
    torch.testing.assert_close(swapped.transpose(0, 1), h)
    torch.testing.assert_close(flat(same), flat(state))
    torch.testing.assert_close(batch_first.scores(v.transpose(0, 1)).transpose(0, 1), time_first.scores(v))


@every
@pytest.mark.parametrize("bidirectional", [False, True])
def test_sequences_of_unequal_length_give_the_same_results_alone(kind, options, bidirectional):
    """Values after the end of a sequence have no effect, and an empty sequence returns its initial state."""
    layer = build(kind, options, bidirectional=bidirectional)
    lengths = [3, 0, 5, 1]
    v = inputs(layer, 5, 4)
    if v.is_floating_point():
        for b, n in enumerate(lengths):
            v[n:, b] = torch.nan
    first = layer.start(4, 0.25)
    h, state = layer(v, first, lengths)
    for b, n in enumerate(lengths):
        alone = layer.start(1, 0.25)
        one, last = layer(v[:n, b : b + 1], alone)
        torch.testing.assert_close(h[:n, b : b + 1], one)
        assert (h[n:, b] == 0).all()
        torch.testing.assert_close([s[:, b : b + 1] for s in flat(state)], flat(last))
        if not n:
            torch.testing.assert_close(flat(last), flat(alone))
        unbatched, state_of_one = layer(v[:n, b], _squeezed(alone))
        torch.testing.assert_close(unbatched, one.squeeze(1))
        torch.testing.assert_close(flat(state_of_one), [s.squeeze(1) for s in flat(last)])


def _squeezed(state):
    return state.squeeze(1) if isinstance(state, torch.Tensor) else tuple(s.squeeze(1) for s in state)


@every
def test_gradients_ignore_the_padding(kind, options):
    layer = build(kind, options)
    v = inputs(layer, 4, 2)
    if v.is_floating_point():
        v[2:, 1] = torch.nan
    h, _ = layer(v, lengths=[4, 2])
    h.sum().backward()
    assert all(p.grad is None or bool(p.grad.isfinite().all()) for p in layer.parameters())


@every
@pytest.mark.parametrize("bidirectional", [False, True])
def test_a_packed_sequence_is_returned_packed(kind, options, bidirectional):
    layer = build(kind, options, bidirectional=bidirectional)
    strings = [inputs(layer, n) for n in (2, 4, 1)]
    h, state = layer(pack_sequence(strings, enforce_sorted=False))
    padded, lengths = pad_packed_sequence(h)
    assert lengths.tolist() == [2, 4, 1]
    for b, x in enumerate(strings):
        alone, last = layer(x)
        torch.testing.assert_close(padded[: len(x), b], alone)
        torch.testing.assert_close([s[:, b] for s in flat(state)], flat(last))


@every
def test_a_sequence_can_be_read_in_parts(kind, options):
    """The parts are halves, single elements, or empty; the state carries over."""
    layer = build(kind, options)
    v = inputs(layer, 6, 2)
    full, last = layer(v)
    for cuts in ([4], [1, 2, 3, 4, 5], [2, 2]):
        state, parts = layer.start(2), []
        for low, high in zip([0, *cuts], [*cuts, 6], strict=True):
            part, state = layer(v[low:high], state)
            parts.append(part)
        torch.testing.assert_close(torch.cat(parts), full)
        torch.testing.assert_close(flat(state), flat(last))


@stackable
def test_several_layers_stream_too(kind, options):
    layer = build(
        kind,
        {**options, "num_layers": 3}
        if not options.get("hidden_units")
        else {"num_layers": 3, "hidden_units": 4},
    )
    v = inputs(layer, 6, 2)
    full, last = layer(v)
    first, state = layer(v[:2])
    second, state = layer(v[2:], state)
    torch.testing.assert_close(torch.cat([first, second]), full)
    torch.testing.assert_close(flat(state), flat(last))


@every
def test_bidirectional_concatenates_forward_and_reversed(kind, options):
    both = build(kind, options, bidirectional=True)
    forward, backward = build(kind, options), build(kind, options)
    for one, cell in ((forward, both.cells[0]), (backward, both.cells[1])):
        one.cell.load_state_dict(cell.state_dict())
    v = inputs(both, 5, 3)
    h, _ = both(v)
    there, back = forward(v)[0], backward(v.flip(0))[0].flip(0)
    torch.testing.assert_close(h, torch.cat([there, back], -1))


@stackable
def test_several_layers_equal_stacked_single_layers(kind, options):
    options = {**options, "highway": False} if options.get("highway") else options
    tower = build(kind, options, num_layers=2, bidirectional=True)
    v = inputs(tower, 4, 2)
    lower = build(kind, options, bidirectional=True)
    lower.load_state_dict({k: p for k, p in tower.state_dict().items() if int(k.split(".")[1]) < 2})
    upper = layer_kinds()[kind].cls(
        2 * lower.cells[0].output_size, IN, bidirectional=True, dtype=D, **options
    )
    upper.load_state_dict(
        {
            k.replace("cells.2", "cells.0").replace("cells.3", "cells.1"): p
            for k, p in tower.state_dict().items()
            if int(k.split(".")[1]) > 1
        }
    )
    middle, lower_state = lower(v)
    top, upper_state = upper(middle)
    h, state = tower(v)
    torch.testing.assert_close(h, top)
    ends = [t for s in (lower_state, upper_state) for t in flat(s)]
    assert sum(s.sum().item() for s in flat(state)) == pytest.approx(sum(s.sum().item() for s in ends))


def test_dropout_is_applied_between_layers_and_only_in_training():
    layer = build("rrnn-b", {}, num_layers=2, dropout=0.5)
    v = inputs(layer, 5, 3)
    assert not torch.equal(layer(v)[0], layer(v)[0])
    layer.eval()
    torch.testing.assert_close(layer(v)[0], build("rrnn-b", {}, num_layers=2)(v)[0])
    single = build("rrnn-b", {}, dropout=0.5)
    torch.testing.assert_close(single(v)[0], build("rrnn-b", {})(v)[0])


@every
def test_gradients_match_finite_differences(kind, options):
    layer = build(kind, options)
    v = inputs(layer, 4, 2)
    names, parameters = zip(*layer.named_parameters(), strict=True)

    def run(x, *weights):
        h, state = torch.func.functional_call(
            layer, dict(zip(names, weights, strict=True)), (x,), {"lengths": [4, 2]}
        )
        return (h, *(torch.tanh(s) for s in flat(state)))

    leaf = v.clone().requires_grad_() if v.is_floating_point() else v
    assert torch.autograd.gradcheck(run, (leaf, *(p.detach().clone().requires_grad_() for p in parameters)))


@every
def test_gradients_match_the_equations(kind, options):
    """The gradients equal those of autograd through the plain loop, with respect to c_0 and all parameters.

    The loss uses the states c and the outputs h.
    """
    layer = build(kind, options)
    v = inputs(layer, 5)
    gradients = []
    for way in ("fast", "plain"):
        layer.zero_grad()
        c_0 = torch.tensor([0.5, -0.25, 0.0], dtype=D, requires_grad=True)
        if way == "fast":
            first = layer.start(1, c_0)
            c, h = layer.scores(v.unsqueeze(1), first).squeeze(1), layer(v.unsqueeze(1), first)[0].squeeze(1)
        else:
            c, h = by_the_equations(kind, layer.cell, v, c_0)
        ((c * torch.arange(1.0, 4.0)).sum() + (h**2).sum()).backward()
        gradients.append([c_0.grad, *(p.grad for p in layer.parameters())])
    torch.testing.assert_close(gradients[0], gradients[1])


@every
def test_its_parameters_are_saved_and_loaded(kind, options):
    layer, other = build(kind, options, num_layers=1), layer_kinds()[kind].cls(IN, IN, dtype=D, **options)
    file = io.BytesIO()
    torch.save(layer.state_dict(), file)
    file.seek(0)
    other.load_state_dict(torch.load(file, weights_only=True))
    v = inputs(layer, 3, 2)
    for same in (other, copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        torch.testing.assert_close(same(v)[0], layer(v)[0])
    assert repr(layer).startswith(type(layer).__name__)


def z(*shape, dtype=D):
    return torch.zeros(*shape, dtype=dtype)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32], ids=str)
def test_symbols_may_be_integers_of_any_size(dtype):
    layer, symbols = build("isan", {}), torch.tensor([[0, 2], [1, 1]])
    assert torch.equal(layer(symbols.to(dtype))[0], layer(symbols)[0])
    units = layer.to_automata(torch.arange(IN).to(dtype), "abc")
    assert units == layer.to_automata(torch.arange(IN), "abc")


UPPER = "upper layers read vectors"
WRONG = [
    ("rrnn-b", {}, lambda m: m(z(2, 2, 4)), r"have shape \(time, batch, input\).*got shape \(2, 2, 4\)"),
    ("rrnn-b", {}, lambda m: m([1.0]), "input must .*got list"),
    ("rrnn-b", {}, lambda m: m(z(2, 2, 3), z(2)), r"state must have shape \(1, 2, 3\), got \(2,\)"),
    ("rrnn-b", {}, lambda m: m(z(2, 3), z(1, 1, 3)), r"must have shape \(1, 3\)"),
    ("rrnn-c", {}, lambda m: m(z(2, 2, 3), z(1, 2, 3)), r"state must have 2 part\(s\), got 1"),
    ("rrnn-b", {}, lambda m: m(z(2, 2, 3), 3), "state must be a tensor or a tuple of tensors, got int"),
    ("rrnn-c", {}, lambda m: m(z(2, 2, 3), (None, 3)), r"part 0 .* must have shapes .*got \['NoneType'\]"),
    ("rrnn-b", {}, lambda m: m(z(2, 2, 3), lengths=[3, 1]), "lengths must be"),
    ("rrnn-b", {}, lambda m: m(z(2, 2, 3), lengths=[None, 1]), r"lengths must be .*got \[None, 1\]"),
    ("rrnn-b", {}, lambda m: m(z(2, 2, 3), lengths="ab"), "lengths must be 2 integers from 0 to 2, got 'ab'"),
    ("rrnn-b", {}, lambda m: m(z(2, 2, 3), lengths=[10**30, 1]), "lengths must be 2 integers"),
    ("rrnn-b", {}, lambda m: m(z(2, 2, 3), lengths=[1]), "lengths must be"),
    ("rrnn-b", {}, lambda m: m(z(2, 2, 3), lengths=[1.5, 1.0]), "lengths must be"),
    ("rrnn-b", {}, lambda m: m(pack_sequence([z(2, 3)]), lengths=[2]), "for a packed sequence"),
    ("rrnn-b", {}, lambda m: m.to_automata(z(2, 3), "abc"), r"embeddings must have shape .*got \(2, 3\)"),
    ("rrnn-b", {}, lambda m: m.to_automata(z(1, 3) / 0, "a"), "must be finite"),
    ("rrnn-b", {}, lambda m: m.to_automata(torch.zeros(1, 3), "a"), "finite numbers of dtype torch.float64"),
    ("rrnn-b", {}, lambda m: m.to_automata(z(2, 3), "aa"), "must contain each symbol once"),
    ("rrnn-b", {}, lambda m: m.to_automata(z(1, 3), "a", start=z(2)), r"start must .*got shape \(2,\)"),
    ("rrnn-b", {}, lambda m: m.to_automata(z(1, 3), "a", start=-torch.inf), "start must contain"),
    ("rrnn-b", {}, lambda m: m.to_automata(z(1, 3), "a", start=1j), "start must be representable .*got 1j"),
    ("rrnn-b", {}, lambda m: m.to_automata(z(1, 3), "a", start="x"), "start must be representable .*got 'x'"),
    ("rrnn-b", {}, lambda m: m.to_automata(z(1, 3), "a", direction=1), "direction must .*got 1"),
    ("rrnn-b", {}, lambda m: m.tables(z(1, 3), "a", 3), "unit must .*got 3"),
    ("rrnn-b", {"num_layers": 2}, lambda m: m.to_automata(z(1, 3), "a"), UPPER),
    ("rrnn-b", {"num_layers": 2}, lambda m: m.deviations(z(1, 3)), UPPER),
    (
        "rrnn-b",
        {"bidirectional": True},
        lambda m: m.scores(z(1, 1, 3)),
        "must have one layer and one direction",
    ),
    ("qrnn", {"num_layers": 2}, lambda m: m(z(1, 1, 3), (z(2, 1, 3), z(5))), "shape"),
    ("isan", {}, lambda m: m(torch.zeros(2, 2)), "integers of shape"),
    ("isan", {}, lambda m: m(torch.zeros(2, 2, dtype=torch.bool)), "integers of shape .*got torch.bool"),
    ("isan", {}, lambda m: m.to_automata(torch.tensor([False, True]), "ab"), "integers from 0 to 2"),
    ("isan", {}, lambda m: m(torch.tensor([[0, 3]])), "must be between 0 and 2, got"),
    ("isan", {}, lambda m: m.to_automata(torch.tensor([0, 3]), "ab"), "integers from 0 to 2"),
]


@pytest.mark.parametrize(("kind", "options", "call", "says"), WRONG)
def test_wrong_shapes_are_reported(kind, options, call, says):
    with pytest.raises(InputError, match=says) as error:
        call(build(kind, options))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("kind", "sizes", "options", "says"),
    [
        ("example-6", (1, 1), {"nonlinearity": "relu"}, "nonlinearity must .*got 'relu'"),
        ("example-6", (0, 1), {}, "input_size must .*got 0"),
        ("example-6", (1, True), {}, "hidden_size must .*got True"),
        ("example-6", (1, 1), {"window": 2}, "among .nonlinearity., got 'window'"),
        ("example-6", (1, 1), {"dropout": 2}, "dropout must .*got 2"),
        ("example-6", (1, 1), {"num_layers": 0}, "num_layers must .*got 0"),
        ("sru", (1, 2), {"highway": True}, "input_size must equal hidden_size"),
        ("qrnn", (1, 1), {"window": 0}, "window must .*got 0"),
        ("rcnn", (1, 1), {"order": 1.5}, "order must .*got 1.5"),
        ("rcnn", (1, 1), {"decay": "exponential"}, "decay must .*got 'exponential'"),
        ("scrn", (1, 1), {"alpha": 2}, "alpha must .*got 2"),
        ("rrnn-b", (1, 1), {"output_gate": 1}, "output_gate must .*got 1"),
        ("isan", (1, 1), {"num_layers": 2}, "would read vectors, not symbols"),
    ],
)
def test_wrong_options_are_reported(kind, sizes, options, says):
    with pytest.raises(InputError, match=says):
        layer_kinds()[kind].cls(*sizes, **options)


@pytest.mark.parametrize("sorted_before", [True, False])
def test_a_packed_sequence_preserves_the_order_of_equal_lengths(sorted_before):
    """As in torch's layers, tensors that are packed alongside, such as targets, stay aligned."""
    torch.manual_seed(3)
    layer, lengths = SRU(3, 2), torch.randint(1, 5, (40,))
    if sorted_before:
        lengths = lengths.sort(descending=True).values
    inputs = torch.randn(4, 40, 3)
    packed = pack_padded_sequence(inputs, lengths, enforce_sorted=sorted_before)
    output, _ = layer(packed)
    expected = pack_padded_sequence(layer(inputs, lengths=lengths)[0], lengths, enforce_sorted=sorted_before)
    torch.testing.assert_close(output.data, expected.data)
    assert output.batch_sizes.tolist() == packed.batch_sizes.tolist()
    same = output.sorted_indices is packed.sorted_indices is None
    assert same or output.sorted_indices.tolist() == packed.sorted_indices.tolist()
