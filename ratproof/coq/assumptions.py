"""What each theorem assumes, as Coq says it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from ratproof.coq import programs as coq
from ratproof.coq.sources import statements

CLOSED = "Closed under the global context"
MARK = "== "


@cache
def assumptions(root: Path) -> dict[str, str]:
    """For every theorem of a compiled development what ``Print Assumptions`` says: :data:`CLOSED`, or the
    axioms.
    """
    lines = [
        f"Require {module}."
        for module in dict.fromkeys(statement.module for statement in statements().values())
    ]
    for name in statements():
        lines += [f'Goal True. idtac "{MARK}{name}". Abort.', f"Print Assumptions ratproof.{name}."]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "asked.v"
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        said = coq.compiled(file, root)
    found = {}
    for part in said.split(MARK)[1:]:
        name, _, rest = part.partition("\n")
        found[name.strip()] = " ".join(rest.split())
    return found
