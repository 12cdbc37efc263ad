"""Construction of a JSON certificate with a network's weights, its nodes with boxes, and the automaton."""

from __future__ import annotations

from typing import TypeAlias, TypedDict

from automata.aliases import JsonObject
from automata.errors import InputError
from automata.moore import Moore
from automata.text.number_text import shorten
from ratproof.certification.network_numbers import hexadecimal
from ratproof.certification.soft_networks.boxes import Nodes
from ratproof.certification.soft_networks.hard import labelled_outputs
from ratproof.certification.soft_networks.numbers import ARRAYS, Numbers
from ratproof.checkers import check_boxes

HexFloats: TypeAlias = str | list["HexFloats"]
"""A float as a string of hexadecimal digits, or a nested list of such strings."""
FORMAT, CLAIM = check_boxes.FORMAT, check_boxes.CLAIM


class AutomatonFields(TypedDict):
    """The automaton of a certificate: for each state the next states, the label and the decision."""

    after: list[list[int]]
    label: list[int]
    accepts: list[bool]


class NodeFields(TypedDict):
    """A node of a certificate: its state of the automaton, the next nodes, and the corners of its box."""

    state: int
    after: list[int]
    low: HexFloats
    high: HexFloats


class BoxesCertificate(TypedDict):
    """A certificate of closed boxes, as ``docs/reference/formats.md`` describes it."""

    format: str
    about: str
    claims: str
    network: JsonObject
    automaton: AutomatonFields
    nodes: list[NodeFields]


def soft_machine(numbers: Numbers, nodes: Nodes) -> Moore:
    """Return the nodes as an automaton with outputs ``(label, accepts)``, one state per node."""
    table = tuple(tuple(int(r) for r in row) for row in nodes.after)
    return Moore(
        numbers.alphabet, 0, table, tuple(zip(nodes.label.tolist(), nodes.accepts.tolist(), strict=True))
    )


def network_json(numbers: Numbers) -> JsonObject:
    """Return the network of a certificate, with every float as an exact hexadecimal string.

    Raises:
        InputError: If the alphabet has symbols that are not strings, which certificates do not support.
    """
    odd = [symbol for symbol in numbers.alphabet if not (isinstance(symbol, str) and symbol)]
    if odd:
        raise InputError(f"symbols of a certified network must be nonempty strings, got {shorten(odd[0])}")
    return {
        "kind": numbers.kind,
        "similarity": numbers.similarity,
        "temperature": str(numbers.temperature),
        "alphabet": list(numbers.alphabet),
        "start_token": numbers.start_token,
        **{name: hexadecimal(getattr(numbers, name)) for name in ARRAYS},
    }


def digest(numbers: Numbers) -> str:
    """Return the SHA-256 of the network without its temperature, as the certificate checker prints it."""
    return str(check_boxes.digest(check_boxes.without_temperature(network_json(numbers))))


def to_json(numbers: Numbers, nodes: Nodes) -> BoxesCertificate:
    """Return the certificate that ``ratproof/checkers/check_boxes.py`` checks.

    Every float is exact, as a string of hexadecimal digits.
    """
    machine = soft_machine(numbers, nodes)
    least = machine.minimal()
    return {
        "format": FORMAT,
        "about": check_boxes.ABOUT,
        "claims": CLAIM,
        "network": network_json(numbers),
        "automaton": {
            "after": [list(row) for row in least.table],
            "label": [label for label, _ in labelled_outputs(least)],
            "accepts": [accepts for _, accepts in labelled_outputs(least)],
        },
        "nodes": [
            {
                "state": state,
                "after": nodes.after[node].tolist(),
                "low": hexadecimal(nodes.low[node]),
                "high": hexadecimal(nodes.high[node]),
            }
            for node, state in enumerate(_states(machine, least))
        ],
    }


def _states(machine: Moore, least: Moore) -> list[int]:
    """Return, for each node, the corresponding state of the minimal machine."""
    states = {0: 0}
    queue = [0]
    for node in queue:
        for after, state in zip(machine.table[node], least.table[states[node]], strict=True):
            if after not in states:
                states[after] = state
                queue.append(after)
    return [states[node] for node in range(machine.states)]
