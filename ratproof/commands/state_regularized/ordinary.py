"""The implementation of ``ratproof certify --cell``, for state dicts of ordinary networks."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from automata.dfa import DFA
from automata.errors import InputError
from automata.io import files
from automata.rules.vocabulary import vocabulary
from ratproof.api.machines import machine_of
from ratproof.certification.ordinary_networks.certify import SECONDS, certify_ordinary
from ratproof.certification.ordinary_networks.counterexamples import float32_decisions
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork
from ratproof.certification.ordinary_networks.state_dicts import network_of_tensors
from ratproof.certification.ordinary_networks.torch_weights import torch_modules
from ratproof.certification.ordinary_networks.weight_files import embeddings_of_file, tensors_of_file
from ratproof.commands.deciding import write_json
from ratproof.commands.state_regularized.certifying import CertifyOptions, finish, print_all, refuse_options
from ratproof.commands.state_regularized.networks import read_automaton
from ratproof.commands.terminal import note_unwritten, progress
from ratproof.coq import ordinary_network
from ratproof.report import ordinary
from ratproof.report.certification import kernel_sentence

ONE_HOT = "one-hot"
CELLS = ("rnn", "rnn_relu", "gru", "lstm", "auto")


def certify(options: CertifyOptions) -> int:
    """Certify a state dict, write and print the result, and return the exit status."""
    path, against, output, kernel = options.checkpoint, options.against, options.output, options.kernel
    own = options.state_dict
    of_checkpoints = {"temperature": options.temperature, **options.limits}
    refuse_options(of_checkpoints, "a network that ratproof saved, and not --cell")
    seconds = SECONDS if own["seconds"] is None else own["seconds"]
    if not 0 < seconds < float("inf"):
        raise InputError(f"--seconds must be positive, got {seconds}")
    vectors = own["embeddings"] if own["embeddings"] != ONE_HOT else None
    if output is not None:
        files.require_writable(output)
    alphabet = own["alphabet"]
    options.require_outputs(vectors, alphabet if alphabet and files.names_a_file(alphabet) else None)
    automaton = None if against is None else read_automaton(against, options.file_format)
    network = _network(path, own, automaton)
    if output is not None and network.decisions != 2:
        raise InputError(f"-o requires a network with two decisions, got {network.decisions} classes")
    if kernel is not None:
        ordinary_network.require_file(kernel)  # reports a missing Coq before the proof
    machine = None
    if automaton is not None:
        machine = machine_of(automaton, _symbols(network), network.decisions, str(against))
    decide = float32_decisions(network, *torch_modules(network))
    with progress("certify") as report_progress:
        answer = certify_ordinary(network, machine, decide, seconds, report_progress)
        proved, refusal = answer.verdict == "certified", "no regions were proved"
        if kernel is not None and proved and answer.machine is not None:
            until = time.monotonic() + seconds
            refusal = ordinary_network.write(kernel, network, answer.machine, path, until, report_progress)
    accepted = kernel if proved and not refusal else None
    if output is not None and proved and answer.machine is not None:
        final = frozenset(q for q, label in enumerate(answer.machine.outputs) if label)
        files.write(answer.machine.accepting(final).to_wfsa(), output)
    certificate = options.certificate if proved else None
    if certificate is not None:
        write_json(certificate, answer.certificate())
    data = ordinary.as_json_object(answer, certificate, accepted)
    lines = list(ordinary.sentences(answer, against))
    if accepted is not None:
        lines.append(kernel_sentence(accepted, ordinary_network.THEOREM))
    print_all(data, lines, options, proved, "regions")
    if kernel is not None and accepted is None:
        note_unwritten(kernel, refusal)
    return finish(answer, options, lines)


def _network(path: str, options: Mapping[str, Any], automaton: DFA | None) -> OrdinaryNetwork:
    """Return the network of a state dict, with the symbols of ``--alphabet`` or of the automaton."""
    if options["cell"] not in CELLS:
        raise InputError(f"--cell must be one of {', '.join(CELLS)}, got {options['cell']!r:.40}")
    if options["alphabet"] is not None:
        symbols = tuple(vocabulary(options["alphabet"], "--alphabet"))
    elif automaton is not None:
        symbols = tuple(str(symbol) for symbol in automaton.alphabet)
    else:
        raise InputError(
            "the symbols of the network are unknown; pass --alphabet, or an automaton with --against"
        )
    tensors, metadata = tensors_of_file(path)
    if "ratproof" in metadata:
        raise InputError(f"{path}: --cell requires a state dict, got a network that ratproof saved")
    embeddings = options["embeddings"]
    if embeddings is not None and embeddings != ONE_HOT:
        embeddings = embeddings_of_file(embeddings, symbols)
    return network_of_tensors(
        tensors,
        path=path,
        cell=options["cell"],
        prefix=options["prefix"],
        readout=options["readout"],
        embeddings=embeddings,
        alphabet=symbols,
        threshold=0.0 if options["threshold"] is None else options["threshold"],
    )


def _symbols(network: OrdinaryNetwork) -> tuple[str, ...]:
    return tuple(str(symbol) for symbol in network.alphabet)
