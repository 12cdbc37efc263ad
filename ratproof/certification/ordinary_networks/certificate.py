"""Construction of a JSON certificate with a network's weights, an automaton, and the regions of its nodes."""

from __future__ import annotations

import numpy as np

from automata.aliases import JsonObject
from automata.moore import Moore
from ratproof.certification.network_numbers import hexadecimal
from ratproof.certification.ordinary_networks.arithmetic import Array
from ratproof.certification.ordinary_networks.groups import Groups
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork
from ratproof.certification.ordinary_networks.regions import Regions
from ratproof.certification.ordinary_networks.word_trees import Tree, WordTrees
from ratproof.checkers import check_regions


def network_json(network: OrdinaryNetwork) -> JsonObject:
    """Return the network of a certificate, with every float as an exact hexadecimal string."""
    return {
        "cell": network.cell,
        "alphabet": list(network.alphabet),
        "layers": [
            {name: hexadecimal(getattr(layer, name)) for name in check_regions.ARRAYS}
            for layer in network.layers
        ],
        "embeddings": hexadecimal(network.embeddings),
        "readout": hexadecimal(network.readout),
        "readout_bias": hexadecimal(network.readout_bias),
        "threshold": float(network.threshold).hex(),
    }


def to_json(
    network: OrdinaryNetwork, machine: Moore, regions: Regions | WordTrees, groups: Groups | None = None
) -> JsonObject:
    """Return the certificate that ``ratproof/checkers/check_regions.py`` checks.

    Args:
        network: The network.
        machine: The automaton over the network's alphabet, with the decisions as outputs.
        regions: The nodes with their regions.
        groups: The groups of symbols for which the regions have edges; by default each symbol is its own.
    """
    symbols = len(machine.alphabet) if groups is None else len(groups)
    return {
        "format": check_regions.FORMAT,
        "about": check_regions.ABOUT,
        "claims": check_regions.CLAIM,
        "premise": check_regions.PREMISE,
        "network": network_json(network),
        "automaton": {
            "start": machine.start,
            "next": [list(row) for row in machine.table],
            "label": list(machine.outputs),
        },
        **({} if groups is None else {"groups": groups}),
        "nodes": [_node(regions, node) for node in range(len(regions))]
        if isinstance(regions, Regions)
        else [_box(regions, box, symbols) for box in range(len(regions))],
    }


def _node(regions: Regions, node: int) -> JsonObject:
    fields = {
        "state": int(regions.states[node]),
        "next": regions.edges[node].tolist(),
        "center": hexadecimal(_float32(regions.centers[node])),
    }
    if regions.boxes[node]:
        return {**fields, "width": hexadecimal(_float32(regions.widths[node]))}
    factor = _float32(regions.factors[node] / regions.radii[node])
    return {**fields, "factor": [hexadecimal(row[i:]) for i, row in enumerate(factor)]}


def _box(boxes: WordTrees, box: int, symbols: int) -> JsonObject:
    return {
        "state": int(boxes.states[box]),
        "next": _nested(boxes.trees[box], (), symbols),
        "center": hexadecimal(_float32(boxes.centers[box])),
        "width": hexadecimal(_float32(boxes.widths[box])),
    }


def _nested(tree: Tree, word: tuple[int, ...], symbols: int) -> list[object]:
    """Return one item per symbol after ``word``: the index of the box to which the longer word leads.

    If the tree does not have this word, but only longer ones, the item is a list of the same kind.
    """
    longer = [(*word, symbol) for symbol in range(symbols)]
    return [tree[after] if after in tree else _nested(tree, after, symbols) for after in longer]


def _float32(array: Array) -> Array:
    return array.astype(np.float32).astype(np.float64)
