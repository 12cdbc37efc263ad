"""Coq files in which a verified checker accepts the closed boxes of a soft network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import islice
from math import ceil, floor
from typing import Any

from automata.aliases import JsonObject
from automata.errors import InputError
from ratproof.certification.soft_networks.boxes import Nodes, close
from ratproof.certification.soft_networks.certificate import BoxesCertificate, to_json
from ratproof.certification.soft_networks.certify import Certification
from ratproof.certification.soft_networks.floats import FloatArithmetic
from ratproof.certification.soft_networks.numbers import Numbers
from ratproof.coq import certificate as coq_files
from ratproof.coq import reals
from ratproof.coq.terms import coq_list, rational_term
from ratproof.coq.wide_entries import wide_entries
from ratproof.process.supervisor import OutOfTime

THEOREM = "follows"
NETS = 3
"""The number of nets that are tried, each with more boxes than the last."""
MARGINS = (22, 26, 30)
"""Exponents m of the least distances 2^-m between a box and the images in it, from the largest distance."""
MORE_BITS = 18
"""The endpoints of Coq's intervals are multiples of 2^-(m + MORE_BITS)."""
HEADING = """\
(* Does the network {} follow its automaton? Written by ratproof for Coq 8.16 and coq-interval 4.6.
   Check it with coqc. The file contains a checker of closed boxes that is proved sound. From "The network"
   on, it contains the network, the automaton, the boxes, and the theorem. *)
"""
STATEMENT = """\
(* After every word, the most probable centroid is the label of the automaton's state, and the classifier
   accepts (its logit is positive) if and only if the automaton accepts. The numbers are real numbers, and
   exp and tanh are the real functions. *)
Theorem {theorem} : forall word, List.Forall (fun x => x < {symbols})%nat word ->
  most_probable (run soft word) (label_of machine word) /\\
  (if accepted machine word then (0 < logit soft word)%R else (logit soft word < 0)%R).
Proof. apply (closed_boxes {bits} weights machine nodes); vm_cast_no_check (eq_refl true). Qed.
Print Assumptions {theorem}.
"""


def require_supported(similarity: str) -> None:
    """Raise InputError if Coq's theory does not have this similarity."""
    if similarity != "dot":
        raise InputError(f"--kernel requires a network with equation 2 (similarity dot), got {similarity}")


require_file = reals.BOXES.require_file


def write(path: str, certification: Certification, checkpoint: str) -> str:
    """Write the Coq file of the first boxes that Coq accepts.

    Coq's enclosures are wider than those of ball arithmetic, so the boxes are first made wider. Each net is
    tried with slopes for the entries that probably need them, and then with slopes for all entries.

    Returns:
        The reason why the file was not written, or the empty string if it was.

    Raises:
        Rejected: If Coq does not accept the theory, which would be a bug in ratproof.
    """
    numbers = certification.numbers
    for proved in islice(certification.finer_nodes(), NETS):
        nodes, margin = with_margin(numbers, proved)
        bits, data = margin + MORE_BITS, to_json(numbers, nodes)
        choices = (wide_entries(numbers, nodes, 2.0**-margin), None)
        for text in dict.fromkeys(file_text(data, checkpoint, bits, wide) for wide in choices):
            try:
                if reals.write_if_accepted(path, text, f"check {bits} weights"):
                    return ""
            except OutOfTime as error:
                return str(error)
    return "Coq does not accept the boxes"


def with_margin(numbers: Numbers, proved: Nodes) -> tuple[Nodes, int]:
    """Return the nodes with boxes that have the largest possible of :data:`MARGINS`, and that margin."""
    for margin in MARGINS:
        nodes = close(FloatArithmetic(numbers), proved, least=2.0**-margin)
        if isinstance(nodes, Nodes):
            return nodes, margin
    return proved, MARGINS[-1]  # the margin of all proved boxes


def file_text(
    certificate: BoxesCertificate, checkpoint: str, bits: int, wide: Sequence[Sequence[bool]] | None = None
) -> str:
    """Return the text of the Coq file, whose checker computes intervals with ``bits`` binary digits.

    ``wide`` are the entries of each box for which the checker computes slopes, by default all.
    """
    network, automaton = certificate["network"], certificate["automaton"]
    symbols = network["alphabet"]
    letters = ", ".join(f"{i} is {coq_files.plain(x)}" for i, x in enumerate(symbols))
    if wide is None:
        wide = [[True] * len(node["low"]) for node in certificate["nodes"]]
    nodes = (_node(node, entries, bits) for node, entries in zip(certificate["nodes"], wide, strict=True))
    return "\n".join(
        [
            HEADING.format(coq_files.plain(checkpoint)),
            reals.BOXES.inlined(),
            "From Coq Require Import Reals ZArith QArith List.",
            "Import ListNotations network boxes soundness.",
            f"(* The network. Letters, by their numbers: {letters}. *)",
            "Open Scope Q_scope.",
            f"Definition weights : network Q := {_network(network)}.",
            "Definition soft : network R := map_network Q2R weights.",
            "(* The automaton: the next states of each state, its label, and whether it accepts. *)",
            "Open Scope nat_scope.",
            f"Definition machine : automaton := Automaton {coq_list(map(coq_list, automaton['after']))}"
            f" {coq_list(automaton['label'])} {coq_list(str(x).lower() for x in automaton['accepts'])}.",
            f"(* The boxes, in units of 2^-{bits}. *)",
            f"Definition nodes : list node := {coq_list(nodes)}.",
            STATEMENT.format(theorem=THEOREM, symbols=len(symbols), bits=bits),
        ]
    )


def _network(network: JsonObject) -> str:
    units = len(network["S"])
    gates = [
        f"Gate {_matrix(W)} {_row(b)} {_matrix(U)} {_row(c)}"
        for W, b, U, c in zip(*(_blocks(network[name], units) for name in ("W", "b", "U", "c")), strict=True)
    ]
    *tokens, start, finish = network["embedding"]
    return "\n  ".join(
        [
            f"Network {'GRU' if network['kind'] == 'sr-gru' else 'Elman'}",
            coq_list(gates),
            _matrix(network["S"]),
            rational_term(Fraction(network["temperature"])),
            _matrix(tokens),
            f"(Some {_row(start)})" if network["start_token"] else "None",
            _row(finish),
            _row(network["w"]),
            _weight(network["v"]),
        ]
    )


def _node(node: Any, wide: Sequence[bool], bits: int) -> str:
    """Return the Coq term of a node: its box in multiples of 2^-bits, its center, and its wide entries."""
    one = 1 << bits
    low = [max(0, floor(_value(x) * one)) for x in node["low"]]
    high = [min(one, ceil(_value(x) * one)) for x in node["high"]]
    spread, left = sum(high) - sum(low), one - sum(low)
    center = [a + (b - a) * left // (spread or 1) for a, b in zip(low, high, strict=True)]
    corners = " ".join(f"{coq_list(corner)}%Z" for corner in (low, center, high))
    entries = coq_list(str(x).lower() for x in wide)
    return f"\n  Node {node['state']} {coq_list(node['after'])} {corners} {entries}"


def _blocks(rows: Sequence[object], size: int) -> list[Sequence[object]]:
    return [rows[i : i + size] for i in range(0, len(rows), size)]


def _value(text: str) -> Fraction:
    return Fraction(float.fromhex(text))


def _weight(text: str) -> str:
    return rational_term(_value(text))


def _row(texts: Iterable[str]) -> str:
    return coq_list(map(_weight, texts))


def _matrix(rows: Iterable[Iterable[str]]) -> str:
    return coq_list(map(_row, rows))
