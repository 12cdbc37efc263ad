"""Tests that Coq accepts closed regions of ordinary networks, refuses wrong ones, and runs the networks."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file
from torch import nn

from automata.io import files
from automata.moore import Moore
from neural.seeding import seeded
from proofs_tests.coq.conftest import run_definitions
from proofs_tests.papers.certification.latches import (
    ALPHABET,
    LAST,
    MACHINE,
    last_of_three,
    latch,
    state_dict,
)
from ratproof import main
from ratproof.certification.ordinary_networks.arithmetic import Points
from ratproof.certification.ordinary_networks.network import GATES, OrdinaryNetwork
from ratproof.certification.ordinary_networks.recognise import network_of_parts
from ratproof.certification.ordinary_networks.slopes import Slopes
from ratproof.certification.ordinary_networks.turned_boxes import TurnedBoxes, turned_boxes
from ratproof.coq import ordinary_network, reals

Case = tuple[OrdinaryNetwork, Moore, TurnedBoxes]


def case(parts: tuple[nn.RNNBase, nn.Linear], machine: Moore) -> Case:
    """Return a network, its automaton, and the first closed regions that the search finds."""
    inputs = np.eye(len(machine.alphabet))
    network = network_of_parts(*parts, inputs, 0.0, machine.alphabet)
    return network, machine, next(turned_boxes(network, machine, time.monotonic() + 60))


def definitions(wrong: Case) -> str:
    text = ordinary_network.file_text(*wrong, "net").partition(reals.REGIONS.inlined())[2]
    return text[: text.index("Theorem ")]


def checks(theory: Path, cases: list[Case]) -> list[bool]:
    """Return the value of Coq's checker for each case, with the theory compiled once."""
    lines = []
    for i, data in enumerate(cases):
        check = f"Eval vm_compute in regions.check {ordinary_network.BITS} weights automaton nodes."
        lines.append(f"Module net_{i}.\n{definitions(data)}\n{check}\nEnd net_{i}.")
    output = run_definitions("\n".join(lines), theory)
    return [value == "true" for value in re.findall(r"= (true|false)", output)]


def flip_decisions(network: OrdinaryNetwork, machine: Moore, regions: TurnedBoxes) -> Case:
    return network, replace(machine, outputs=(1, 0)), regions


def exchange_edges(network: OrdinaryNetwork, machine: Moore, regions: TurnedBoxes) -> Case:
    """Exchange the transitions of two symbols, in the automaton and in the regions."""
    table = tuple((row[1], row[0], row[2]) for row in machine.table)
    net = replace(regions.net, edges=regions.net.edges[:, [1, 0, 2]])
    return network, replace(machine, table=table), replace(regions, net=net)


def move_an_edge(network: OrdinaryNetwork, machine: Moore, regions: TurnedBoxes) -> Case:
    """Make a symbol lead to a region of another state of the automaton."""
    edges = regions.net.edges.copy()
    edges[0, 0] = np.flatnonzero(regions.net.states != regions.net.states[edges[0, 0]])[0]
    return network, machine, replace(regions, net=replace(regions.net, edges=edges))


def exchange_states(network: OrdinaryNetwork, machine: Moore, regions: TurnedBoxes) -> Case:
    """Assign the other state to each region, so that the decision is wrong there."""
    return network, machine, replace(regions, net=replace(regions.net, states=1 - regions.net.states))


def narrow_all_regions(network: OrdinaryNetwork, machine: Moore, regions: TurnedBoxes) -> Case:
    return network, machine, replace(regions, widths=regions.widths / 2)


def widen_all_regions(network: OrdinaryNetwork, machine: Moore, regions: TurnedBoxes) -> Case:
    return network, machine, replace(regions, widths=regions.widths + 5)


def move_the_centers(network: OrdinaryNetwork, machine: Moore, regions: TurnedBoxes) -> Case:
    centers = regions.net.centers + regions.widths.max()
    return network, machine, replace(regions, net=replace(regions.net, centers=centers))


def transpose_the_recurrent_weight(network: OrdinaryNetwork, machine: Moore, regions: TurnedBoxes) -> Case:
    layer = network.layers[0]
    changed = replace(layer, weight=np.flip(layer.weight).copy())
    return replace(network, layers=(changed,)), machine, regions


def transpose_the_second_layer(network: OrdinaryNetwork, machine: Moore, regions: TurnedBoxes) -> Case:
    first, second = network.layers
    changed = replace(second, input_weight=np.flip(second.input_weight).copy())
    return replace(network, layers=(first, changed)), machine, regions


def exchange_the_layers_states(network: OrdinaryNetwork, machine: Moore, regions: TurnedBoxes) -> Case:
    """Exchange the layers' parts of the centers."""
    centers = np.roll(regions.net.centers, network.size // 2, axis=1)
    return network, machine, replace(regions, net=replace(regions.net, centers=centers))


def drop_the_second_layer(network: OrdinaryNetwork, machine: Moore, regions: TurnedBoxes) -> Case:
    return replace(network, layers=network.layers[:1]), machine, regions


def exchange_the_embeddings(network: OrdinaryNetwork, machine: Moore, regions: TurnedBoxes) -> Case:
    return replace(network, embeddings=network.embeddings[::-1].copy()), machine, regions


def negate_the_readout(network: OrdinaryNetwork, machine: Moore, regions: TurnedBoxes) -> Case:
    return replace(network, readout=-network.readout), machine, regions


def raise_the_threshold(network: OrdinaryNetwork, machine: Moore, regions: TurnedBoxes) -> Case:
    return replace(network, threshold=10.0), machine, regions


def lose_the_output_in_rounding(network: OrdinaryNetwork, machine: Moore, regions: TurnedBoxes) -> Case:
    """Add a large number to the output and the threshold: only exact arithmetic still decides correctly."""
    bias, threshold = network.readout_bias + 2.0**30, network.threshold + 2.0**30
    return replace(network, readout_bias=bias, threshold=threshold), machine, regions


BREAKS: tuple[Callable[[OrdinaryNetwork, Moore, TurnedBoxes], Case], ...] = (
    flip_decisions,
    exchange_edges,
    move_an_edge,
    exchange_states,
    narrow_all_regions,
    widen_all_regions,
    move_the_centers,
    transpose_the_recurrent_weight,
    exchange_the_embeddings,
    negate_the_readout,
    raise_the_threshold,
    lose_the_output_in_rounding,
)


LAYERS = (transpose_the_second_layer, exchange_the_layers_states, drop_the_second_layer)
WEIGHTS = (narrow_all_regions, transpose_the_recurrent_weight)


def test_coq_accepts_correct_regions_and_refuses_wrong_ones(theory):
    names = [(cell, layers) for cell in GATES for layers in (1, 2)]
    right = {(cell, layers): case(latch(cell, layers), MACHINE) for cell, layers in names}
    assert checks(theory, [*right.values(), case(last_of_three(), LAST)]) == [True] * 9
    broken = {b.__name__: b(*right["rnn_tanh", 1]) for b in BREAKS}
    broken |= {f"{b.__name__} of {cell}": b(*right[cell, 1]) for cell in ("gru", "rnn_relu") for b in WEIGHTS}
    broken |= {b.__name__: b(*right["rnn_tanh", 2]) for b in LAYERS}
    accepted = checks(theory, list(broken.values()))
    assert [name for name, value in zip(broken, accepted, strict=True) if value] == []


RUN = """
Definition enclosed := map (map (network.map_gate (intervals.of_rational 48))) (layers weights).
Notation forms := (cells.forms 48 false []).
Fixpoint exact_forms (ls : list (list (network.gate intervals.interval))) (v h : list slopes.form) :=
  match ls with
  | [] => []
  | gates :: above =>
    let old := firstn (layer_size weights) h in
    let recurrent := cells.recurrent 48 false [] gates (map network.U gates) old in
    let new := network.update (K := forms) (cell_kind weights) (reads_of 48 weights gates v) recurrent old in
    new ++ exact_forms above new (skipn (layer_size weights) h)
  end.
Definition vector (x : nat) := map (intervals.of_rational 48) (nth x (embeddings weights) []).
Definition next (h : list slopes.form) (x : nat) := exact_forms enclosed (map slopes.constant (vector x)) h.
Eval vm_compute in map slopes.range (score_forms 48 weights []
  (fold_left next {word} (repeat (slopes.constant intervals.zero) (size weights)))).
"""
ENDS = re.compile(r"Some\s*\(\(?(-?\d+)\)?(?:%Z)?,\s*\(?(-?\d+)\)?(?:%Z)?\)")
SIZES = [(cell, layers) for cell in GATES for layers in (1, 2)]


def ends_of(output: str) -> np.ndarray:
    """Return the lower and the upper ends of the intervals that Coq printed."""
    return np.array([[int(end) / 2**48 for end in pair] for pair in ENDS.findall(output)]).T


@pytest.mark.parametrize(
    "parts",
    [*(latch(*size) for size in SIZES), last_of_three()],
    ids=[*(f"{cell}-{layers}" for cell, layers in SIZES), "classes"],
)
def test_coq_and_torch_run_the_same_network(theory, parts):
    """Coq's enclosures contain the outputs that torch computes in float64."""
    word = [0, 1, 1, 2, 0, 2]
    machine = LAST if parts[1].out_features == 3 else MACHINE
    run = RUN.format(word=f"[{'; '.join(map(str, word))}]")
    output = run_definitions(f"{definitions(case(parts, machine))}Close Scope Q_scope.\n{run}", theory)
    low, high = ends_of(output)
    rnn, linear = parts[0].double(), parts[1].double()
    with torch.no_grad():
        outputs = linear(rnn(torch.eye(3, dtype=torch.float64)[word])[0][-1]).tolist()
    parts[0].float(), parts[1].float()
    expected = outputs if len(outputs) > 1 else [0.0, *outputs]
    assert len(low) == len(expected), output
    assert (low - 1e-9 <= expected).all() and (expected <= high + 1e-9).all()
    assert (high - low).max() < 2**-34


COMPUTED = """
Definition enclosed := map (map (network.map_gate (intervals.of_rational 48))) (layers weights).
Definition vector := map (intervals.of_rational 48).
Definition next (symbol : nat) (h : list slopes.form) : list slopes.form :=
  let v := vector (nth symbol (embeddings weights) []) in
  computed_forms 48 weights (with_recurrents 48 weights enclosed h)
    (map (map slopes.constant) (cells.read_parts 48 (nth 0 enclosed []) v)) v h.
"""
NEXT = "Eval vm_compute in map slopes.range (next {symbol} (map slopes.constant (vector {state})))."


@pytest.mark.parametrize(("cell", "layers"), SIZES)
def test_coq_encloses_the_steps_that_torch_computes(theory, cell, layers):
    """The enclosures contain torch's steps in float32 and in float64, and are narrower than 2^-13."""
    parts = latch(cell, layers)
    network = case(parts, MACHINE)[0]
    rng = np.random.default_rng(1)
    steps = [(int(rng.integers(3)), rng.uniform(-1, 1, network.size).astype(np.float32)) for _ in range(10)]
    queries = (NEXT.format(symbol=f"{x}%nat", state=ordinary_network.row(state)) for x, state in steps)
    output = run_definitions("\n".join([definitions(case(parts, MACHINE)), COMPUTED, *queries]), theory)
    rows = output.split("     = ")[1:]
    assert len(rows) == len(steps)
    for (symbol, state), text in zip(steps, rows, strict=True):
        low, high = ends_of(text)
        single, double = (step(parts[0].to(kind), symbol, state) for kind in (torch.float32, torch.float64))
        assert len(low) == network.size
        for values in (single, double):
            assert (low <= values).all() and (values <= high).all()
        assert (high - low).max() < 2**-13
    parts[0].float()


def step(rnn: nn.RNNBase, symbol: int, state: np.ndarray) -> np.ndarray:
    """Return torch's next state, in the layer's precision: for each layer h, followed by c of an LSTM."""
    kind = rnn.weight_ih_l0.dtype
    old = torch.tensor(state, dtype=kind).view(rnn.num_layers, -1, rnn.hidden_size)
    h, c = old[:, 0], old[:, -1]
    inputs = torch.eye(3, dtype=kind)[[symbol]]
    with torch.no_grad():
        new = rnn(inputs, (h, c) if isinstance(rnn, nn.LSTM) else h)[1]
    parts = torch.stack(new, 1) if isinstance(new, tuple) else new
    return parts.flatten().double().numpy()


CELLS = (nn.RNN, partial(nn.RNN, nonlinearity="relu"), nn.GRU, nn.LSTM)


@given(st.sampled_from(CELLS), st.integers(1, 2), st.integers(0, 10**6), st.sampled_from([1e-3, 0.1, 1.0]))
def test_slopes_enclose_a_step_and_the_margins(cell, layers, seed, width):
    """For each point of a region, the values and their differences from the center are enclosed."""
    rng = np.random.default_rng(seed)
    with seeded(seed):
        rnn, linear = cell(3, 4, layers), nn.Linear(4, 1)
    network = network_of_parts(rnn, linear, np.eye(3), 0.0, ALPHABET)
    size = network.size
    center, generators = rng.normal(size=(1, size)), width * rng.normal(size=(1, size, size))
    xi, symbol = rng.uniform(-1, 1, size=size), np.array([int(rng.integers(3))])
    state = Slopes.region(center, generators)
    point = Points(center + generators @ xi)
    for enclosure, value, at_center in (
        (network.step(state, symbol), network.step(point, symbol), network.step(Points(center), symbol)),
        (network.logits(state), network.logits(point), network.logits(Points(center))),
    ):
        tight, slack = enclosure.tightened(), 1e-12
        assert np.allclose(enclosure.center, at_center.center, atol=slack)
        assert (tight.low - slack <= value.center).all()
        assert (value.center <= tight.high + slack).all()
        linear_part, rest = enclosure.slope @ xi, enclosure.spread @ np.abs(xi)
        assert (np.abs(value.center - enclosure.center - linear_part) <= rest + slack).all()


@pytest.fixture
def folder(in_tmp_path):
    """Write networks and an automaton into the test's own folder."""
    save_file(state_dict(latch("gru", 2)), "gru.safetensors")
    files.write(MACHINE.accepting(frozenset({1})).to_wfsa(), "set.json")


def test_the_command_writes_a_complete_file_that_coq_accepts(theory, folder, capsys):
    command = ["certify", "gru.safetensors", "--cell", "gru", "--against", "set.json", "--kernel", "--json"]
    assert main.run(command) == 0
    kernel = json.loads(capsys.readouterr().out)["kernel"]
    assert kernel == {"file": "agrees_gru.v", "theorem": "agrees", "axioms": list(reals.AXIOMS)}
    assert "From ratproof" not in Path("agrees_gru.v").read_text()
