"""All statements of theory/coq in one file, so that a change of one is seen:
``python -m proofs_tests.coq.statements`` writes it anew.
"""

from __future__ import annotations

from pathlib import Path

from ratproof.coq.sources import statements

AGREED = Path(__file__).with_name("statements.txt")


def as_text() -> str:
    """Each theorem with its section's variables and hypotheses."""
    return "\n".join(
        "\n".join([f"(* {name} *)", *statement.given, statement.text, ""])
        for name, statement in statements().items()
    )


if __name__ == "__main__":
    AGREED.write_text(as_text(), encoding="utf-8")
