"""A page a claim, from the claim's own words and from what ran."""

from __future__ import annotations

from claim_modules import module_of
from drawings import drawn_variant, in_words, of_claim
from page_text import console, fence, plain, sentence, table
from paper_tables import tables_page
from proofs import counts_of_states, proofs
from rung_table import gpu, legend, rung_table
from tests_of_claims import rungs_of, tests
from theorems import all_theorems, theorems
from torch_layers import layers
from verdict_text import as_word, counted, counterexample, decided, hankel, verdict_table, when_and_where
from verdicts import Verdicts

from automata.io.drawing import svg
from ratproof.evidence.kinds import KINDS
from theory.claim import Claim, Misprint, Variant
from theory.registry import claims
from theory.without import missing

STATEMENTS = ("theorem", "lemma", "corollary", "proposition", "definition", "example", "remark")


def pages(verdicts: Verdicts) -> dict[str, str]:
    """The pages and their drawings, by path."""
    all_claims = list(claims().values())
    pages = {f"claims/{claim.name}.md": _page(claim, verdicts) for claim in all_claims}
    for claim in all_claims:
        pages |= {f"claims/{file}": svg(automaton) for file, automaton in of_claim(claim)}
    pages["claims/ladder.txt"] = _ladder(all_claims)
    pages["claims/theorems.txt"] = all_theorems()
    pages["claims/tables.md"] = tables_page(all_claims, verdicts)
    return pages


def _ladder(all_claims: list[Claim]) -> str:
    promised = {kind for claim in all_claims for variant in claim.variants for kind in variant.kinds}
    rows = [
        [kind, plain(meaning), "" if kind in promised else "no claim promises it yet"]
        for kind, meaning in KINDS.items()
    ]
    return table(("kind", "what it shows", ""), rows, css="ladder")


def _page(claim: Claim, verdicts: Verdicts) -> str:
    refuted = [v for v in claim.variants if v.expected == "refuted"]
    holding = [v for v in claim.variants if v.expected == "holds"]
    parts = [
        f"# {plain(claim.source.statement)}: {plain(claim.title)}\n",
        _statement(claim),
        _source(claim),
        "## Hypotheses\n\n" + "".join(f"- {plain(text)}\n" for text in claim.hypotheses),
        _uses(claim),
        "## What holds\n\n" + "".join(_says(claim, v, verdicts) for v in holding),
        counts_of_states(claim, verdicts),
        proofs(claim, verdicts),
        theorems(claim),
        "## Errata and counterexamples\n\n" if refuted else "",
        *(_erratum(claim, v, verdicts) for v in refuted),
        _misprints(claim),
        "## Verdicts\n\n" + rung_table([claim], verdicts, linked=False) + "\n" + legend(),
        _without(claim),
        layers(claim),
        gpu(verdicts),
        "<details><summary>Cases, seconds and bounds of each</summary>\n\n"
        + verdict_table(claim, verdicts)
        + "\n</details>\n",
        when_and_where(verdicts),
        counted(claim, verdicts),
        decided(claim, verdicts),
        "What the kinds and the columns mean: [evidence](/evidence.md).\n",
        "## The automata, drawn\n\n" + _drawings(claim),
        "## Tests\n\n" + _tests(claim),
        f"```{{toctree}}\n:hidden:\n\n/tests/{claim.name}\n```\n",
    ]
    return "\n".join(part for part in parts if part)


def misprint(entry: Misprint) -> str:
    """What is printed, what is right, and the test that shows it."""
    return (
        f"Printed: {plain(entry.printed)}. Right: {plain(entry.right)}. It is not run as a"
        f" reading; `{entry.test.rpartition('::')[2]}` shows it.\n"
    )


def _misprints(claim: Claim) -> str:
    return "\n".join(map(misprint, claim.misprints))


def _without(claim: Claim) -> str:
    """Why a variant lacks a rung."""
    lines = []
    for variant in claim.variants:
        for kind, reason in missing(variant).items():
            lines.append(f"- `{variant.name}`, {kind}: {plain(reason)}.\n")
    if not lines:
        return ""
    return f"<details><summary>Rungs that are not there, and why</summary>\n\n{''.join(lines)}\n</details>\n"


def _statement(claim: Claim) -> str:
    kind, _, number = claim.source.statement.partition(" ")
    known = kind.lower() in STATEMENTS
    return fence(
        f"prf:{kind.lower() if known else 'observation'}",
        plain(claim.statement),
        title=number if known else claim.source.statement,
        options={"label": claim.name, "nonumber": ""},
    )


def _source(claim: Claim) -> str:
    source = claim.source
    numbers = ", ".join(source.equations)
    equations = f", equation{'s' if len(source.equations) > 1 else ''} {numbers}" if numbers else ""
    return (
        f"Source: {{cite}}`{source.paper}`{source.in_section}, {source.statement}{equations}; in our"
        f" words. In the code: {{py:mod}}`{module_of(claim.name)}`, to be read line by line beside the"
        " paper.\n"
    )


def _uses(claim: Claim) -> str:
    lines = []
    for words, names in (
        ("It follows from", claim.uses),
        ("It is used by", [c.name for c in claims().values() if claim.name in c.uses]),
    ):
        links = [
            f"{{prf:ref}}`{claims()[n].source.statement} <{n}>` ({plain(claims()[n].title)})" for n in names
        ]
        if links:
            lines.append(f"{words} {' and '.join(links)}.\n")
    return "\n".join(lines)


def _says(claim: Claim, variant: Variant, verdicts: Verdicts) -> str:
    verdict = as_word(verdicts.summary(claim.name, variant), variant.expected)
    return f"`{variant.name}`\n: {plain(variant.says)}. Verdict: {verdict}.\n\n"


def _erratum(claim: Claim, variant: Variant, verdicts: Verdicts) -> str:
    verdict = as_word(verdicts.summary(claim.name, variant), variant.expected)
    parts = [
        f"### {variant.name}\n",
        f"It says: {plain(variant.says)}. Expected: refuted. Verdict: {verdict}.\n",
    ]
    result = verdicts.simplest_counterexample(claim.name, variant.name)
    if result is None:
        parts.append("No counterexample is at hand: the evidence was not run, or it found none.\n")
    else:
        parts += [f"The counterexample ({result['kind']}):\n", sentence(counterexample(result))]
    for _, certificate in verdicts.certificates(claim.name, variant.name):
        parts.append(hankel(claim, certificate))
    if result is not None:
        parts += [
            "To find it and to run it again:\n",
            console(f"ratproof verify {claim.name}", f"ratproof replay {result['kept']}"),
        ]
    return "\n".join(parts)


def _drawings(claim: Claim) -> str:
    drawn = of_claim(claim)
    which = "The automaton" if len(drawn) == 1 else f"The {len(drawn)} automata, one a unit,"
    lines = [
        f"{which} of the variant `{drawn_variant(claim).name}`, drawn for the weights"
        f" {plain(claim.example.describe())}.\n"
    ]
    for file, automaton in drawn:
        lines.append(f"```{{image}} {file}\n:alt: {in_words(automaton)}\n:class: automaton\n```\n")
    lines.append(
        "An arrow from nowhere marks an initial state, a double circle a final one; a weight of one is not"
        " written.\n"
    )
    return "\n".join(lines)


def _tests(claim: Claim) -> str:
    lines = [
        "All on one page, each with a link to its source: [tests of"
        f" {claim.source.statement}](/tests/{claim.name}.md).\n"
    ]
    for kind in KINDS:
        mine = [f"{{py:func}}`~{t.name}`: {plain(t.says)}" for t in tests()[claim.name] if t.kind == kind]
        evidence = [text for text in (rungs_of(claim, kind).rstrip(), *mine) if text]
        lines += [f"{kind}\n: " + "\n  \n  ".join(evidence) + "\n"] if evidence else []
    return "\n".join(lines)
