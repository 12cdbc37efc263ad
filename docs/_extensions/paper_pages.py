"""A page a paper, the page of all errata, and the index of the claims with the graph of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from claim_pages import misprint
from page_text import plain
from rung_table import gpu, legend, rung_table, smallest, unequal
from verdict_text import as_word, when_and_where
from verdicts import Verdicts

from theory.claim import Claim, Variant
from theory.papers import PAPERS, Paper
from theory.registry import claims
from theory.text_and_tables import SENTENCES


def pages(verdicts: Verdicts) -> dict[str, str]:
    """The pages, by path."""
    papers = list(PAPERS.values())
    made = {f"claims/{slug(paper)}.md": _paper_page(paper, verdicts) for paper in papers}
    made["claims/errata.md"] = _errata_page(papers, verdicts)
    made["claims/overview.txt"] = overview(verdicts)
    made["claims/index.md"] = _index(papers, verdicts)
    return made


def slug(paper: Paper) -> str:
    """The name of a paper's page."""
    return re.sub("[^a-z0-9]+", "-", paper.title.lower()).strip("-")


def claims_of(paper: Paper) -> list[Claim]:
    """Its claims, in its order."""
    return [claim for claim in claims().values() if claim.source.paper == paper.key]


def overview(verdicts: Verdicts) -> str:
    """The ladder of all claims, a table a paper."""
    parts = [
        f"**[{plain(paper.title)}](/claims/{slug(paper)}.md)** ({plain(paper.cited)})\n\n"
        + rung_table(claims_of(paper), verdicts)
        for paper in PAPERS.values()
    ]
    return "\n".join([*parts, legend(), gpu(verdicts)])


def _index(papers: Sequence[Paper], verdicts: Verdicts) -> str:
    names = "\n".join([*map(slug, papers), "errata", "tables"])
    lines = "".join(f"- [{plain(p.title)}]({slug(p)}.md), {plain(p.cited)}: {_count(p)}\n" for p in papers)
    return (
        "# Claims\n\nWhat the papers claim, a page a claim with its evidence.\n\n"
        f"{lines}- [Errata](errata.md): what is not as printed, with the smallest counterexample and what"
        " holds instead\n- [Tables 1 and 2](tables.md) of Rational Recurrences, verified\n\nWhich claim"
        " stands on which:\n\n```{raw} html\n:file: graph.txt\n```\n\n## All verdicts\n\n"
        f"{overview(verdicts)}\nWhat the kinds and the verdicts mean: [evidence](/evidence.md).\n\n"
        f"{when_and_where(verdicts)}\n```{{toctree}}\n:maxdepth: 1\n:hidden:\n\n{names}\n```\n"
    )


def _count(paper: Paper) -> str:
    mine = claims_of(paper)
    refuted = sum(v.expected == "refuted" for claim in mine for v in claim.variants)
    readings = sum(len(claim.variants) for claim in mine)
    claims_said = f"{len(mine)} claim{'' if len(mine) == 1 else 's'}"
    return f"{claims_said}, {readings} readings, {refuted} of them expected to be refuted"


def _paper_page(paper: Paper, verdicts: Verdicts) -> str:
    mine = claims_of(paper)
    names = "\n".join(claim.name for claim in mine)
    errata = (
        f" Its [errata](errata.md#{slug(paper)}) are on one page with those of the others."
        if any(_printed(v) and v.expected == "refuted" for claim in mine for v in claim.variants)
        else ""
    )
    return "\n".join(
        [
            f"# {plain(paper.title)}\n",
            f"{{cite}}`{paper.key}`: {_count(paper)}.{errata}\n",
            rung_table(mine, verdicts),
            legend(),
            gpu(verdicts),
            when_and_where(verdicts),
            f"```{{toctree}}\n:maxdepth: 1\n:hidden:\n\n{names}\n```\n",
        ]
    )


def _errata_page(papers: Sequence[Paper], verdicts: Verdicts) -> str:
    parts = [
        "# Errata\n",
        "What the papers print and what is not so: the reading, the smallest counterexample that the run came"
        " upon, and what holds instead. "
        + (
            "Each was checked by machine; the claim's page has the weights, certificates and commands to run"
            " it again."
            if verdicts.results
            else "These pages were built without a run: each says so in the place of its counterexample."
        )
        + " At the end, for each hypothesis, what goes wrong without it.\n",
    ]
    for paper in papers:
        printed = [
            (c, v) for c in claims_of(paper) for v in c.variants if v.expected == "refuted" and _printed(v)
        ]
        if printed:
            parts.append(f"## {plain(paper.title)}\n")
            parts += [_entry(claim, variant, verdicts) for claim, variant in printed]
        parts += [
            f"[{plain(claim.source.statement)}, {plain(claim.title)}](/claims/{claim.name}.md)\n:"
            f" {misprint(entry)}"
            for claim in claims_of(paper)
            for entry in claim.misprints
        ]
    parts.append("## Hypotheses that are needed\n")
    parts += [
        _entry(claim, variant, verdicts)
        for claim in claims().values()
        for variant in claim.variants
        if variant.expected == "refuted" and not _printed(variant)
    ]
    parts += [
        "## Where text and tables part\n",
        "No theorems, but sentences that the papers' own tables contradict:\n",
    ]
    parts += [
        f"{{cite}}`{sentence.paper}`, section {sentence.section}, on table {sentence.table}\n:"
        f" Text: {plain(sentence.says)}. Table: {plain(sentence.has)}.\n"
        for sentence in SENTENCES
    ]
    return "\n".join([*parts, when_and_where(verdicts)])


def _printed(variant: Variant) -> bool:
    return variant.name.startswith("printed")


def _entry(claim: Claim, variant: Variant, verdicts: Verdicts) -> str:
    source = claim.source
    verdict = as_word(verdicts.summary(claim.name, variant), variant.expected)
    result = smallest(claim, variant, verdicts)
    holds = next(v for v in claim.variants if v.expected == "holds")
    lines = [
        f"[{plain(source.statement)}, {plain(claim.title)}](/claims/{claim.name}.md), `{variant.name}`"
        f"{source.in_section}\n: {'Printed' if _printed(variant) else 'Dropped'}:"
        f" {plain(variant.says)}. {verdict}.\n"
    ]
    if result is not None and result.counterexample is not None:
        weights = result.counterexample.weights
        short = f", for {plain(weights)}" if len(weights) <= 200 else ""
        string = plain(unequal(result)).replace(" ≠ ", "\N{NO-BREAK SPACE}≠\N{NO-BREAK SPACE}")
        lines.append(f"  Counterexample (network ≠ automaton): **{string}**{short}.\n")
    elif verdicts.of(claim.name, variant.name):
        lines.append("  No counterexample of one string: see the claim's page.\n")
    lines.append(f"  Holds: {plain(holds.says)}.\n")
    return "\n".join(lines)
