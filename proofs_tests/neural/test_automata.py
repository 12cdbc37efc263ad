"""Tests of every network against its extracted automata: scores, gates, sizes and refused networks."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from automata.errors import InputError
from automata.forward import prefix_scores
from automata.rounding.bounds import FLOAT32, FLOAT64, Deviation, prefix_bounds, share
from automata.semirings import MAX_PLUS
from automata.testing.strategies import readings
from automata.wfsa import MOST_EXACT_CELLS, WFSA
from neural.elman import LinearElman
from neural.isan import ISAN
from neural.layer_kind import layer_kinds
from neural.pattern import Windows, WindowWeights
from neural.qrnn import QRNN
from neural.rcnn import RCNN
from neural.rrnn_b import RRNNB
from neural.rrnn_b_max_plus import RRNNBMaxPlus
from neural.rrnn_f import RRNNF
from neural.tracked import RunningErrorTensor
from proofs_tests.neural.test_networks import IN, D, build, by_the_equations, every, inputs
from ratproof.evidence.ledger import recording
from ratproof.implementations.layer import LayerComparison
from ratproof.implementations.layer_spec import spec
from ratproof.implementations.layer_strategies import networks
from ratproof.ladder.rungs.agreement import agree
from ratproof.ladder.written.references import KINDS, NAMES
from theory.registry import claims

STRING = [2, 0, 0, 2, 1, 1, 0]
CLAIM = claims()["proposition-7"]
CORRECTED = CLAIM.variant("corrected")


@every
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, D], ids=str)
@pytest.mark.parametrize("start", [None, 0.0, [0.5, -2.0, 0.0]], ids=str)
def test_its_automata_score_its_states_for_any_c_0(kind, options, exact, dtype, start):
    layer, form = build(kind, options, dtype), FLOAT32 if dtype is torch.float32 else FLOAT64
    v = torch.arange(IN) if kind == "isan" else inputs(layer, IN, dtype=dtype)
    c_0 = None if start is None else torch.tensor(start, dtype=dtype)
    c = layer.scores(v[STRING].unsqueeze(1), layer.start(1, c_0)).squeeze(1)
    first = layer.cell.score(layer.cell.start(1, c_0))
    slack = layer.deviations(v, c_0)
    units = layer.to_automata(v, range(IN), c_0, exact=exact)
    assert len(units) == IN
    for i, automaton in enumerate(units):
        assert automaton.exact == exact and (automaton.epsilon is None) != kind.startswith("sopa")
        assert slack[i].matrices.shape == automaton.matrices.shape
        computed = [float(first[0, i].detach()), *c[:, i].tolist()]
        scores, bounds = prefix_bounds(automaton, STRING, form, slack[i])
        assert share(computed, scores, bounds) <= 1
        # The bound is far below the scores, so that the comparison is informative.
        assert bounds.max() < 1e-3 * (1 + max(abs(x) for x in computed if np.isfinite(x)))


def recurrence_alone(layer, gates, string, start):
    """Return the largest error of a layer's recurrence with exact gates, relative to its rounding bound."""
    cell, windows = layer.cell, Windows(len({*string}), layer.cell.window)
    slack = {
        name: gate.double().numpy()
        for name, gate in cell.slack({n: RunningErrorTensor.exact(g) for n, g in gates.items()}).items()
    }
    values = {name: gate.double().numpy() for name, gate in gates.items()}
    c_0, fresh = np.full(cell.hidden_size, start), np.full(cell.hidden_size, start == cell.semiring.zero)
    one = cell.semiring.one
    weights = WindowWeights(values, one, cell.semiring.zero, c_0, fresh)
    slack_weights = WindowWeights(slack, 0.0, 0.0, 0 * c_0, fresh)
    ready, off = cell.arrays(weights, windows), cell.arrays(slack_weights, windows)
    silent, silent_off = cell.epsilon_matrices(weights), cell.epsilon_matrices(slack_weights)
    row_of = {tuple(row): i for i, row in enumerate(windows.ids.tolist())}
    read = [row_of[(*[-1] * cell.window, *string[: t + 1])[-cell.window :]] for t in range(len(string))]
    first = cell.start(1, start)
    steps = cell.steps({n: g if g.dim() == 1 else g[read].unsqueeze(1) for n, g in gates.items()}, first)
    c = torch.cat([cell.score(first).unsqueeze(0), cell.score(steps)])[:, 0].double()
    worst = 0.0
    for unit, ((initial, final, matrices), (i, f, m)) in enumerate(zip(ready, off, strict=True)):
        automaton = WFSA.from_arrays(
            cell.semiring, initial, final, matrices, {x: x for x in range(windows.symbols)}
        )
        if silent[unit] is not None:
            automaton = automaton.replace(epsilon=silent[unit])
        scores, bounds = prefix_bounds(automaton, string, FLOAT32, Deviation(m, i, f, silent_off[unit]))
        worst = max(worst, share(c[:, unit].tolist(), scores, bounds))
    return worst


@every
@torch.no_grad()
def test_the_recurrence_alone_stays_within_its_bound_and_uses_much_of_it(kind, options):
    """With exact gates, only the steps of the recurrence round. Some gates are integers, which round less."""
    layer = build(kind, options, torch.float32)
    rng, worst = torch.Generator().manual_seed(0), 0.0
    for start in (1.0, 0.0, 0.3):
        string = torch.randint(0, 2, (6,), generator=rng).tolist()
        string[:2] = [0, 1]
        views = torch.zeros(len(Windows(2, layer.cell.window).ids), layer.cell.window * IN)
        gates = layer.cell.gates(torch.arange(2) if kind == "isan" else views)
        for name, gate in gates.items():
            if name not in ("W", "p1", "p2", "r", "e1", "e2", "e3"):
                drawn = torch.randn(gate.shape, generator=rng)
                gates[name] = torch.where(torch.rand(gate.shape, generator=rng) < 0.2, drawn.round(), drawn)
        used = recurrence_alone(layer, gates, string, float(torch.tensor(start)))
        assert used <= 1
        worst = max(worst, used)
    assert worst > 0.02


@torch.no_grad()
def test_the_sum_with_r_is_rounded_even_if_c1_is_one():
    """(1 + r) * u2 rounds twice, and the automaton's 1 * u2 does not round. Without a term for these
    roundings, the result exceeds the bound.
    """
    layer, units = RRNNF(1, 300), 300
    torch.manual_seed(0)
    for p in (layer.final_1, layer.final_2):
        p.copy_(torch.full((units,), 200.0))  # p = 1
    zero, u2, r = torch.zeros(1, units), torch.rand(1, units) + 1, torch.rand(units)
    p = torch.ones(units)
    gates = {"f1": zero, "u1": zero, "f2": zero, "u2": u2, "p1": p, "p2": p, "r": r}
    assert 0.5 < recurrence_alone(layer, gates, [0], 1.0) <= 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            type(layer.cell), "slack", lambda self, gates: {n: 2 * g.error for n, g in gates.items()}
        )
        assert recurrence_alone(layer, gates, [0], 1.0) > 1


@every
def test_its_automata_score_the_equations(kind, options):
    """The plain loop is compared without a layer, on every string up to length three."""
    layer = build(kind, options)
    v = torch.arange(IN) if kind == "isan" else inputs(layer, IN)
    c_0 = torch.full((IN,), 0.25, dtype=D)
    units = layer.to_automata(v, range(IN), 0.25)
    for length in range(4):
        for string in product(range(IN), repeat=length):
            c, _ = by_the_equations(kind, layer.cell, v[list(string)], c_0)
            for i, unit in enumerate(units):
                score = prefix_scores(unit, string)
                assert [float(s) for s in score[1:]] == pytest.approx(c[:, i].tolist(), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("kind", list(layer_kinds()))
@settings(suppress_health_check=list(HealthCheck), max_examples=6)
@given(st.data(), st.sampled_from(["float32", "float64"]))
def test_networks_of_every_kind_match_their_automata(kind, data, dtype):
    """With gates that saturate and cancel, any initial state and sequences of every length, scores are within
    the derived bound.
    """
    names, strings = data.draw(readings(most=30))
    starts = st.none() | layer_kinds()[kind].starts
    drawn = data.draw(networks("abc", kind, CLAIM.name, CORRECTED.name, dtype, "cpu", start=starts))
    agree(drawn.renamed(names), strings)


@pytest.mark.parametrize("kind", list(layer_kinds()))
def test_a_random_network_is_written_and_read_back(kind):
    @settings(max_examples=5, suppress_health_check=list(HealthCheck))
    @given(
        networks(
            "ab", kind, "proposition-7", "corrected", "float64", "cpu", start=st.none() | st.floats(-2, 2)
        )
    )
    def run(drawn):
        again = LayerComparison.from_json(CLAIM, CORRECTED, drawn.to_json())
        assert again.to_json() == drawn.to_json()
        assert again.automata() == drawn.automata()
        assert again.weights() == drawn.weights() and "c_0 = " in drawn.weights()

    with recording():
        run()


@pytest.mark.parametrize("dtype", [torch.float32, D], ids=str)
def test_an_integer_initial_state_is_the_networks(dtype):
    layer = build("rrnn-b", {}, dtype)
    first = float(layer.start(1, 0.1).flatten()[0])
    assert layer.to_automata(inputs(layer, IN, dtype=dtype), "abc", 0.1)[0].initial[1] == Fraction(first)


@pytest.mark.parametrize("number", [10**30, 10**400], ids=["no int64", "no float"])
def test_an_initial_state_that_is_too_large_is_refused(number):
    layer = build("rrnn-b", {})
    with pytest.raises(InputError, match=r"start must be representable in torch.float64, got 10{20}"):
        layer.to_automata(inputs(layer, IN), "abc", number)


def kept(kind="qrnn"):
    """Return the JSON of a small network's comparison."""
    options = {"qrnn": {"window": 2, "output_gate": False}, "isan": {}, "rcnn": {"order": 2}}[kind]
    layer = layer_kinds()[kind].cls(2, 1, **options)
    values = {name: p.tolist() for name, p in layer.cell.state_dict().items()}
    embeddings = [0, 1] if kind == "isan" else [[0.5, 1.0], [1.0, -1.0]]
    arguments = {"input_size": 2, "hidden_size": 1, **options}
    spec_of_layer = spec(kind, arguments, values, embeddings, ["a", "b"])
    return LayerComparison(CLAIM.name, CORRECTED.name, spec_of_layer).to_json()


HOSTILE = [
    ("qrnn", {"network": "lstm"}, "network must be one of .*, got 'lstm'"),
    ("qrnn", {"network": ["qrnn"]}, "network must be one of"),
    ("qrnn", {"options": []}, "options of qrnn must be"),
    ("qrnn", {"options": {"hidden_size": 1}}, "options of qrnn must be"),
    ("qrnn", {"options": {"input_size": 2, "hidden_size": 1, "num_layers": 2}}, "options of qrnn must be"),
    (
        "qrnn",
        {"options": {"input_size": 2, "hidden_size": 1, "window": 10**12}},
        "window must be at most the number of weights",
    ),
    (
        "qrnn",
        {"options": {"input_size": 2, "hidden_size": 10**9}},
        "hidden_size must be at most the number of weights",
    ),
    ("qrnn", {"options": {"input_size": 2, "hidden_size": -1}}, "hidden_size must .*got -1"),
    ("qrnn", {"options": {"input_size": 2, "hidden_size": 1.0}}, "hidden_size must .*got 1.0"),
    ("qrnn", {"options": {"input_size": 2, "hidden_size": 1, "window": "2"}}, "window must .*got '2'"),
    (
        "qrnn",
        {"options": {"input_size": 2, "hidden_size": 1, "window": 1}},
        "parameters must have the shapes",
    ),
    (
        "rcnn",
        {"options": {"input_size": 2, "hidden_size": 1, "order": 10**9}},
        "order must be at most the number of weights",
    ),
    ("qrnn", {"parameters": []}, "'parameters' must be a JSON object"),
    ("qrnn", {"parameters": {"forget.weight": [["x"]]}}, "forget.weight must be an array"),
    ("qrnn", {"parameters": {"forget.weight": [[1], [1, 2]]}}, "forget.weight must be an array"),
    ("qrnn", {"parameters": {"forget.weight": [[1e39]]}}, "must be finite"),
    ("qrnn", {"parameters": {}}, "at most the number of weights"),
    ("qrnn", {"embeddings": [[0.5], [1.0]]}, "embeddings must have shape"),
    ("qrnn", {"embeddings": [[0.5, float("nan")], [1.0, 0.0]]}, "must be finite"),
    ("isan", {"embeddings": [0, 2]}, "symbol indices from 0 to 1"),
    ("isan", {"embeddings": [0, 0.5]}, "symbol indices from 0 to 1"),
    ("qrnn", {"alphabet": ["a", "a"]}, "must not repeat a symbol"),
    ("qrnn", {"alphabet": ["a", ""]}, "alphabet must be a list"),
    ("qrnn", {"alphabet": 3}, "alphabet must be a list"),
    ("qrnn", {"start": "x"}, "start must be null or finite .*, got 'x'"),
    ("qrnn", {"start": [1]}, r"start must be .*, got \[1\]"),
    ("qrnn", {"start": float("inf")}, "start must be .*, got inf"),
    ("qrnn", {"device": "meta"}, "device must be cpu or cuda, got 'meta'"),
    ("qrnn", {"automata_know_start": 1}, "must be true or false"),
    ("qrnn", {"dtype": "float16"}, "dtype must be"),
    ("qrnn", {"dtype": ["float32"]}, "dtype must be"),
    ("qrnn", {"device": 3}, "device must be cpu or cuda, got 3"),
]


@pytest.mark.parametrize(("kind", "change", "says"), HOSTILE)
def test_a_file_that_differs_from_the_format_is_refused(kind, change, says):
    LayerComparison.from_json(CLAIM, CORRECTED, kept(kind))
    with pytest.raises(InputError, match=says) as error:
        LayerComparison.from_json(CLAIM, CORRECTED, kept(kind) | change)
    assert "\n" not in str(error.value)


STRANGE = [
    None,
    True,
    0,
    -1,
    10**30,
    1e308,
    float("nan"),
    "x",
    "",
    [],
    {},
    [[]],
    [1],
    {"a": 1},
    0.5,
    [[1, 2], [3]],
    "float32",
    "cpu",
]


def paths(data, way=()):
    """Yield the path to each part of a JSON value."""
    for key in data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ():
        yield (*way, key)
        yield from paths(data[key], (*way, key))


@pytest.mark.parametrize("kind", ["qrnn", "isan", "rcnn"])
@given(st.data())
def test_a_file_with_any_value_at_any_path_is_compared_or_refused(kind, data):
    spoilt = kept(kind)
    way = data.draw(st.sampled_from([w for w in paths(spoilt) if w != ("way",)]))
    part = spoilt
    for key in way[:-1]:
        part = part[key]
    part[way[-1]] = data.draw(st.sampled_from(STRANGE))
    try:
        read = LayerComparison.from_json(CLAIM, CORRECTED, spoilt)
        assert read.weights() and len(list(read.compare(["ab", "", "bba"]))) == 3
    except InputError as error:
        assert "\n" not in str(error)


@every
def test_gates_need_no_gradient_and_are_those_of_the_module(kind, options):
    """The tables contain the results of ``gates``, keyed by the last symbols."""
    layer = build(kind, options)
    v = torch.arange(IN) if kind == "isan" else inputs(layer, IN)
    k = layer.cell.window
    for unit in range(IN):
        for name, table in layer.tables(v, "abc", unit).items():
            assert all(len(window) <= k for window in table)
            for window, value in table.items():
                if kind == "isan":
                    view = v["abc".index(window[0])]
                else:
                    rows = [v["abc".index(x)] for x in window]
                    view = torch.cat([*[torch.zeros(IN, dtype=D)] * (k - len(rows)), *rows])
                gate = layer.cell.gates(view)[name].detach()
                right = gate if name in ("W", "b") else gate[unit]
                torch.testing.assert_close(torch.tensor(value, dtype=D), right)
    sizes = {() if n in ("p1", "p2", "r") else tuple(table) for n, table in layer.tables(v, "abc", 0).items()}
    assert tuple(w for n in range(1, k + 1) for w in product("abc", repeat=n)) in sizes


@pytest.mark.parametrize(("kind", "options"), KINDS, ids=NAMES)
def test_backward_automata_read_the_string_in_reverse(kind, options):
    layer = build(kind, options, bidirectional=True)
    v = torch.arange(IN) if kind == "isan" else inputs(layer, IN)
    alone = build(kind, options)
    alone.cell.load_state_dict(layer.cells[1].state_dict())
    assert layer.to_automata(v, "abc", direction=1) == alone.to_automata(v, "abc")
    assert layer.to_automata(v, "abc") != layer.to_automata(v, "abc", direction=1)
    assert (layer.deviations(v, direction=1)[0].matrices == alone.deviations(v)[0].matrices).all()


@pytest.mark.parametrize("symbols", [1, 2, 3])
@pytest.mark.parametrize("window", [1, 2, 3])
def test_a_qrnn_has_as_many_states_as_in_proposition_11(symbols, window):
    """For s symbols and windows of K symbols, there are 2 (s + ... + s^{K-1}) + 1 states, and one more if c_0
    is not 0. For K = 1, there are two states.
    """
    layer, v = QRNN(2, 2, window=window), torch.randn(symbols, 2)
    histories = sum(symbols**k for k in range(1, window))
    states = lambda start: [a.states for a in layer.to_automata(v, range(symbols), start)]
    assert states(0.0) == ([2, 2] if window == 1 else [2 * histories + 1] * 2)
    assert states(torch.tensor([0.0, 1.0])) == (
        [2, 2] if window == 1 else [2 * histories + 1, 2 * histories + 2]
    )
    assert Windows(symbols, window).histories == histories + 1


def test_too_many_windows_are_refused_before_they_are_built():
    layer, v = QRNN(1, 1, window=3), torch.zeros(1000, 1)
    with pytest.raises(InputError, match=r"windows of 3 over 1,000 symbols must have .*in 2,002,002 states"):
        layer.to_automata(v, range(1000))
    with pytest.raises(InputError, match=f"at most {MOST_EXACT_CELLS:,} exact weights"):
        layer.to_automata(v[:30], range(30))
    for refused in (layer.deviations, lambda v: layer.tables(v, range(1000), 0)):
        with pytest.raises(InputError, match="windows of 3"):
            refused(v)


def test_figure_4_as_drawn_is_the_same_automaton():
    """With the epsilon transition or an initial state q_3, the scores are exactly equal."""
    torch.manual_seed(0)
    layer, v = RRNNF(2, 2), torch.randn(3, 2)
    for drawn, ready in zip(
        layer.to_automata(v, "abc", 0.5, epsilon=True), layer.to_automata(v, "abc", 0.5), strict=True
    ):
        assert drawn.epsilon is not None and (drawn.epsilon != 0).sum() == 1
        r = layer.tables(v, "abc", 0)["r"][()]
        assert 0 < r < 1 and drawn.initial[3] == 0
        for string in ("", "a", "bc", "abcba", "ccc"):
            assert prefix_scores(drawn, string).tolist() == prefix_scores(ready, string).tolist()


def test_an_rcnn_has_a_state_for_each_length():
    for order in (1, 2, 5):
        assert RCNN(2, 1, order=order).to_automata(torch.randn(2, 2), "ab")[0].states == order + 1


@pytest.mark.parametrize("kind", [ISAN, LinearElman])
def test_units_of_an_affine_network_share_their_transitions(kind):
    layer = kind(3, 4)
    v = torch.arange(3) if kind is ISAN else torch.randn(3, 3)
    for exact in (True, False):
        units = layer.to_automata(v, "abc", exact=exact)
        assert all(unit.matrices is units[0].matrices and unit.states == 5 for unit in units)
        assert [unit.final.tolist().index(1) for unit in units] == [1, 2, 3, 4]


def test_reduced_precision_of_a_step_is_in_the_deviation():
    layer = LinearElman(2, 2)
    v = torch.randn(2, 2)
    full = layer.deviations(v)[0].matrices
    before = torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision("high")
        reduced = layer.deviations(v)[0].matrices
    finally:
        torch.set_float32_matmul_precision(before)
    weights = np.abs(layer.to_automata(v, "ab", exact=False)[0].matrices[:, 1:, 1:])
    assert (full[:, 1:, 1:] == 0).all()
    assert (reduced[:, 1:, 1:] >= 2.0**-10 * weights).all()


def test_max_plus_scores_the_empty_string_with_minus_infinity_without_nan():
    layer = RRNNBMaxPlus(2, 2, output_gate=True)
    v = torch.randn(3, 2)
    units = layer.to_automata(v, "abc")
    assert all(unit.semiring is MAX_PLUS and prefix_scores(unit, "")[0] == -np.inf for unit in units)
    h, state = layer(torch.randn(4, 3, 2), lengths=[4, 0, 1])
    (h.sum() + state[:, 0].sum()).backward()
    assert bool(h.isfinite().all()) and bool((state[0, 1] == -torch.inf).all())
    assert all(bool(p.grad.isfinite().all()) for p in layer.parameters())
    (exact,) = {Fraction(float(w)) for w in layer.tables(v, "abc", 0)["u"].values()} & {
        units[0].matrix("a")[0, 1]
    }
    assert exact == units[0].matrix("a")[0, 1]


def test_a_start_in_float64_is_rounded_to_the_layers_dtype():
    layer, start = RRNNB(2, 2), torch.tensor([0.1, 0.2], dtype=torch.float64)
    (state, *_) = layer.start(1, start)
    assert state.dtype == torch.float32 and torch.equal(state[0], start.float())
