"""The command ``ratproof train dfa --cell``, which trains an ordinary RNN to agree with an automaton."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import torch
from safetensors.torch import save
from torch import nn

from automata.aliases import JsonObject
from automata.dfa import DFA
from automata.errors import InputError
from automata.io.files import write_whole
from automata.text.printable_text import write_string
from ratproof.api.certification import harden
from ratproof.api.classifiers import classifier
from ratproof.api.machines import machine_of
from ratproof.certification.ordinary_networks.counterexamples import counterexample, float32_decisions
from ratproof.certification.ordinary_networks.harden import Hardening, Inputs, harden_round
from ratproof.certification.ordinary_networks.recognise import network_of_parts
from ratproof.commands.deciding import write_json
from ratproof.commands.state_regularized.certifying import EXIT
from ratproof.commands.state_regularized.networks import read_automaton
from ratproof.commands.terminal import print_answer, progress
from ratproof.process.exit_statuses import NO, YES
from ratproof.process.outputs import require_outputs
from training.engine.settings import from_json
from training.state_regularized.settings import FromFile

CELLS = ("rnn", "gru", "lstm")
MINUTES, UNITS = 10.0, 16


def train_dfa(
    *,
    file: str,
    cell: str,
    units: int | None,
    layers: int | None,
    certified: bool,
    output: str | None,
    certificate: str | None,
    minutes: float | None,
    seed: int | None,
    as_json: bool,
) -> int:
    """Train an ordinary network, write and print the result, and return the exit status.

    The file ``output`` contains the state dict of a module with the submodules ``rnn`` and ``linear``, as
    expected by ``ratproof certify --cell``.
    """
    if cell not in CELLS:
        raise InputError(f"--cell must be one of {', '.join(CELLS)}, got {cell!r:.40}")
    seconds = 60 * (MINUTES if minutes is None else minutes)
    if not 0 < seconds < float("inf"):
        raise InputError(f"--minutes must be a finite positive number, got {minutes}")
    options = {name: value for name, value in (("units", units), ("seed", seed)) if value is not None}
    settings = from_json(FromFile, {"units": UNITS, **options}, "dfa")
    units, layers, seed = settings.units, layers or 1, settings.seed
    if certificate is not None and not certified:
        raise InputError("--certificate requires --certify")
    require_outputs({"-o": output, "--certificate": certificate}, (file,))
    dfa = read_automaton(file)
    alphabet = [str(symbol) for symbol in dfa.alphabet]
    torch.manual_seed(seed)
    rnn, linear = _layer(cell, len(alphabet), units, layers), nn.Linear(units, 1)
    module = classifier(rnn, linear)
    with progress("train") as report_progress:
        if certified:
            report = harden(
                module, dfa, embeddings="one-hot", seconds=seconds, seed=seed, progress=report_progress
            )
            status, data, lines = EXIT[report.verdict], report.to_json(), str(report).splitlines()
        else:
            status, data, lines = _train(rnn, linear, dfa, seconds, seed, report_progress)
    if output is not None:
        parts = {"rnn": rnn, "linear": linear}
        tensors = {f"{name}.{key}": x for name, part in parts.items() for key, x in part.state_dict().items()}
        write_whole(output, save(tensors))
        lines.append(f"wrote {output}")
    proved = certificate if status == YES else None
    if proved is not None:
        write_json(proved, report.certificate())
        lines.append(f"wrote {proved}")
    print_answer(as_json, {**data, "model": output, "certificate": proved}, "\n".join(lines))
    return status


def _layer(cell: str, inputs: int, units: int, layers: int) -> nn.RNNBase:
    if cell == "rnn":
        return nn.RNN(inputs, units, layers)
    return nn.GRU(inputs, units, layers) if cell == "gru" else nn.LSTM(inputs, units, layers)


def _train(
    rnn: nn.RNNBase,
    linear: nn.Linear,
    dfa: DFA,
    seconds: float,
    seed: int,
    report_progress: Callable[[str], None],
) -> tuple[int, JsonObject, list[str]]:
    """Train, without certification, until a search finds no string on which network and automaton disagree.

    Returns:
        The exit status, the JSON object, and the lines to print.
    """
    until = time.monotonic() + seconds
    alphabet = tuple(str(symbol) for symbol in dfa.alphabet)
    vectors = torch.eye(len(alphabet))
    inputs = Inputs.constant(vectors)
    network = network_of_parts(rnn, linear, vectors.double().numpy(), 0.0, alphabet)
    machine = machine_of(dfa, alphabet, network.decisions)
    decide = float32_decisions(network, rnn, linear)
    rng, hardening = np.random.default_rng(seed), Hardening(strength=0.0, most_strength=0.0)
    while True:
        harden_round(rnn, linear, inputs, 0.0, machine, hardening, rng, until, report_progress)
        word = counterexample(machine, decide)
        if word is None:
            return YES, {"verdict": "trained", "word": None}, ["trained: correct on all tested strings"]
        symbols = [alphabet[symbol] for symbol in word]
        if time.monotonic() > until:
            lines = [f"different: {write_string(symbols)}, when the time limit was reached"]
            return NO, {"verdict": "different", "word": symbols}, lines
        hardening.mistakes = (*hardening.mistakes, tuple(word))
