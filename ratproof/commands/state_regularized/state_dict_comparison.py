"""Comparison of a certificate with a state dict and an automaton, for ``--of``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

from automata.aliases import JsonObject
from automata.dfa import DFA
from automata.errors import InputError
from automata.moore import Moore
from automata.wfsa import WFSA
from ratproof.api.machines import machine_of
from ratproof.certification.ordinary_networks.certificate import network_json
from ratproof.certification.ordinary_networks.state_dicts import embedding_table, network_of_tensors
from ratproof.certification.ordinary_networks.weight_files import tensors_of_file

CELLS = {"rnn_tanh": "rnn", "rnn_relu": "rnn_relu", "gru": "gru", "lstm": "lstm"}


def state_dict_at(path: str) -> dict[str, Tensor] | None:
    """Return the tensors of a file, or None if ratproof saved it or it cannot be read as a state dict."""
    if not Path(path).is_file():
        return None
    try:
        tensors, metadata = tensors_of_file(path)
    except InputError:
        return None
    return None if "ratproof" in metadata else tensors


def other_network(
    data: JsonObject,
    path: str,
    tensors: Mapping[str, Tensor],
    prefix: str | None = None,
    readout: str | None = None,
) -> str:
    """Return why an accepted certificate is not about the state dict, or an empty string if it is.

    The threshold is taken from the certificate, because a state dict does not contain it. The input vectors
    of the symbols are taken from there, too. If the state dict has an embedding table, they must be its rows,
    and if it has one row for each symbol, they must be in this order. The names of the recurrent layer and
    the classifier, ``prefix`` and ``readout``, are those of ``certify``.
    """
    held = data["network"]
    vectors = torch.tensor([[float.fromhex(x) for x in row] for row in held["embeddings"]])
    try:
        network = network_of_tensors(
            dict(tensors),
            path=path,
            cell=CELLS[held["cell"]],
            prefix=prefix,
            readout=readout,
            embeddings=vectors,
            alphabet=tuple(held["alphabet"]),
            threshold=float.fromhex(held["threshold"]),
        )
        table = embedding_table(tensors, CELLS[held["cell"]], len(vectors), path, prefix, readout)
    except InputError as error:
        return f"the certificate is about another network: {error}"
    same = network_json(network) == held
    if table is not None and not _are_rows(vectors, table.float().cpu()):
        return f"the certificate is about other input vectors than the rows of the embedding table in {path}"
    return "" if same else f"the certificate is about another network than the network in {path}"


def _are_rows(vectors: Tensor, table: Tensor) -> bool:
    """Return whether the vectors are rows of the table: all of them in order if there are equally many."""
    if len(vectors) == len(table):
        return torch.equal(vectors, table)
    return bool((vectors[:, None] == table).all(-1).any(1).all())


def other_automaton(data: JsonObject, path: str, automaton: WFSA) -> str:
    """Return why an accepted certificate is not about the automaton's language, or "" if it is."""
    fields, alphabet = data["automaton"], tuple(data["network"]["alphabet"])
    table = tuple(tuple(row) for row in fields["next"])
    held = Moore(alphabet, fields["start"], table, tuple(fields["label"]))
    classes = max(2, len(data["network"]["readout"]))
    try:
        here = machine_of(DFA.from_wfsa(automaton), alphabet, classes, path)
    except InputError as error:
        return f"the certificate is about another automaton: {error}"
    same = _without_empty_string(held).difference(_without_empty_string(here)) is None
    return "" if same else f"the certificate is about another automaton than the automaton in {path}"


def _without_empty_string(machine: Moore) -> Moore:
    """Return the machine with output 0 for the empty string, so that a comparison ignores this string."""
    table = (*machine.table, machine.table[machine.start])
    return Moore(machine.alphabet, machine.states, table, (*machine.outputs, 0))
