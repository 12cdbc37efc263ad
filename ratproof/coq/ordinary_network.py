"""Coq files in which a verified checker accepts the closed regions of an ordinary network."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from automata.moore import Moore
from ratproof.certification.ordinary_networks.arithmetic import Array
from ratproof.certification.ordinary_networks.network import Layer, OrdinaryNetwork
from ratproof.certification.ordinary_networks.turned_boxes import TurnedBoxes, turned_boxes
from ratproof.coq import certificate as coq_files
from ratproof.coq import reals
from ratproof.coq.terms import coq_list, rational_term
from ratproof.process.supervisor import OutOfTime

THEOREM = "agrees"
CELLS = {"rnn_tanh": "Elman", "rnn_relu": "ReLU", "gru": "GRU", "lstm": "LSTM"}
BITS = 32
"""The endpoints of intervals are multiples of 2^-BITS."""
TRIALS = 2
"""Number of nets for which Coq checks the regions, the coarsest first."""
HEADING = """\
(* Does the network {} agree with its automaton? Written by ratproof for Coq 8.16 and coq-interval 4.6.
   Check it with coqc. The file contains a checker of closed regions that is proved sound. From "The network"
   on, it contains the network, the automaton, the regions, and the theorem. *)
"""
STATEMENT = """\
(* After every nonempty word, the network's decision is the automaton's: the decision of the network over
   the real numbers, with the real exp and tanh, and every decision that a program may compute in
   binary32, with sums in any order, and tanh and sigmoid with an error of at most 8 * 2^-24. *)
Theorem {theorem} : forall word, word <> [] -> List.Forall (fun x => x < {symbols}) word ->
  decides trained word (decision_of automaton word) /\\
  computes_decision trained word (decision_of automaton word).
Proof. apply (closed_regions {bits} weights automaton nodes); vm_cast_no_check (eq_refl true). Qed.
Print Assumptions {theorem}.
"""


require_file = reals.REGIONS.require_file


def write(
    path: str,
    network: OrdinaryNetwork,
    machine: Moore,
    checkpoint: str,
    until: float,
    progress: Callable[[str], None] = lambda stage: None,
) -> str:
    """Write the Coq file if Coq accepts the regions of one of the first :data:`TRIALS` nets.

    Args:
        path: The Coq file.
        network: The network.
        machine: The minimal automaton, with decisions as outputs.
        checkpoint: The name of the network's file, for a comment.
        until: The value of ``time.monotonic()`` at which to stop the search for regions.
        progress: Called with a description of the current work.

    Returns:
        The reason why the file was not written, or the empty string if it was.

    Raises:
        Rejected: If Coq does not accept the theory, which would be a bug in ratproof.
    """
    why = "no regions were found such that each symbol maps every region into one of them"
    for regions, _ in zip(turned_boxes(network, machine, until), range(TRIALS), strict=False):
        progress(f"Coq checks {len(regions.net)} regions")
        text = file_text(network, machine, regions, checkpoint)
        try:
            if reals.write_if_accepted(path, text, f"check {BITS} weights"):
                return ""
        except OutOfTime as error:
            return str(error)
        why = "Coq does not accept the regions"
    return why


def file_text(network: OrdinaryNetwork, machine: Moore, regions: TurnedBoxes, checkpoint: str) -> str:
    """Return the text of the Coq file."""
    letters = ", ".join(f"{i} is {coq_files.plain(str(x))}" for i, x in enumerate(network.alphabet))
    order = [machine.start, *(q for q in range(machine.states) if q != machine.start)]
    number = {q: str(i) for i, q in enumerate(order)}
    after = (coq_list(number[machine.table[q][x]] for x in range(len(network.alphabet))) for q in order)
    return "\n".join(
        [
            HEADING.format(coq_files.plain(checkpoint)),
            reals.REGIONS.inlined(),
            "From Coq Require Import Reals ZArith QArith List.",
            "Import ListNotations network ordinary computed regions region_soundness.",
            f"(* The network. Letters, by their numbers: {letters}. *)",
            "Open Scope Q_scope.",
            f"Definition weights : ordinary Q := {_network(network)}.",
            "Definition trained : ordinary R := map_ordinary Q2R weights.",
            "(* The automaton: the next states of each state, and its decision. *)",
            "Open Scope nat_scope.",
            f"Definition automaton : machine := Machine {coq_list(after)}"
            f" {coq_list(machine.outputs[q] for q in order)}.",
            f"(* The regions, in units of 2^-{BITS}. *)",
            f"Definition nodes : list region := {coq_list(_regions(regions, number))}.",
            STATEMENT.format(theorem=THEOREM, symbols=len(network.alphabet), bits=BITS),
        ]
    )


def _network(network: OrdinaryNetwork) -> str:
    return "\n  ".join(
        [
            f"Ordinary {CELLS[network.cell]}",
            coq_list(coq_list(_gates(layer, network.units)) for layer in network.layers),
            _matrix(network.embeddings),
            _matrix(network.readout),
            row(network.readout_bias),
            rational_term(network.threshold),
        ]
    )


def _gates(layer: Layer, units: int) -> Iterable[str]:
    parts = (layer.input_weight, layer.input_bias, layer.weight, layer.bias)
    blocks = zip(*(np.split(part, len(part) // units) for part in parts), strict=True)
    return (f"Gate {_matrix(W)} {row(b)} {_matrix(U)} {row(c)}" for W, b, U, c in blocks)


def _regions(regions: TurnedBoxes, number: dict[int, str]) -> Iterable[str]:
    """Yield the Coq terms of the regions.

    The bounding box of a region need not be tight, so it is twice as wide as the region.
    """
    for i, state in enumerate(regions.net.states.tolist()):
        basis = regions.bases[i] * regions.widths[i]
        factor = regions.bases[i].T / regions.widths[i][:, None]
        around = 2 * np.abs(basis).sum(1) + 2.0**-16
        rows = (_units(regions.net.centers[i]), _units(around))
        matrices = (coq_list(map(_units, basis)), coq_list(map(_units, factor)))
        parts = " ".join(f"{part}%Z" for part in (*rows, *matrices))
        yield f"\n  Region {number[state]} {coq_list(regions.net.edges[i])} {parts}"


def _units(numbers: Array) -> str:
    return coq_list(round(x * 2**BITS) for x in numbers.tolist())


def row(numbers: Array) -> str:
    """Return a Coq list of exact rationals."""
    return coq_list(map(rational_term, numbers.tolist()))


def _matrix(rows: Array) -> str:
    return coq_list(map(row, rows))
