"""Construction of the certificate of a counter, for ``ratproof/checkers/check_counter.py``."""

from __future__ import annotations

import numpy as np

from automata.aliases import JsonObject
from ratproof.certification.counters.boxes import Boxes
from ratproof.certification.counters.numbers import CounterNumbers
from ratproof.certification.network_numbers import hexadecimal
from ratproof.checkers.check_counter import ABOUT, CLAIM, FORMAT


def to_json(numbers: CounterNumbers, theorems: list[tuple[Boxes, int, int | None]]) -> JsonObject:
    """Return the certificate of the network and its proved boxes.

    Each theorem is a tuple of its boxes, the maximum height, and the maximum length of its strings. With
    saturated gates, the length is ``None``, which means any length.
    """
    return {
        "format": FORMAT,
        "about": ABOUT,
        "claims": CLAIM,
        "network": network_json(numbers),
        "theorems": [_theorem(*theorem) for theorem in theorems],
    }


def network_json(numbers: CounterNumbers) -> JsonObject:
    """Return the network for a certificate: floats as hexadecimal strings, the temperature as a fraction."""
    arrays = {name: getattr(numbers, name) for name in ("W", "b", "U", "c", "P", "S", "w", "v", "embedding")}
    if numbers.S is None:
        arrays["S"] = np.zeros((0, 0))
    return {
        "kind": numbers.kind,
        "temperature": "" if numbers.temperature is None else str(numbers.temperature),
        "alphabet": list(numbers.alphabet),
        "start_token": numbers.start_token,
        **{name: hexadecimal(array) for name, array in arrays.items()},
    }


def _theorem(boxes: Boxes, height: int, length: int | None) -> JsonObject:
    explored = boxes.explored
    return {
        "gates": "saturated" if length is None else "soft",
        "height": height,
        **({} if length is None else {"length": length}),
        "groups": explored.groups,
        "nodes": [
            {
                "dead": dead,
                "height": stands,
                "after": explored.after[node].tolist(),
                "h": hexadecimal(boxes.h[:, node]),
                "c": hexadecimal(boxes.c[:, node]),
            }
            for node, (dead, stands) in enumerate(explored.classes)
        ],
    }
