"""Specimens of automata in files."""

from pathlib import Path

from automata.io import files
from automata.semirings import BOOLEAN, MIN_PLUS, REAL
from automata.wfsa import WFSA
from proofs_tests.mutated_files.kind import Kind
from proofs_tests.mutated_files.specimen_networks import network


def real_automaton(weight: str = "1/2") -> WFSA:
    """Return an automaton over the reals with an epsilon transition."""
    arrows = [(0, 0, "a", 1), (0, 1, "b", "3/7"), (1, 2, "a", weight), (1, 1, "b", "0.25"), (0, 2, "", "2")]
    return WFSA.from_edges(REAL, 3, "ab", [(0, 1)], [(1, "1/3"), (2, 1)], arrows)


def tropical_automaton(cost: int) -> WFSA:
    """Return an unambiguous automaton, whose equivalence with others is decidable."""
    arrows = [(0, 0, "a", cost), (0, 1, "b", 0), (1, 1, "b", 3)]
    return WFSA.from_edges(MIN_PLUS, 2, "ab", [(0, 0)], [(1, 1)], arrows)


def automata_json(folder: Path) -> tuple[str, ...]:
    files.write(real_automaton(), folder / "A.json")
    files.write(real_automaton("5/2"), folder / "B.json")
    return ("A.json",)


def boolean_json(folder: Path) -> tuple[str, ...]:
    arrows = [(0, 1, "0", True), (1, 0, "0", True), (0, 0, "1", True), (1, 1, "1", True)]
    for name in ("A.json", "B.json"):
        files.write(WFSA.from_edges(BOOLEAN, 2, "01", [(0, True)], [(0, True)], arrows), folder / name)
    network(folder)
    return ("A.json",)


def automata_att(folder: Path) -> tuple[str, ...]:
    files.write(tropical_automaton(2), folder / "A.att")
    files.write(tropical_automaton(3), folder / "B.json")
    return ("A.att", "A.syms")


READ = (
    "equivalent A.json B.json --json",
    "convert A.json out.json --json",
    "minimise A.json -o out.json --json",
    "convert A.json out.dot --json",
)
SCORED = 'score A.json "" a "b a" "a b b" --json'
KINDS = (
    Kind(
        "automaton (.json)",
        automata_json,
        (
            *READ,
            *(SCORED,) * 6,
            "convert A.json out.att --round --json",
            "rank A.json --json",
            "sample A.json -n 2 --longest 3 --seed 1 --json",
        ),
        share=2,
    ),
    Kind(
        "boolean automaton (.json)",
        boolean_json,
        (
            *READ,
            'score A.json "" 0 "1 0" --json',
            "certify net.safetensors --against A.json --json",
            "train dfa A.json --units 2 --centroids 2 --minutes 0.000001 -o run --json",
        ),
    ),
    Kind(
        "automaton (.att, .syms)",
        automata_att,
        (
            'score A.att "" a b "a b b" --json',
            "equivalent A.att B.json --json",
            "convert A.att out.json --json",
            "convert A.att out.att --round --json",
        ),
        share=2,
    ),
)
