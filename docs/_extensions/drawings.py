"""Automata drawn, as files beside the pages, with words for those who do not see them."""

from __future__ import annotations

from pathlib import Path

from automata.io import files
from automata.io.drawing import svg
from automata.wfsa import WFSA
from neural.state_regularized.files import load
from ratproof.certification.extraction import figures
from ratproof.certification.soft_networks.certify import certify
from ratproof.certification.soft_networks.numbers import numbers_of
from theory.claim import Claim, Variant


def drawn_variant(claim: Claim) -> Variant:
    """The variant whose automata are drawn: the corrected one, else the first that is expected to hold."""
    holding = [v for v in claim.variants if v.expected == "holds"]
    return next((v for v in holding if v.name == "corrected"), holding[0])


def of_claim(claim: Claim) -> list[tuple[str, WFSA]]:
    """For each unit of the claim's example the file's name and the automaton."""
    automata = drawn_variant(claim).reading.construction(claim.example)
    return [(f"{claim.name}-unit-{i}.svg", automaton) for i, automaton in enumerate(automata)]


def of_examples(folder: Path) -> dict[str, str]:
    """Drawings of the automata that the hand-written pages show."""
    return {f"claims/{path.stem}.svg": svg(files.read(path)) for path in sorted(folder.glob("*.json"))}


def of_networks(folder: Path) -> dict[str, str]:
    """The paper's pictures of the networks that the hand-written pages show."""
    files = {}
    for path in sorted(folder.glob("*.safetensors")):
        network, _ = load(path)
        if any(cell.part.has_cell_state for cell in network.recurrent_cells):
            continue  # a counter: it has no automaton to draw
        numbers = numbers_of(network)
        pictures = figures.draw_all(
            numbers, certify(network), figures.string_100(numbers.alphabet), figures.TEMPERATURES
        )
        files |= {f"claims/{path.stem}-{name}": text for name, text in pictures.items() if text is not None}
    return files


def in_words(automaton: WFSA) -> str:
    """The automaton on one line: its initial weights, transitions and final weights."""
    k = automaton.semiring
    vectors = [
        ", ".join(f"{q}: {k.format(w)}" for q, w in enumerate(vector.tolist()) if w != k.zero) or "none"
        for vector in (automaton.initial, automaton.final)
    ]
    edges = "; ".join(
        f"{e.source} to {e.target} on {e.symbol or 'epsilon'}: {k.format(e.weight)}"
        for e in automaton.edges()
    )
    return (
        f"Automaton, number of states: {automaton.states}. Initial weights {vectors[0]}. Transitions {edges}."
        f" Final weights {vectors[1]}."
    )
