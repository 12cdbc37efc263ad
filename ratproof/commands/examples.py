"""The command that writes the files of the pages: examples."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

from typer import Argument

from automata.errors import InputError
from automata.io.files import write_whole
from ratproof.commands.app import AsJson, app, example
from ratproof.process.json_answers import print_json


@app.command(epilog=example("examples first-steps"))
def examples(
    folder: Annotated[str, Argument(metavar="DIR", help="where to; it is made where there is none")],
    as_json: AsJson = False,
) -> None:
    """Write the files that the pages use.

    They are automata, claims, a network, and rules with sentences. A file that already exists is left
    unchanged.
    """
    directory = Path(folder)
    if directory.exists() and not directory.is_dir():
        raise InputError(f"{folder}: must be a folder, and is a file")
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
        print(f"{path}: is there already, and was left as it is")


def _below(folder: Traversable, path: str = "") -> list[tuple[str, Traversable]]:
    """Return the files in a folder and its subfolders, with their relative paths."""
    result = []
    for part in sorted(folder.iterdir(), key=lambda part: part.name):
        name = f"{path}{part.name}"
        if part.name.startswith((".", "__")):  # left by those who ran something there
            continue
        if part.is_dir():
            result += _below(part, f"{name}/")
        else:
            result.append((name, part))
    return result
