"""Copy the shared code of ``wire.py`` into each certificate checker."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
MARK = "\n# The rest of this file is copied from wire.py:"


def inlined(program: str) -> str:
    """Return the source of a program with the current shared code from ``wire.py``.

    >>> "def main(arguments):" in inlined(f"...{MARK} an older part")
    True
    """
    wire = (FOLDER / "wire.py").read_text("utf-8")
    return program.partition(MARK)[0] + MARK + wire.partition(MARK)[2]


if __name__ == "__main__":
    for path in FOLDER.glob("check_*.py"):
        path.write_text(inlined(path.read_text("utf-8")), "utf-8")
