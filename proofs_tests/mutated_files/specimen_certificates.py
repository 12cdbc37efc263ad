"""Specimens of certificates, of every kind."""

from __future__ import annotations

import json
from pathlib import Path

from automata.io import files
from automata.semirings import BOOLEAN, MAX_PLUS, REAL
from automata.wfsa import WFSA
from proofs_tests.mutated_files.kind import Commands, Kind, ratproof, run
from proofs_tests.mutated_files.specimen_automata import (
    automata_json,
    even,
    real_automaton,
    tropical_automaton,
)
from proofs_tests.mutated_files.specimen_networks import counting_network, network


def equivalent(folder: Path) -> tuple[str, ...]:
    files.write(real_automaton(), folder / "A.json")
    arrows = [
        (0, 0, "a", 1),
        (0, 1, "b", "3/7"),
        (1, 2, "a", "1/2"),
        (1, 1, "b", "0.25"),
        (0, 2, "", "2"),
        (3, 1, "a", 5),
    ]
    files.write(WFSA.from_edges(REAL, 4, "ab", [(0, 1)], [(1, "1/3"), (2, 1)], arrows), folder / "B.json")
    run("equivalent A.json B.json --certificate c.json")
    return ("c.json",)


def chain(folder: Path) -> tuple[str, ...]:
    from automata.equivalence.sparse import decide  # here, since numba takes long to import

    equivalent(folder)
    a, b = (files.read(folder / name) for name in ("A.json", "B.json"))
    answer = decide(a, b, lambda stage: None)
    assert answer.certificate is not None
    (folder / "c.json").write_text(json.dumps(answer.certificate.to_json()))
    return ("c.json",)


def different(folder: Path) -> tuple[str, ...]:
    automata_json(folder)
    run("equivalent A.json B.json --certificate c.json")
    return ("c.json",)


def minimal(folder: Path) -> tuple[str, ...]:
    arrows = [(0, 0, "a", 1), (0, 1, "b", 2), (1, 1, "a", "1/2"), (0, 2, "b", 1), (2, 2, "a", "1/2")]
    files.write(WFSA.from_edges(REAL, 3, "ab", [(0, 1)], [(1, 1), (2, 1)], arrows), folder / "A.json")
    run("minimise A.json --certificate c.json")
    return ("c.json",)


def bisimulation(folder: Path) -> tuple[str, ...]:
    even(folder / "A.json")
    arrows = [
        (0, 1, "a", True),
        (1, 2, "a", True),
        (2, 1, "a", True),
        (0, 0, "b", True),
        (1, 1, "b", True),
        (2, 2, "b", True),
    ]
    files.write(
        WFSA.from_edges(BOOLEAN, 3, "ab", [(0, True)], [(0, True), (2, True)], arrows), folder / "B.json"
    )
    run("equivalent A.json B.json --certificate c.json")
    return ("c.json",)


def lumped(folder: Path) -> tuple[str, ...]:
    arrows = [(0, 1, "a", 1), (0, 2, "a", "1/2"), (1, 0, "b", 2), (2, 0, "b", 2)]
    files.write(WFSA.from_edges(MAX_PLUS, 3, "ab", [(0, 0)], [(1, 1), (2, 1)], arrows), folder / "A.json")
    arrows = [(0, 1, "a", 1), (1, 0, "b", 2)]
    files.write(WFSA.from_edges(MAX_PLUS, 2, "ab", [(0, 0)], [(1, 1)], arrows), folder / "B.json")
    run("equivalent A.json B.json --certificate c.json")
    return ("c.json",)


def tropical_difference(folder: Path) -> tuple[str, ...]:
    files.write(tropical_automaton(MAX_PLUS), folder / "A.json")
    files.write(tropical_automaton(MAX_PLUS, 3), folder / "B.json")
    run("equivalent A.json B.json --certificate c.json")
    return ("c.json",)


def hankel(folder: Path) -> tuple[str, ...]:
    run("not-rational elman --size 3 --certificate c.json")
    return ("c.json",)


def boxes(folder: Path) -> tuple[str, ...]:
    network(folder)
    run("certify net.safetensors --certificate c.json")
    return ("c.json",)


def counting(folder: Path) -> tuple[str, ...]:
    """Of both theorems."""
    counting_network(folder)
    run("certify net.safetensors --height 1 --length 3 --saturated-height 1 --certificate c.json")
    return ("c.json",)


def invariant(folder: Path) -> tuple[str, ...]:
    from ratproof.certification.invariant_boxes import decide_by_boxes
    from ratproof.evidence.ledger import recording
    from ratproof.implementations.exact import ExactComparison
    from theory.registry import claim_named

    claim, variant = "theorem-3.2", "corrected-eq-5"
    case = next(claim_named(claim).variant(variant).small_cases(2))
    with recording() as book:
        decide_by_boxes(ExactComparison(claim, variant, case))
    (folder / "c.json").write_text(json.dumps(book.certificate))
    return ("c.json",)


def checked_by(program: str) -> Commands:
    """The readers of a certificate: the command, and the program that stands alone."""
    return (ratproof("check-certificate c.json --json"), (program, "c.json"))


KINDS = (
    Kind("certificate: equivalent", equivalent, checked_by("check_certificate"), agree=True),
    Kind("certificate: chain", chain, checked_by("check_chain"), agree=True),
    Kind("certificate: different", different, checked_by("check_certificate"), agree=True),
    Kind("certificate: minimal", minimal, checked_by("check_certificate"), agree=True),
    Kind("certificate: bisimulation", bisimulation, checked_by("check_bisimulation"), agree=True),
    Kind("certificate: lumped", lumped, checked_by("check_bisimulation"), agree=True),
    Kind(
        "certificate: different in max-plus",
        tropical_difference,
        checked_by("check_bisimulation"),
        agree=True,
    ),
    Kind("certificate: Hankel", hankel, checked_by("check_hankel"), agree=True),
    Kind("certificate: counter", counting, checked_by("check_counter"), agree=True),
    Kind("certificate: boxes", boxes, checked_by("check_boxes"), agree=True),
    Kind("certificate: invariant", invariant, checked_by("check_invariant"), agree=True),
)
