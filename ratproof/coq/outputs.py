"""What Coq prints for a file of commands: asked once for the same text and the same compiled development.

The answers lie beside the compiled files, in a folder whose name is the digest of all that they follow from:
the sources, Coq's version and mathcomp. ``ratproof prove`` compiles from clean, and asks again.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from tempfile import TemporaryDirectory

from filelock import FileLock

from automata.cache_folder import cache_folder
from automata.io.files import write_whole
from ratproof.coq import programs as coq

FOLDER = "outputs"


def output_of(text: str, root: Path) -> str:
    """Coq's output for the text, with the development at ``root``.

    Raises:
        NoCoq: there is no Coq, or no mathcomp.
        Rejected: Coq does not accept the text.
    """
    if root.parent != cache_folder("coq"):  # a copy, that somebody may be at work on
        return _ask(text, root)
    kept = root / FOLDER / f"{hashlib.sha256(text.encode()).hexdigest()[:40]}.txt"
    kept.parent.mkdir(exist_ok=True)
    with FileLock(kept.with_suffix(".lock")):  # of several processes one asks, and the others wait for it
        if not kept.exists():
            write_whole(kept, _ask(text, root))
        return kept.read_text(encoding="utf-8")


def _ask(text: str, root: Path) -> str:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "commands.v"
        file.write_text(text, encoding="utf-8")
        return coq.compile_file(file, root)
