"""Tests that the checker of regions accepts proved certificates, and rejects all that are changed."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

from automata.moore import Moore
from proofs_tests.papers.certification.latches import LAST, certificate_of, certified, last_of_three, latch
from proofs_tests.papers.certification.ordinary import CELLS
from ratproof.checkers import check_regions
from ratproof.checkers.table import judge

MOST_CHANGES = 70
Data = dict[str, Any]
KINDS = (*CELLS, "two layers", "three classes", "boxes")
TRAP = Moore(("set", "reset", "keep"), 0, ((1, 0, 0), (1, 1, 1)), (0, 1))
"""Whether a string contains "set"."""


def trap_network():
    """Return a network that decides as TRAP: the symbol "reset" does nothing."""
    rnn, linear = latch("rnn_tanh")
    with torch.no_grad():
        rnn.weight_ih_l0[0, 1] = 0.0
    return rnn, linear


def certificate(kind: str) -> Data:
    """Return an accepted certificate of a kind."""
    if kind == "three classes":
        return certificate_of(certified(last_of_three(), LAST, LAST.alphabet))
    if kind == "boxes":
        return certificate_of(certified(trap_network(), TRAP))
    return certificate_of(certified(latch("gru", 2) if kind == "two layers" else latch(kind)))


@pytest.fixture(scope="module")
def certificates() -> dict[str, Data]:
    """Return one certificate of each kind."""
    return {kind: certificate(kind) for kind in KINDS}


def rejected(data: Data) -> bool:
    """Return whether the checker rejects a certificate, with a reason in words."""
    answer = judge(data)
    assert answer.verdict == "accepted" or "malformed" not in str(answer.why), answer.why
    return answer.verdict == "rejected"


def scaled(values: Any, factor: float) -> Any:
    """Return float32 numbers near the multiples of hexadecimal ones."""
    if isinstance(values, list):
        return [scaled(part, factor) for part in values]
    return float(np.float32(float.fromhex(values) * factor)).hex()


def moved(value: str, by: float) -> str:
    return float(np.float32(float.fromhex(value) + by)).hex()


def changed(data: Data, change: Callable[[Data], object]) -> Data:
    """Return a changed copy."""
    copied = copy.deepcopy(data)
    change(copied)
    return copied


def returns(data: Data, node: int) -> bool:
    """Return whether a node is a successor."""
    return any(node in other["next"] for other in data["nodes"])


def changes_of_nodes(data: Data) -> Iterator[tuple[str, Callable[[Data], object]]]:
    """Yield changes of the regions and edges, which leave the claim as it is but not its proof."""
    nodes, automaton = data["nodes"], data["automaton"]
    for index, node in enumerate(nodes):
        shape = "factor" if "factor" in node else "width"
        if returns(data, index):  # a region with few images may be far too large
            grown = 1 / 8 if shape == "width" else 8.0
            yield (
                f"shrink {index}",
                lambda d, i=index, s=shape, g=grown: d["nodes"][i].update({s: scaled(d["nodes"][i][s], g)}),
            )
            yield (
                f"move {index}",
                lambda d, i=index: d["nodes"][i]["center"].__setitem__(
                    0, moved(d["nodes"][i]["center"][0], 0.5)
                ),
            )
        yield (
            f"enlarge {index}",
            lambda d, i=index, s=shape: d["nodes"][i].update(
                {s: scaled(d["nodes"][i][s], 1 / 4096 if s == "factor" else 4096.0)}
            ),
        )
        for symbol, target in enumerate(node["next"]):
            for other in range(len(nodes)):
                if nodes[other]["state"] != nodes[target]["state"]:
                    yield (
                        f"edge {index} {symbol} {other}",
                        lambda d, i=index, a=symbol, o=other: d["nodes"][i]["next"].__setitem__(a, o),
                    )
        states = len(automaton["label"])
        yield (
            f"state {index}",
            lambda d, i=index: d["nodes"][i].update(state=(d["nodes"][i]["state"] + 1) % states),
        )
        yield f"drop {index}", lambda d, i=index: d["nodes"].pop(i)
    if len(nodes) > 1 and nodes[0]["state"] != nodes[1]["state"]:
        yield "swap", lambda d: d["nodes"].__setitem__(slice(0, 2), d["nodes"][1::-1])


def changes_of_claims(data: Data) -> Iterator[tuple[str, Callable[[Data], object]]]:
    """Yield changes of the network or the automaton after which the claim is false."""
    automaton, network = data["automaton"], data["network"]
    states, classes = len(automaton["label"]), max(2, len(network["readout"]))
    for q in range(states):
        yield (
            f"label {q}",
            lambda d, q=q: d["automaton"]["label"].__setitem__(q, (d["automaton"]["label"][q] + 1) % classes),
        )
        for symbol in range(len(network["alphabet"])):
            yield (
                f"arrow {q} {symbol}",
                lambda d, q=q, a=symbol: d["automaton"]["next"][q].__setitem__(
                    a, (d["automaton"]["next"][q][a] + 1) % states
                ),
            )
    yield "start", lambda d: d["automaton"].update(start=(automaton["start"] + 1) % states)
    if classes == 2:
        yield "threshold", lambda d: d["network"].update(threshold=(1000.0).hex())
    yield "readout", lambda d: d["network"].update(readout=scaled(network["readout"], -1))
    bias = network["readout_bias"]
    yield "readout bias", lambda d: d["network"].update(readout_bias=[moved(bias[0], 1000), *bias[1:]])
    yield (
        "symbols",
        lambda d: d["network"]["embeddings"].__setitem__(slice(0, 2), network["embeddings"][1::-1]),
    )
    first = network["layers"][0]
    yield "signs", lambda d: d["network"]["layers"][0].update(input_weight=scaled(first["input_weight"], -1))
    for name in ("input_bias", "bias"):
        yield (
            name,
            lambda d, n=name: d["network"]["layers"][-1].update(
                {n: [moved(v, 300.0) for v in d["network"]["layers"][-1][n]]}
            ),
        )
    if network["cell"] != "rnn_relu" and classes == 2:
        for name in ("weight", "input_weight"):
            yield f"no {name}", lambda d, n=name: d["network"]["layers"][0].update({n: scaled(first[n], 0.0)})


def changes_of_forms(data: Data) -> Iterator[tuple[str, Callable[[Data], object]]]:
    """Yield changes after which the certificate is not well formed, or is ambiguous."""
    network, node = data["network"], data["nodes"][-1]
    for path, values in {
        ("claims",): ["all", "", None],
        ("premise",): ["float64", "", None, 1],
        ("format",): ["ratproof certificate 2"],
        ("about",): ["a network", None],
        ("nodes",): [[], {}, None],
        ("network", "alphabet"): [
            ["set"] * len(network["alphabet"]), ["", *network["alphabet"][1:]], network["alphabet"][1:],
            "abc"[: len(network["alphabet"])], [1, 2, 3],
        ],
        ("network", "cell"): ["GRU", "rnn", "forms", "images", "__init__", None, []],
        ("network", "layers"): [[], {}, network["layers"] * 2],
        ("network", "embeddings"): [[], [[]] * len(network["embeddings"]), network["embeddings"][1:]],
        ("network", "readout"): [[], [[]], network["readout"] * 2],
        ("network", "readout_bias"): [[], [*network["readout_bias"], (0.0).hex()], ["nan"]],
        ("network", "threshold"): ["inf", "0", 0, (0.1).hex(), "0x1.0000000000000p+128", None],
        ("network", "layers", 0, "weight"): [[], [[]], network["layers"][0]["weight"][1:]],
        ("network", "layers", 0, "bias"): [[], [(0.0).hex()], None],
        ("automaton", "start"): [-1, 99, True, None, 0.0, "0"],
        ("automaton", "label"): [[], [True] * 9, [-1] * len(data["automaton"]["label"])],
        ("automaton", "next"): [[], [[]] * len(data["automaton"]["next"])],
        ("nodes", -1, "next"): [[], [-1] * len(node["next"]), [99] * len(node["next"]), [False] * 3],
        ("nodes", -1, "state"): [-1, 99, True, None, "0"],
        ("nodes", -1, "center"): [[], node["center"][1:], [*node["center"], (0.0).hex()], [None]],
        ("nodes", -1, "factor"): [[], [[]], None, [[(0.0).hex()]] * 2],
        ("nodes", -1, "width"): [[], None, [(-1.0).hex()] * len(node["center"])],
    }.items():  # fmt: skip
        for number, value in enumerate(values):
            yield f"{path} {number}", lambda d, p=path, v=value: _set(d, p, v)
    yield "more", lambda d: d.update(note="")
    yield "both", lambda d: d["nodes"][-1].update(factor=[], width=[])
    yield "neither", lambda d: [d["nodes"][-1].pop(name, None) for name in ("factor", "width")]
    if "factor" in node:
        yield "negative", lambda d: d["nodes"][-1]["factor"][0].__setitem__(0, (-1.0).hex())
        yield (
            "square",
            lambda d: d["nodes"][-1].update(
                factor=[[(1.0).hex()] * len(node["center"])] * len(node["center"])
            ),
        )
    if len(network["readout"]) > 1:
        yield "threshold of classes", lambda d: d["network"].update(threshold=(1.0).hex())
    yield (
        "huge weight",
        lambda d: d["network"]["layers"][0]["weight"][0].__setitem__(0, "0x1.fffffe0000000p+127"),
    )
    yield "huge input", lambda d: d["network"]["embeddings"][0].__setitem__(0, "-0x1.fffffe0000000p+127")


def _set(data: Data, path: tuple[Any, ...], value: Any) -> None:
    for key in path[:-1]:
        data = data[key]
    data[path[-1]] = value


@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_of_each_kind_is_accepted(kind, certificates):
    data = certificates[kind]
    assert check_regions.verdict(data) == data["claims"]
    assert any("width" in node for node in data["nodes"]) == (kind == "boxes")
    assert any(returns(data, i) for i in range(len(data["nodes"])))


STILL_TRUE = {("rnn_relu", changes_of_nodes): ["shrink 2"]}
"""Changes after which the proof is still right: the units of this node are exactly 0, which a region of any
size contains.
"""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("changes", [changes_of_nodes, changes_of_claims, changes_of_forms])
def test_every_changed_certificate_is_rejected(kind, changes, certificates):
    data = certificates[kind]
    named = list(changes(data))
    assert len(named) >= 12
    named = [named[i] for i in np.unique(np.linspace(0, len(named) - 1, MOST_CHANGES).astype(int))]
    accepted = [name for name, change in named if not rejected(changed(data, change))]
    assert accepted == STILL_TRUE.get((kind, changes), [])
