"""Checks of a command's output files before it starts to work.

An output must be writable, must not be an input, and must not be the same file as another output.

>>> require_outputs({"-o": "A.json"}, reads=["s/../A.json"])
Traceback (most recent call last):
automata.errors.InputError: -o A.json would overwrite s/../A.json, which this command reads; name another file
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from automata.errors import InputError
from automata.io import files

READ_IN_FOLDERS = (".tsv", ".config", ".npz", ".gz")
"""Suffixes of the files that commands read in a folder with data."""
Place = str | Path


def require_outputs(outputs: Mapping[str, Place | None], reads: Iterable[Place | None] = ()) -> None:
    """Raise :class:`~automata.errors.InputError` if an output is not writable, is an input, or occurs twice.

    Files are compared by identity rather than by name, so that links and ``sub/..`` are resolved.

    Args:
        outputs: The file of each option; ``None`` if the option is not used. For an ``.att`` file, the
            ``.syms`` file with the same name is also an output.
        reads: Input files, and folders with data.
    """
    files_of_options = [
        (option, file)
        for option, path in outputs.items()
        if path is not None
        for file in files.written_for(path)
    ]
    _require(files_of_options, reads)


def require_folder(
    option: str, folder: Place, names: Iterable[str] = (), reads: Iterable[Place | None] = ()
) -> None:
    """Raise InputError if an option cannot write files with these names to a folder.

    The conditions for each file are those of :func:`require_outputs`.
    """
    if Path(folder).exists() and not Path(folder).is_dir():
        raise InputError(f"{option} {folder} must be a folder, got a file")
    any_file = Path(folder) / "any"
    try:
        files.require_writable_path(any_file)
    except InputError as error:
        raise InputError(f"{option} {folder}: {str(error).removeprefix(f'{any_file}: ')}") from None
    _require([(option, Path(folder) / name) for name in names], reads)


def _require(outputs: Sequence[tuple[str, Path]], reads: Iterable[Place | None]) -> None:
    read = [file for path in reads if path is not None for file in _read_for(Path(path))]
    for number, (option, file) in enumerate(outputs):
        try:
            files.require_writable_path(file)
        except InputError as error:
            raise InputError(f"{option} {error}".lstrip()) from None
        for other in read:
            if _same(file, other):
                name = f"{option} {file}".lstrip()
                raise InputError(
                    f"{name} would overwrite {other}, which this command reads; name another file"
                )
        for name, other in outputs[:number]:
            if _same(file, other):
                raise InputError(f"{option} {file} and {name} {other} must be different files")
            if _real(file) in _real(other).parents or _real(other) in _real(file).parents:
                raise InputError(
                    f"{option} {file} and {name} {other}: a file must not be the folder of another file"
                )


def _read_for(path: Path) -> list[Path]:
    try:
        if path.is_dir():
            return [file for file in path.iterdir() if file.suffix in READ_IN_FOLDERS]
        # a file with another suffix may be read as AT&T text, by --format
        has_table = files.FORMATS.get(path.suffix, ".att") in files.WITHOUT_SEMIRING
        symbol_table = path.with_suffix(".syms") if has_table else path
        return [path, symbol_table] if symbol_table != path and symbol_table.exists() else [path]
    except (OSError, ValueError):  # the reader of the file reports the error
        return []


def _same(one: Path, other: Path) -> bool:
    try:
        return os.path.samefile(one, other) and one.is_file()
    except (OSError, ValueError):  # one of the files does not exist
        return _real(one) == _real(other)


def _real(path: Path) -> Path:
    """Return the path without links. ``Path.resolve`` would raise RuntimeError for a loop of links."""
    return Path(os.path.realpath(path))
