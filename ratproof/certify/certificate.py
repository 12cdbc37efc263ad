"""A certificate: the network's numbers, the nodes and their boxes, and the automaton that they refine, as JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from automata.moore import Moore
from ratproof.certify.boxes import Nodes
from ratproof.certify.numbers import ARRAYS, Numbers

FORMAT = "ratproof certificate 1"
CLAIM = "the soft network follows its automaton"


def soft_machine(numbers: Numbers, nodes: Nodes) -> Moore:
    """The nodes as an automaton whose outputs are ``(label, accepts)``, one state a node."""
    table = tuple(tuple(int(r) for r in row) for row in nodes.after)
    return Moore(numbers.alphabet, 0, table, tuple(zip(nodes.label.tolist(), nodes.accepts.tolist(), strict=True)))


def network_json(numbers: Numbers) -> dict[str, Any]:
    """The network that a certificate is about: every float as a string of hexadecimal digits, exactly."""
    return {
        "kind": numbers.kind, "similarity": numbers.similarity, "temperature": str(numbers.temperature),
        "alphabet": list(numbers.alphabet), "start_token": numbers.start_token,
        **{name: _hex(getattr(numbers, name)) for name in ARRAYS},
    }  # fmt: skip


def to_json(numbers: Numbers, nodes: Nodes) -> dict[str, Any]:
    """What ``ratproof/check_boxes.py`` checks; every float as a string of hexadecimal digits, exactly."""
    machine = soft_machine(numbers, nodes)
    least = machine.minimal()
    return {
        "format": FORMAT,
        "claims": CLAIM,
        "network": network_json(numbers),
        "automaton": {
            "after": [list(row) for row in least.table], "label": [label for label, _ in _outputs(least)],
            "accepts": [accepts for _, accepts in _outputs(least)],
        },
        "nodes": [
            {"state": state, "after": nodes.after[node].tolist(), "low": _hex(nodes.low[node]), "high": _hex(nodes.high[node])}
            for node, state in enumerate(_states(machine, least))
        ],
    }  # fmt: skip


def _outputs(machine: Moore) -> list[tuple[int, bool]]:
    return list(machine.outputs)  # type: ignore[arg-type]


def _states(machine: Moore, least: Moore) -> list[int]:
    """The state of the least machine that each node stands for; every node is reached."""
    states = {0: 0}
    queue = [0]
    for node in queue:
        for after, state in zip(machine.table[node], least.table[states[node]], strict=True):
            if after not in states:
                states[after] = state
                queue.append(after)
    return [states[node] for node in range(machine.states)]


def _hex(values: Any) -> Any:
    array = np.asarray(values)
    return float(array).hex() if array.ndim == 0 else [_hex(part) for part in array]
