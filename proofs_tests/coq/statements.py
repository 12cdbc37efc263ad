"""``python -m proofs_tests.coq.statements`` regenerates ``theory/coq/statements.txt``."""

from __future__ import annotations

from pathlib import Path

from ratproof.coq.development import build
from ratproof.coq.sources import KEPT, source_folder
from ratproof.coq.theorems import theorem_answers


def as_text(root: Path) -> str:
    """Return each theorem's name, the digest of its statement with all implicit parts printed, and the
    statement.
    """
    return "".join(
        f"(* {name} {answer.statement.digest} *)\n{answer.statement.text}\n\n"
        for name, answer in theorem_answers(root).items()
    )


if __name__ == "__main__":
    (source_folder() / KEPT).write_text(as_text(build()), encoding="utf-8")
