"""Tests that Coq accepts closed regions of ordinary networks, refuses wrong ones, and runs the networks."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
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
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork
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


def test_coq_accepts_correct_regions_and_refuses_wrong_ones(theory):
    rnn, gru = case(latch("rnn_tanh"), MACHINE), case(latch("gru"), MACHINE)
    assert checks(theory, [rnn, gru, case(latch("lstm"), MACHINE), case(last_of_three(), LAST)]) == [True] * 4
    broken = {b.__name__: b(*rnn) for b in BREAKS}
    broken |= {
        f"{b.__name__} of a GRU": b(*gru) for b in (narrow_all_regions, transpose_the_recurrent_weight)
    }
    accepted = checks(theory, list(broken.values()))
    assert [name for name, value in zip(broken, accepted, strict=True) if value] == []


RUN = """
Definition enclosed := map (network.map_gate (intervals.of_rational 64)) (cell_gates weights).
Definition next_forms (v : list Q) (h : list slopes.form) : list slopes.form :=
  cells.new_state 64 false [] (cell_kind weights)
    (cells.read_parts 64 enclosed (map (intervals.of_rational 64) v))
    (cells.recurrent 64 false [] enclosed
      (map (fun g => rational_rows 64 (network.U g)) (cell_gates weights)) h) h.
Eval vm_compute in map slopes.range (score_forms 64 weights []
  (fold_left (fun h x => next_forms (nth x (embeddings weights) []) h) {word}
    (repeat (slopes.constant intervals.zero) (size weights)))).
"""


@pytest.mark.parametrize(
    "parts",
    [latch("gru"), latch("rnn_tanh"), latch("lstm"), last_of_three()],
    ids=["gru", "rnn", "lstm", "classes"],
)
def test_coq_and_torch_run_the_same_network(theory, parts):
    """Coq's enclosures contain the outputs that torch computes in float64."""
    word = [0, 1, 1, 2, 0, 2]
    machine = LAST if parts[1].out_features == 3 else MACHINE
    run = RUN.format(word=f"[{'; '.join(map(str, word))}]")
    output = run_definitions(f"{definitions(case(parts, machine))}Close Scope Q_scope.\n{run}", theory)
    ends = re.findall(r"Some\s*\(\(?(-?\d+)\)?(?:%Z)?,\s*\(?(-?\d+)\)?(?:%Z)?\)", output)
    rnn, linear = parts[0].double(), parts[1].double()
    with torch.no_grad():
        outputs = linear(rnn(torch.eye(3, dtype=torch.float64)[word])[0][-1]).tolist()
    parts[0].float(), parts[1].float()
    expected = outputs if len(outputs) > 1 else [0.0, *outputs]
    assert len(ends) == len(expected), output
    for (low, high), value in zip(ends, expected, strict=True):
        assert int(low) / 2**64 - 1e-9 <= value <= int(high) / 2**64 + 1e-9
        assert int(high) - int(low) < 2**30


ERRORS = """
Definition vector := map (intervals.of_rational 64).
Eval vm_compute in state_errors 64 weights
  (map (network.map_gate (intervals.of_rational 64)) (cell_gates weights))
  (vector (nth {symbol} (embeddings weights) [])) (vector {state}).
"""


@pytest.mark.parametrize("cell", ["gru", "rnn_tanh", "lstm"])
def test_coq_bounds_the_rounding_errors_of_torch(theory, cell):
    """The errors of torch's float32 step are within Coq's bounds, and these are below 2^-14."""
    parts = latch(cell)
    network = case(parts, MACHINE)[0]
    rng = np.random.default_rng(1)
    steps = [(int(rng.integers(3)), rng.uniform(-1, 1, network.size).astype(np.float32)) for _ in range(20)]
    queries = (ERRORS.format(symbol=f"{x}%nat", state=ordinary_network.row(state)) for x, state in steps)
    modules = (f"Module step_{i}.\n{query}\nEnd step_{i}." for i, query in enumerate(queries))
    text = "\n".join([definitions(case(parts, MACHINE)), *modules])
    output = run_definitions(text, theory).split("     = ")[1:]
    assert len(output) == len(steps)
    for (symbol, state), text in zip(steps, output, strict=True):
        bounds = [int(high) / 2**64 for high in re.findall(r", (\d+)%Z\)", text)]
        single, double = (step(parts[0].to(kind), symbol, state) for kind in (torch.float32, torch.float64))
        assert len(bounds) == network.size
        assert (np.abs(single - double) <= bounds).all()
        assert max(bounds) < 2**-14
    parts[0].float()


def step(rnn: nn.RNNBase, symbol: int, state: np.ndarray) -> np.ndarray:
    """Return torch's next state, in the layer's precision; for an LSTM, the result is h, followed by c."""
    kind = rnn.weight_ih_l0.dtype
    parts = torch.tensor(state, dtype=kind).view(-1, 1, rnn.hidden_size).unbind()
    with torch.no_grad():
        result = rnn(torch.eye(3, dtype=kind)[[symbol]], parts if len(parts) > 1 else parts[0])[1]
    return torch.cat(result if len(parts) > 1 else [result], 1)[0].double().numpy()


@given(st.sampled_from([nn.RNN, nn.GRU, nn.LSTM]), st.integers(0, 10**6), st.sampled_from([1e-3, 0.1, 1.0]))
def test_slopes_enclose_a_step_and_the_margins(cell, seed, width):
    """For each point of a region, the values and their differences from the center are enclosed."""
    rng = np.random.default_rng(seed)
    with seeded(seed):
        rnn, linear = cell(3, 4), nn.Linear(4, 1)
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
    save_file(state_dict(latch("gru")), "gru.safetensors")
    save_file(state_dict(latch("rnn_relu")), "relu.safetensors")
    save_file(state_dict(latch("gru", 2)), "two.safetensors")
    files.write(MACHINE.accepting(frozenset({1})).to_wfsa(), "set.json")


def test_the_command_writes_a_complete_file_that_coq_accepts(theory, folder, capsys):
    command = ["certify", "gru.safetensors", "--cell", "gru", "--against", "set.json", "--kernel", "--json"]
    assert main.run(command) == 0
    kernel = json.loads(capsys.readouterr().out)["kernel"]
    assert kernel == {"file": "agrees_gru.v", "theorem": "agrees", "axioms": list(reals.AXIOMS)}
    assert "From ratproof" not in Path("agrees_gru.v").read_text()


@pytest.mark.parametrize(
    ("name", "cell", "got"),
    [("relu", "rnn_relu", "rnn_relu with 1 layer"), ("two", "gru", "gru with 2 layers")],
)
def test_networks_that_the_theory_does_not_have_are_refused(folder, capsys, name, cell, got):
    command = ["certify", f"{name}.safetensors", "--cell", cell, "--against", "set.json", "--kernel"]
    assert main.run(command) == 2
    needs = f"--kernel requires a network of kind rnn_tanh, gru or lstm with one layer, got {got}"
    assert f"{name}.safetensors: {needs}" in capsys.readouterr().err
