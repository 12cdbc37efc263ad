"""Specimens of certificates of every kind."""

import json
from collections.abc import Callable
from pathlib import Path

from automata.io import files
from automata.semirings import BOOLEAN, MAX_PLUS, REAL
from automata.wfsa import WFSA
from proofs_tests.mutated_files.kind import Kind, run, writer_for
from proofs_tests.mutated_files.specimen_automata import (
    automata_json,
    even,
    real_automaton,
    tropical_automaton,
)
from proofs_tests.mutated_files.specimen_networks import counting_network, network, ordinary_network


def equivalent(folder: Path) -> None:
    files.write(real_automaton(), folder / "A.json")
    arrows = [(0, 0, "a", 1), (0, 1, "b", "3/7"), (1, 2, "a", "1/2"), (1, 1, "b", "0.25"), (0, 2, "", "2")]
    arrows.append((3, 1, "a", 5))
    files.write(WFSA.from_edges(REAL, 4, "ab", [(0, 1)], [(1, "1/3"), (2, 1)], arrows), folder / "B.json")
    run("equivalent A.json B.json --certificate c.json")


def chain(folder: Path) -> None:
    from automata.equivalence.sparse import decide  # imported here, because numba is slow to import

    equivalent(folder)
    a, b = (files.read(folder / name) for name in ("A.json", "B.json"))
    answer = decide(a, b, lambda stage: None)
    assert answer.certificate is not None
    (folder / "c.json").write_text(json.dumps(answer.certificate.to_json()))


def different(folder: Path) -> None:
    automata_json(folder)
    run("equivalent A.json B.json --certificate c.json")


def minimal(folder: Path) -> None:
    arrows = [(0, 0, "a", 1), (0, 1, "b", 2), (1, 1, "a", "1/2"), (0, 2, "b", 1), (2, 2, "a", "1/2")]
    files.write(WFSA.from_edges(REAL, 3, "ab", [(0, 1)], [(1, 1), (2, 1)], arrows), folder / "A.json")
    run("minimise A.json --certificate c.json")


def bisimulation(folder: Path) -> None:
    even(folder / "A.json")
    edges = [(0, 1, "a"), (1, 2, "a"), (2, 1, "a"), (0, 0, "b"), (1, 1, "b"), (2, 2, "b")]
    arrows, final = [(*edge, True) for edge in edges], [(0, True), (2, True)]
    files.write(WFSA.from_edges(BOOLEAN, 3, "ab", [(0, True)], final, arrows), folder / "B.json")
    run("equivalent A.json B.json --certificate c.json")


def lumped(folder: Path) -> None:
    arrows = [(0, 1, "a", 1), (0, 2, "a", "1/2"), (1, 0, "b", 2), (2, 0, "b", 2)]
    files.write(WFSA.from_edges(MAX_PLUS, 3, "ab", [(0, 0)], [(1, 1), (2, 1)], arrows), folder / "A.json")
    arrows = [(0, 1, "a", 1), (1, 0, "b", 2)]
    files.write(WFSA.from_edges(MAX_PLUS, 2, "ab", [(0, 0)], [(1, 1)], arrows), folder / "B.json")
    run("equivalent A.json B.json --certificate c.json")


def tropical_difference(folder: Path) -> None:
    files.write(tropical_automaton(MAX_PLUS), folder / "A.json")
    files.write(tropical_automaton(MAX_PLUS, 3), folder / "B.json")
    run("equivalent A.json B.json --certificate c.json")


def hankel(folder: Path) -> None:
    run("not-rational elman --size 3 --certificate c.json")


def boxes(folder: Path) -> None:
    network(folder)
    run("certify net.safetensors --certificate c.json")


def regions(folder: Path) -> None:
    ordinary_network(folder)
    run("certify net.safetensors --cell rnn --alphabet set,reset,keep --certificate c.json")


def counting(folder: Path) -> None:
    """Write a certificate about a counting network and about the same network with saturated gates."""
    counting_network(folder)
    run("certify net.safetensors --height 1 --length 3 --saturated-height 1 --certificate c.json")


def invariant(folder: Path) -> None:
    from ratproof.certification.invariant_boxes import decide_by_boxes
    from ratproof.evidence.ledger import recording
    from ratproof.implementations.exact import ExactComparison
    from theory.registry import claim_named

    claim, variant = "theorem-3.2", "corrected-eq-5"
    case = next(claim_named(claim).variant(variant).small_cases(2))
    with recording() as book:
        decide_by_boxes(ExactComparison(claim, variant, case))
    (folder / "c.json").write_text(json.dumps(book.certificate))


def checked(claim: str, write: Callable[[Path], None], program: str) -> Kind:
    """Return the :class:`Kind` of a certificate, which the command and a stand-alone checker read."""
    lines = ("check-certificate c.json --json", f"check_{program} c.json")
    return Kind(f"certificate: {claim}", writer_for(write, "c.json"), lines, agree=True)


KINDS = (
    checked("equivalent", equivalent, "certificate"),
    checked("chain", chain, "chain"),
    checked("different", different, "certificate"),
    checked("minimal", minimal, "certificate"),
    checked("bisimulation", bisimulation, "bisimulation"),
    checked("lumped", lumped, "bisimulation"),
    checked("different in max-plus", tropical_difference, "bisimulation"),
    checked("Hankel", hankel, "hankel"),
    checked("counter", counting, "counter"),
    checked("boxes", boxes, "boxes"),
    checked("regions", regions, "regions"),
    checked("invariant", invariant, "invariant"),
)
