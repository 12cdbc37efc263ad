"""Tests that Coq accepts the closed boxes of soft networks, refuses wrong ones, and runs the same network."""

import json
import re
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from neural.state_regularized.acceptor import Acceptor
from neural.state_regularized.files import save
from proofs_tests.coq.conftest import run_definitions
from ratproof import main
from ratproof.certification.soft_networks import certificate
from ratproof.certification.soft_networks.certify import prove_boxes
from ratproof.certification.soft_networks.numbers import numbers_of
from ratproof.coq import programs as coq
from ratproof.coq import reals, soft_network
from ratproof.coq.wide_entries import wide_entries

BITS = soft_network.MARGINS[0] + soft_network.MORE_BITS


def network(kind: str, start_token: bool, seed: int = 0, k: int = 2, scale: float = 4) -> Acceptor:
    """Return a network with two units and large weights."""
    torch.manual_seed(seed)
    net = Acceptor(("0", "1"), kind=kind, hidden_size=2, k=k, start_token=start_token)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.mul_(scale)
    return net


def proved(net: Acceptor, temperature: Fraction = Fraction(1)) -> Any:
    """Return the certificate of a network, as a JSON object."""
    numbers = numbers_of(net, temperature)
    nodes, why = prove_boxes(numbers)
    assert nodes is not None, why
    return certificate.to_json(numbers, nodes)


def checks(theory: Path, certificates: list[Any], wide: Any = None) -> list[bool]:
    """Return the value of Coq's checker for each certificate, with the theory compiled once."""
    lines = []
    for i, data in enumerate(certificates):
        definitions = soft_network.file_text(data, "net", BITS, wide).partition(reals.BOXES.inlined())[2]
        definitions = definitions[: definitions.index("Theorem ")]
        check = f"Eval vm_compute in boxes.check {BITS} weights machine nodes."
        lines.append(f"Module net_{i}.\n{definitions}\n{check}\nEnd net_{i}.")
    output = run_definitions("\n".join(lines), theory)
    return [value == "true" for value in re.findall(r"= (true|false)", output)]


def test_coq_accepts_the_boxes_of_each_kind_of_network(theory):
    kinds = product(("sr-gru", "sr-elman"), (True, False))
    assert checks(theory, [proved(network(*kind)) for kind in kinds]) == [True] * 4


def flip_decision(data: Any) -> None:
    data["automaton"]["accepts"][0] ^= True


def exchange_labels(data: Any) -> None:
    data["automaton"]["label"] = [1 - label for label in data["automaton"]["label"]]


def move_an_edge(data: Any) -> None:
    """Make the first symbol lead from node 0 and its state to another state."""
    nodes, after = data["nodes"], data["automaton"]["after"]
    targets = nodes[0]["after"]
    targets[0] = next(i for i, node in enumerate(nodes) if node["state"] != nodes[targets[0]]["state"])
    after[0][0] = nodes[targets[0]]["state"]


def narrow_all_boxes(data: Any) -> None:
    """Reduce each box to its midpoint."""
    for node in data["nodes"]:
        middle = [
            (float.fromhex(a) + float.fromhex(b)) / 2 for a, b in zip(node["low"], node["high"], strict=True)
        ]
        node["low"] = node["high"] = [float(x).hex() for x in np.array(middle) / sum(middle)]


def widen_all_boxes(data: Any) -> None:
    for node in data["nodes"]:
        node["low"], node["high"] = [(0.0).hex()] * 2, [(1.0).hex()] * 2


def negate_the_classifier(data: Any) -> None:
    data["network"]["w"] = [(-float.fromhex(x)).hex() for x in data["network"]["w"]]
    data["network"]["v"] = (-float.fromhex(data["network"]["v"])).hex()


def exchange_the_centroids(data: Any) -> None:
    data["network"]["S"] = [row[::-1] for row in data["network"]["S"]]


def raise_the_temperature(data: Any) -> None:
    data["network"]["temperature"] = "1000"


def negate_the_inputs(data: Any) -> None:
    data["network"]["embedding"] = [
        [(-float.fromhex(x)).hex() for x in row] for row in data["network"]["embedding"]
    ]


BREAKS = (
    flip_decision,
    exchange_labels,
    move_an_edge,
    narrow_all_boxes,
    widen_all_boxes,
    negate_the_classifier,
    exchange_the_centroids,
    raise_the_temperature,
    negate_the_inputs,
)


def test_coq_refuses_wrong_certificates(theory):
    """The network's automaton has three states, two labels and two decisions."""
    right = proved(network("sr-gru", True))
    assert len({*right["automaton"]["label"]}) == len({*right["automaton"]["accepts"]}) == 2
    wrong = []
    for break_it in BREAKS:
        wrong.append(json.loads(json.dumps(right)))
        break_it(wrong[-1])
    accepted = checks(theory, [right, *wrong])
    assert accepted[0]
    assert [b.__name__ for b, value in zip(BREAKS, accepted[1:], strict=True) if value] == []


def test_wide_entries_have_slopes_because_coq_would_refuse_the_boxes_without(theory):
    numbers = numbers_of(network("sr-gru", True, seed=3, k=3, scale=2.5), Fraction(2))
    nodes, margin = soft_network.with_margin(numbers, prove_boxes(numbers)[0])
    assert margin + soft_network.MORE_BITS == BITS
    boxes = [certificate.to_json(numbers, nodes)]
    chosen = wide_entries(numbers, nodes, 2.0**-margin)
    number = sum(map(sum, chosen))
    assert 0 < number < len(nodes) * 3
    assert checks(theory, boxes, chosen) == [True]
    assert checks(theory, boxes, [[False] * 3] * len(nodes)) == [False]


def test_coq_refuses_wrong_certificates_whichever_entries_have_slopes(theory):
    right = proved(network("sr-gru", True))
    wrong = []
    for break_it in BREAKS:
        wrong.append(json.loads(json.dumps(right)))
        break_it(wrong[-1])
    for wide in ([False, False], [False, True], [True, False]):
        assert not any(checks(theory, wrong, [wide] * len(right["nodes"])))


RUN = """
Definition I := map_network (intervals.of_rational 64) weights.
Definition next_mixture (token : list intervals.interval) (h : list slopes.form) : list slopes.form :=
  let recurrents := cells.recurrent 64 true [] (gates I) (map U (gates I)) h in
  let reads := cells.read_parts 64 (gates I) token in
  let u := cells.new_state 64 true [] (kind weights) reads recurrents h in
  mixture_forms 64 [] (gap_forms 64 weights (scaled 64 I) [] 0 u).
Definition state_of (alpha : list slopes.form) : list slopes.form :=
  network.apply (K := cells.forms 64 true []) (map (map slopes.constant) (centroids I)) alpha.
Definition at_start : list slopes.form :=
  match start I with
  | Some token => next_mixture token (map (fun _ => slopes.constant intervals.zero) (centroids I))
  | None => []
  end.
Eval vm_compute in map slopes.range
  (fold_left (fun alpha x => next_mixture (nth x (tokens I) []) (state_of alpha)) {word} at_start).
"""


@pytest.mark.parametrize("kind", ["sr-gru", "sr-elman"])
def test_coq_and_numpy_run_the_same_network(theory, kind):
    """Coq's enclosures contain the mixture that NumPy computes by the paper's equations in float64."""
    net = network(kind, True)
    data = proved(net)
    word = [0, 1, 1, 0, 1]
    definitions = soft_network.file_text(data, "net", 64).partition(reals.BOXES.inlined())[2]
    definitions = definitions[: definitions.index("(* The automaton")]
    run = RUN.format(word=f"[{'; '.join(map(str, word))}]%nat")
    output = run_definitions(f"{definitions}Import slopes boxes.\nClose Scope Q_scope.\n{run}", theory)
    ends = [(int(a), int(b)) for a, b in re.findall(r"Some\s*\((-?\d+)(?:%Z)?,\s*(-?\d+)(?:%Z)?\)", output)]
    expected = mixtures(net, word)
    assert len(ends) == len(expected)
    for (low, high), value in zip(ends, expected, strict=True):
        assert low / 2**64 - 1e-12 <= value <= high / 2**64 + 1e-12
        assert high - low < 2**24


def mixtures(net: Acceptor, word: list[int]) -> list[float]:
    """Return the mixture after a word, by the paper's equations in NumPy."""
    n = numbers_of(net, Fraction(1))

    def sigmoid(x: Any) -> Any:
        return 1 / (1 + np.exp(-x))

    def u(token: int, h: Any) -> Any:
        read, recurrent = n.W @ n.embedding[token] + n.b, n.U @ h + n.c
        if n.kind == "sr-elman":
            return np.tanh(read + recurrent)
        (read_r, read_z, read_n), (recurrent_r, recurrent_z, recurrent_n) = (
            np.split(read, 3),
            np.split(recurrent, 3),
        )
        r, z = sigmoid(read_r + recurrent_r), sigmoid(read_z + recurrent_z)
        return (1 - z) * np.tanh(read_n + r * recurrent_n) + z * h

    def softmax(b: Any) -> Any:
        return np.exp(b) / np.exp(b).sum()

    alpha = softmax(u(n.start, np.zeros(len(n.S))) @ n.S)
    for token in word:
        alpha = softmax(u(token, n.S @ alpha) @ n.S)
    return [float(x) for x in alpha]


def test_the_command_writes_a_complete_file_that_coq_accepts(theory, in_tmp_path, tmp_path, capsys):
    save(network("sr-elman", True), tmp_path / "net-1.safetensors")
    assert main.run(["certify", "net-1.safetensors", "--kernel", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["kernel"] == {"file": "follows_net_1.v", "theorem": "follows", "axioms": list(reals.AXIOMS)}
    assert "From ratproof" not in (tmp_path / "follows_net_1.v").read_text()


def test_a_theorem_with_another_axiom_is_rejected(compiled, tmp_path):
    file = tmp_path / "axioms.v"
    file.write_text(
        "Axiom false : False.\nTheorem wrong : False. exact false. Qed.\nPrint Assumptions wrong.\n"
    )
    with pytest.raises(coq.Rejected, match="must have the axioms"):
        reals.check_file(file, tmp_path)


def test_networks_that_the_theory_does_not_have_are_refused(tmp_path, capsys):
    torch.manual_seed(1)
    save(Acceptor(("0", "1"), hidden_size=2, k=2, similarity="euclidean"), tmp_path / "net.safetensors")
    assert main.run(["certify", str(tmp_path / "net.safetensors"), "--kernel"]) == 2
    message = "--kernel requires a network with equation 2 (similarity dot), got euclidean"
    assert message in capsys.readouterr().err
