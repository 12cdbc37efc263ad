"""The pages of claims, papers, theorems and errata, generated from the claims and from saved verdicts."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pygraphviz
from claim_figures import figures
from page_text import environment, plain, render, template_global
from proof_formulas import markdown
from rich.console import Console
from sphinx.util.logging import getLogger
from tests_of_claims import EvidenceTests
from verdicts import NOT_RUN, Verdicts

from automata.drawing import svg
from automata.io import files
from automata.wfsa import WFSA
from neural.layer_kind import layer_kinds
from neural.state_regularized.files import load
from ratproof.certification.extraction.figures import TEMPERATURES, draw_all, string_100
from ratproof.certification.ordinary_networks.weight_files import tensors_of_file
from ratproof.certification.soft_networks.certify import certify
from ratproof.certification.soft_networks.numbers import numbers_of
from ratproof.checkers.table import MALFORMED, checker_of
from ratproof.coq.real_theorems import real_statements
from ratproof.coq.sources import source_files, source_folder, statements
from ratproof.evidence.counterexample import Counterexample
from ratproof.evidence.kinds import KINDS
from ratproof.evidence.results import Result
from ratproof.report.details import chance
from ratproof.report.ladder import COLUMNS, VariantRow
from ratproof.report.marks import Mark
from ratproof.report.proof_text import paragraphs
from ratproof.report.quantifiers import scopes, statement, weights
from ratproof.report.refutation import in_short, simplest
from theory.claim import TORCH, Claim, Variant
from theory.papers import PAPERS
from theory.registry import claims, modules
from theory.text_and_tables import SENTENCES
from theory.without import missing

TITLES = {
    "exa": "sampled, in exact arithmetic",
    "cpu": "sampled, by torch on the CPU",
    "gpu": "sampled, by torch on a GPU",
    "grd": "gradients of torch, sampled",
    "xck": "cross-checked with OpenFst",
    "exh": "exhausted: all short strings",
    "dec": "decided for all strings",
    "prv": "proved for all weights",
    "coq": "kernel-checked by Coq",
    "R": "kernel-checked by Coq, with its axioms of the real numbers",
}
"""The descriptions of the kinds of evidence, which are the columns of the tables."""
_log = getLogger(__name__)


def pages(examples: Path) -> dict[str, str]:
    """Return the pages and drawings by path.

    Args:
        examples: the folder of the example files.
    """
    environment().globals["tests"] = EvidenceTests()
    page_texts = {"claims/graph.txt": _graph(), **_drawings(examples), **_coq()}
    for name in ("ladder", "theorems", "overview", "summary"):
        page_texts[f"claims/{name}.txt"] = render(name)
    for name in ("tables", "errata", "index"):
        page_texts[f"claims/{name}.md"] = render(f"claims_{name}")
    for paper in PAPERS.values():
        page_texts[f"claims/{slug(paper.title)}.md"] = render("paper", paper=paper)
    for claim in claims().values():
        page_texts[f"claims/{claim.name}.md"] = render("claim", claim=claim)
        page_texts[f"tests/{claim.name}.md"] = render("tests", claim=claim)
        if claim.name in figures():
            page_texts[f"claims/{claim.name}-figure.svg"] = figures()[claim.name].svg()
        for unit, automaton in enumerate(automata_of(claim)):
            page_texts[f"claims/{claim.name}-unit-{unit}.svg"] = svg(automaton)
    return page_texts


def use(verdicts: Verdicts) -> None:
    """Make the claims and these verdicts available to all templates."""
    of_paper = {key: [c for c in claims().values() if c.source.paper == key] for key in PAPERS}
    named = {claim.name: module for module, claim in modules().items()}
    theorems: dict[str, list[tuple[Claim, Variant]]] = {}
    for claim in claims().values():
        for variant in claim.variants:
            if variant.theorem is not None:
                theorems.setdefault(variant.theorem.name, []).append((claim, variant))
    known = environment().globals
    known.update(verdicts=verdicts, claims=claims(), modules=named, papers=PAPERS, of_paper=of_paper)
    known.update(statements=statements(), real_statements=real_statements(), theorems=theorems)
    known.update(sentences=SENTENCES, NOT_RUN=NOT_RUN)
    known.update(KINDS=KINDS, TORCH=TORCH, COLUMNS=TITLES, MARKS=Mark, figures=figures())
    known.update(scopes=scopes, exact_statement=statement, quantified=weights)
    known.update(missing=missing, paragraphs=paragraphs, counterexample=Counterexample)
    environment().filters.update(slug=slug, anchor=anchor, chance=chance, proof_line=markdown)


def slug(title: str) -> str:
    """Convert a title to a file name or a link target: lowercase letters, digits and hyphens."""
    return re.sub("[^a-z0-9]+", "-", title.lower()).strip("-")


def anchor(theorem: str) -> str:
    """Return the link target of a theorem with this full name."""
    return "coq-" + slug(theorem)


@template_global
def marks(claim: Claim, variant: Variant) -> list[Mark | None]:
    """Return the marks of a variant's row in the table of results.

    Each column is a kind of evidence. Its mark is that of the worst result.
    """
    verdicts: Verdicts = environment().globals["verdicts"]
    runs = ([] if v is None else v.results_of(claim.name, variant.name) for v in (verdicts, verdicts.gpu_run))
    row = VariantRow(claim, variant, "", *(list(map(Result.from_json, run)) for run in runs))
    return [row.mark(column) for column in COLUMNS.values()]


@template_global
def mark_counts(claims: list[Claim]) -> list[Counter[Mark]]:
    """Return, for each column of the table of results, how many rows have each mark."""
    rows = [marks(claim, variant) for claim in claims for variant in claim.variants]
    return [Counter(mark for mark in column if mark is not None) for column in zip(*rows, strict=True)]


@template_global
def smallest(claim: Claim, variant: Variant) -> tuple[str, str] | None:
    """Return the simplest counterexample of a variant in one line, and its weights."""
    results = environment().globals["verdicts"].results_of(claim.name, variant.name)
    best = simplest(list(map(Result.from_json, results)))
    if best is None or best.counterexample is None:
        return None
    console = Console(force_terminal=False, legacy_windows=False)
    return in_short(best.counterexample, console), best.counterexample.weights


@template_global
def checked(result: dict[str, Any], certificate: dict[str, Any]) -> tuple[str, str]:
    """Check a certificate, and return the checker's name and whether it accepts the certificate."""
    program = checker_of(certificate)
    try:
        program.verdict(certificate)
    except MALFORMED as error:
        _log.warning("%s, %s: the certificate is rejected: %s", result["claim"], result["variant"], error)
        return program.__name__, f"rejects it ({plain(error)})"
    return program.__name__, "accepts it"


@template_global
def layers(claim: Claim) -> list[type]:
    """Return the torch layers that compute a claim's network."""
    kinds = layer_kinds()
    return [kinds[name].cls for name in claim.layers if name in kinds]


@template_global
def users(claim: Claim) -> list[str]:
    """Return the names of the claims that depend on a claim."""
    return [other.name for other in claims().values() if claim.name in other.uses]


@template_global
def drawn(claim: Claim) -> Variant:
    """Return the variant whose automata are drawn: the corrected one, or else the first that should hold."""
    holding = [v for v in claim.variants if v.expected == "holds"]
    return next((v for v in holding if v.name == "corrected"), holding[0])


@template_global
def automata_of(claim: Claim, variant: Variant | None = None) -> list[WFSA]:
    """Return the automata of the claim's example, one per unit."""
    return list((variant or drawn(claim)).reading.construction(claim.example))


@template_global
def in_words(automaton: WFSA) -> str:
    """Describe the automaton for the alternative text of its drawing."""
    k = automaton.semiring
    initial, final = (
        ", ".join(f"{q}: {k.format(w)}" for q, w in enumerate(vector.tolist()) if w != k.zero) or "none"
        for vector in (automaton.initial, automaton.final)
    )
    edges = "; ".join(
        f"{e.source} to {e.target} on {e.symbol or 'epsilon'}: {k.format(e.weight)}"
        for e in automaton.edges()
    )
    return (
        f"Automaton, number of states: {automaton.states}. Initial weights {initial}. Transitions {edges}."
        f" Final weights {final}."
    )


def _drawings(examples: Path) -> dict[str, str]:
    """Return the drawings for hand-written pages."""
    drawings = {f"claims/{file.stem}.svg": svg(files.read(file)) for file in sorted(examples.glob("*.json"))}
    for file in sorted(examples.glob("*.safetensors")):
        if "ratproof" not in tensors_of_file(file)[1]:
            continue  # the state dict of an ordinary network
        network, _ = load(file)
        if any(cell.part.has_cell_state for cell in network.recurrent_cells):
            continue  # a network with a cell state has no automaton to draw
        numbers = numbers_of(network)
        string = string_100(numbers.alphabet)
        drawn = draw_all(numbers, certify(network), string, TEMPERATURES)
        drawings |= {f"claims/{file.stem}-{name}": text for name, text in drawn.items() if text is not None}
    return drawings


def _graph() -> str:
    """Return a graph of the dependencies between claims, with a box for each paper."""
    graph = pygraphviz.AGraph(directed=True, rankdir="LR", bgcolor="transparent", nodesep="0.15")
    graph.node_attr.update(shape="box", style="rounded,filled", fillcolor="white", fontname="sans-serif")
    graph.node_attr.update(fontsize="11", height="0.3", target="_self")
    for claim in claims().values():
        graph.add_node(claim.name, label=claim.name, URL=f"{claim.name}.html", tooltip=claim.title)
        for name in claim.uses:
            graph.add_edge(name, claim.name)
    for paper in PAPERS.values():
        mine = [claim.name for claim in claims().values() if claim.source.paper == paper.key]
        style = {"label": paper.title, "fontname": "sans-serif", "fontsize": "12"}
        graph.add_subgraph(mine, name=f"cluster-{paper.key}", **style)
    text: str = graph.draw(format="svg", prog="dot").decode()
    return f'<div class="claim-graph">{text[text.index("<svg") :]}</div>\n'


def _coq() -> dict[str, str]:
    """Return an index and a page for each Coq file, with an anchor at each theorem."""
    names = {file.relative_to(source_folder()).as_posix(): file for file in source_files()}
    listed = {name: "coq-" + re.sub("[^a-z0-9_]+", "-", name.removesuffix(".v").lower()) for name in names}
    page_texts = {"api/coq.md": render("coq", files=listed)}
    for name, file in names.items():
        blocks = list(_blocks(name.removesuffix(".v").replace("/", "."), file.read_text(encoding="utf-8")))
        page_texts[f"api/{listed[name]}.md"] = render("coq_file", name=name, blocks=blocks)
    return page_texts


def _blocks(module: str, text: str) -> Iterator[tuple[str, int, str]]:
    """Split a Coq file at its theorems, and yield each part's theorem, first line number and text."""
    own = [s for s in statements().values() if s.name.rpartition(".")[0] == module]
    lines = text.splitlines()
    starts = [("", 1), *sorted(((s.name, s.line) for s in own), key=lambda start: start[1])]
    for (theorem, line), (_, end) in zip(starts, [*starts[1:], ("", len(lines) + 1)], strict=True):
        yield theorem, line, "\n".join(lines[line - 1 : end - 1])
