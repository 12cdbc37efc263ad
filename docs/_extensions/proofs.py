"""The proofs on a claim's page, from the certificates of the run, and the counts of states that a run
found.
"""

from __future__ import annotations

from page_text import plain, table
from proof_formulas import markdown
from verdicts import Verdicts

from ratproof.report.proof_text import paragraphs
from theory.claim import Claim


def proofs(claim: Claim, verdicts: Verdicts) -> str:
    """A section with the proof of each variant that has one; nothing where none was run."""
    parts = []
    for variant in claim.variants:
        for _, proof in verdicts.certificates(claim.name, variant.name):
            if proof.get("type") == "induction":
                body = []
                for says, formulas in paragraphs(proof):
                    body.append(f"{plain(says)}\n")
                    body += map(markdown, formulas)
                parts.append(f"### Proof of {variant.name}\n\n" + "\n".join(body))
    return "## Proofs\n\n" + "\n".join(parts) if parts else ""


def counts_of_states(claim: Claim, verdicts: Verdicts) -> str:
    """How many states the constructions have, and how many any automaton needs, where a run counted them."""
    for variant in claim.variants:
        for result in verdicts.of(claim.name, variant.name):
            if "states" in result.get("facts", {}):
                rows = [list(map(str, row)) for row in result["facts"]["states"]]
                head = (
                    "symbols s",
                    "window K",
                    "states as corrected",
                    "with fewer states",
                    "least for random weights",
                )
                return (
                    "How many states, with c{sub}`0` = 0. The last column is the rank of the Hankel matrix"
                    " for random weights, which is the least number of states of any automaton over the"
                    f" reals:\n\n{table(head, rows, css='states')}\n"
                )
    return ""
