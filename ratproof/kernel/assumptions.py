"""What each theorem assumes, as Coq says it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from ratproof.kernel import coq
from ratproof.kernel.development import built
from ratproof.kernel.sources import statements

CLOSED = "Closed under the global context"
MARK = "== "


def assumptions(root: Path | None = None) -> dict[str, str]:
    """For every theorem what ``Print Assumptions`` says: :data:`CLOSED`, or the axioms. Kept beside the build that it is about."""
    root = built() if root is None else root
    lines = [f"Require {module}." for module in dict.fromkeys(statement.module for statement in statements().values())]
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
