"""The command ``examples``."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

from typer import Argument

from automata.io.files import write_whole
from ratproof.commands.app import AsJson, app, example
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_folder


@app.command(epilog=example("examples first-steps"))
def examples(
    folder: Annotated[str, Argument(metavar="DIR", help="the folder, which is created if it does not exist")],
    as_json: AsJson = False,
) -> None:
    """Write the example files of the documentation.

    They are automata, claims, networks, and rules with sentences. A file that already exists is left
    unchanged.
    """
    directory = Path(folder)
    require_folder("DIR", directory)
    written, kept = [], []
    for name, content in _below(files("ratproof") / "examples"):
        target = directory / name
        if target.exists():
            kept.append(str(target))
            continue
        write_whole(target, content.read_bytes())
        written.append(str(target))
    if as_json:
        print_json({"written": written, "left_as_they_were": kept})
        return
    for path in written:
        print(path)
    for path in kept:
        print(f"{path} already exists and was not changed")


def _below(folder: Traversable, path: str = "") -> list[tuple[str, Traversable]]:
    """Return the files in a folder and its subfolders, with their relative paths."""
    result = []
    for part in sorted(folder.iterdir(), key=lambda part: part.name):
        name = f"{path}{part.name}"
        if part.name.startswith((".", "__")):  # caches and hidden files
            continue
        if part.is_dir():
            result += _below(part, f"{name}/")
        else:
            result.append((name, part))
    return result
