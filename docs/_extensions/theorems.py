"""Theorems on a claim's page, and all of them on one: the sentence in the file, and the statement as Coq
prints it.
"""

from __future__ import annotations

from coq_pages import anchor
from page_text import plain

from ratproof.coq.sources import Statement, statements
from theory.claim import Claim
from theory.registry import claims

OUT_OF_SCOPE = (
    "In Coq gates are any functions of the input, and weights any elements of a semiring: there is no sigmoid"
    " in it and no float. Floats are bound to this by the derived error bounds and by what is `decided` over"
    " their exact values. What the files do and how to run them: [Coq](/kernel.md).\n"
)


def theorems(claim: Claim) -> str:
    """A section with the theorem of each variant that names one; nothing where none does."""
    parts = []
    for name in dict.fromkeys(
        variant.theorem.name for variant in claim.variants if variant.theorem is not None
    ):
        names = [f"`{v.name}`" for v in claim.variants if v.theorem is not None and v.theorem.name == name]
        refutes = any(
            v.theorem is not None and v.theorem.name == name and v.theorem.refutes for v in claim.variants
        )
        parts.append(
            f"{' and '.join(names)}, {'refuted' if refutes else 'shown'} by {statement(statements()[name])}"
        )
    return "## Theorems\n\n" + "\n".join(parts) + "\n" + OUT_OF_SCOPE if parts else ""


def statement(theorem: Statement) -> str:
    """The sentence, and the statement, with all that its section takes for granted."""
    file = "theory/coq/" + theorem.name.rpartition(".")[0].replace(".", "/") + ".v"
    code = f"{theorem.name.rpartition('.')[2]} :\n{theorem.text}"
    return (
        f"`{theorem.name.rpartition('.')[2]}` ([`{file}`, line {theorem.line}](#{anchor(theorem.name)}))."
        f" {plain(theorem.says)}\n\n```coq\n{code}\n```\n"
    )


def all_theorems() -> str:
    """Every theorem of the development, file by file, with the claims that name it."""
    named: dict[str, list[str]] = {}
    for claim in claims().values():
        for variant in claim.variants:
            if variant.theorem is not None:
                named.setdefault(variant.theorem.name, []).append(
                    f"[{claim.name}](/claims/{claim.name}.md), `{variant.name}`"
                )
    parts, last = [], ""
    for theorem in statements().values():
        file = theorem.name.rpartition(".")[0]
        if file != last:
            parts.append(f"## {file.replace('.', '/')}.v\n")
            last = file
        parts.append(statement(theorem))
        if theorem.name in named:
            parts.append(f"Of {'; '.join(named[theorem.name])}.\n")
    return "\n".join(parts)
