"""The assumptions of each theorem, as Coq prints them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ratproof.coq.outputs import output_of
from ratproof.coq.sources import statements

CLOSED = "Closed under the global context"
MARK = "== "


@cache
def theorem_assumptions(root: Path) -> dict[str, str]:
    """For every theorem of a compiled development the output of ``Print Assumptions``: :data:`CLOSED`, or the
    axioms.
    """
    lines = [
        f"Require {module}."
        for module in dict.fromkeys(statement.module for statement in statements().values())
    ]
    for name in statements():
        lines += [f'Goal True. idtac "{MARK}{name}". Abort.', f"Print Assumptions ratproof.{name}."]
    output = output_of("\n".join(lines) + "\n", root)
    by_theorem = {}
    for part in output.split(MARK)[1:]:
        name, _, rest = part.partition("\n")
        by_theorem[name.strip()] = " ".join(rest.split())
    return by_theorem
