"""``python -m proofs_tests.coq.statements`` regenerates ``statements.txt`` of ``theory/coq`` and
``theory/coq_reals``.
"""

from collections.abc import Mapping
from pathlib import Path

from ratproof.coq import reals
from ratproof.coq.development import build
from ratproof.coq.real_theorems import ask_theories
from ratproof.coq.sources import KEPT, source_folder
from ratproof.coq.theorems import TheoremAnswer, theorem_answers


def as_text(answers: Mapping[str, TheoremAnswer]) -> str:
    """Return each theorem's name, the digest of its statement with all implicit parts printed, and the
    statement.
    """
    return "".join(
        f"(* {name} {answer.statement.digest} *)\n{answer.statement.text}\n\n"
        for name, answer in answers.items()
    )


def real_answers(root: Path) -> dict[str, TheoremAnswer]:
    """Return Coq's answers about all theorems over the real numbers."""
    return {
        name: answer
        for group in reals.TOGETHER
        for name, answer in ask_theories(group, root).theorems.items()
    }


if __name__ == "__main__":
    root = build()
    (source_folder() / KEPT).write_text(as_text(theorem_answers(root)), encoding="utf-8")
    (reals.source_folder() / KEPT).write_text(as_text(real_answers(root)), encoding="utf-8")
