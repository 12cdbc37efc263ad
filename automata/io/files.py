"""Reading and writing of automata as files, in the format that the extension specifies."""

from __future__ import annotations

import errno
import glob
import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from automata import drawing
from automata.errors import FormatError, InputError, OutputError
from automata.io import att_format, json_format
from automata.semirings import Semiring
from automata.text.number_text import shorten
from automata.wfsa import WFSA, require_wfsa

FORMATS = {".json": ".json", ".att": ".att", ".txt": ".att", ".fst": ".fst", ".dot": ".dot", ".gv": ".dot"}
"""The format of each readable suffix: JSON, AT&T text, OpenFst's binary format, DOT."""
WITHOUT_SEMIRING = (".att", ".fst")
"""Formats that do not contain the semiring, and whose symbols are in a separate table."""
WRITABLE = (".json", ".att", ".dot", ".svg")
DRAWINGS = (".svg", ".png", ".pdf", ".dot")
"""Extensions of drawings, which :func:`draw` writes."""
AT_WORK = 60.0
"""Seconds without a write after which a temporary file is considered abandoned."""


def read(
    path: str | Path,
    semiring: Semiring | None = None,
    symbols: str | Path | None = None,
    file_format: str | None = None,
) -> WFSA:
    """Read an automaton from a file.

    Args:
        path: a ``.json``, ``.att``, ``.txt`` (AT&T text), ``.fst`` (OpenFst's binary) or ``.dot`` file.
        semiring: the semiring of an ``.att`` or ``.fst`` file. Defaults to min-plus for ``.att``, as in
            OpenFst, and to the semiring of the arc type for ``.fst``.
        symbols: the symbol table of an ``.att`` or ``.fst`` file. Defaults to the file of the same name with
            the extension ``.syms``, if it exists.
        file_format: ``"json"``, ``"att"``, ``"fst"`` or ``"dot"``. Defaults to the format of the suffix.

    Raises:
        FormatError: If the file cannot be read; the message specifies the file and the field.
    """
    path = _path(path)
    kind = suffix_of(path, file_format)
    if kind not in WITHOUT_SEMIRING and (semiring is not None or symbols is not None):
        raise InputError(
            f"{path}: a {kind} file contains its semiring and symbols; --semiring and --symbols are only"
            " supported for .att files"
        )
    if kind == ".json":
        return json_format.loads(read_text(path), str(path))
    if kind == ".dot":
        from automata.io import dot_format  # imported here because lark is slow to import

        return dot_format.loads(read_text(path), str(path))
    symbol_table = path.with_suffix(".syms")
    table = Path(symbols) if symbols is not None else symbol_table if symbol_table.exists() else None
    names = None if table is None else att_format.loads_symbols(read_lines(table), str(table))
    if kind == ".att":
        return att_format.loads(read_lines(path), semiring, names, str(path))
    try:
        from automata.io import openfst_files  # pynini is slow to import and may be missing
    except ImportError:
        raise InputError(
            f"{path}: reading an .fst file requires pynini, which has wheels for Linux on x86-64"
        ) from None
    return openfst_files.loads(read_bytes(path), semiring, names, str(path))


def suffix_of(path: str | Path, file_format: str | None = None) -> str:
    """Return the suffix of the format in which to read a file, such as ``.att``.

    Raises:
        InputError: If the format is unknown, or if it is not given and the file name has another suffix.
    """
    if file_format is not None and f".{file_format.removeprefix('.')}" not in FORMATS:
        raise InputError(
            f"--format must be {_or_list(suffix[1:] for suffix in FORMATS)}, got {shorten(file_format)}"
        )
    suffix = Path(path).suffix if file_format is None else f".{file_format.removeprefix('.')}"
    if suffix not in FORMATS:
        raise InputError(f"{path}: the extension of an automaton must be one of {', '.join(FORMATS)}")
    return FORMATS[suffix]


def _or_list(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}"


def write(automaton: WFSA, path: str | Path, round_weights: bool = False) -> list[Path]:
    """Write the automaton in the format of the file name's extension, and return the files written.

    The extensions are ``.json``, ``.att`` (with a ``.syms`` file next to it), ``.dot`` and ``.svg``. If
    ``round_weights`` is true, ``.att`` rounds a weight without a finite decimal to the nearest float64.
    """
    require_wfsa(automaton)
    path = _path(path)
    texts: dict[str, Callable[[], dict[Path, str]]] = {
        ".json": lambda: {path: json_format.dumps(automaton)},
        ".att": lambda: {
            path: att_format.dumps(automaton, round_weights),
            path.with_suffix(".syms"): att_format.dumps_symbols(automaton),
        },
        ".dot": lambda: {path: drawing.dot(automaton)},
        ".svg": lambda: {path: drawing.svg(automaton)},
    }
    require_writable(path)
    ready = texts[path.suffix]()
    write_together(ready)
    return list(ready)


def require_drawing(path: str | Path) -> None:
    """Raise InputError if no drawing can be written to a file of that name. Call this before computing."""
    if Path(path).suffix not in DRAWINGS:
        raise InputError(f"{path}: the name of a drawing must end in {', '.join(DRAWINGS)}")


def draw(automaton: WFSA, path: str | Path) -> list[Path]:
    """Draw the automaton into a file with an extension in :data:`DRAWINGS`, and return the path."""
    path = _path(path)
    require_drawing(path)
    if path.suffix in WRITABLE:
        return write(automaton, path)
    write_whole(path, drawing.image(drawing.dot(automaton), path.suffix[1:]))
    return [path]


def _path(name: object) -> Path:
    if not isinstance(name, str | os.PathLike):
        raise InputError(f"a file name must be a string, got {shorten(name)} of type {type(name).__name__}")
    return Path(name)


def require_writable(path: str | Path) -> None:
    """Raise InputError if no automaton can be written to a file of that name. Call this before computing."""
    if Path(path).suffix not in WRITABLE:
        raise InputError(
            f"{path}: the extension of an automaton to write must be one of {', '.join(WRITABLE)}"
        )
    for file in written_for(path):
        require_writable_path(file)


def written_for(path: str | Path) -> list[Path]:
    """Return the paths of the files that :func:`write` would write for this path."""
    path = Path(path)
    return [path, path.with_suffix(".syms")] if path.suffix == ".att" else [path]


def require_writable_path(path: str | Path) -> None:
    """Raise InputError if no file can be written to this path.

    Call this before computing. If the device is full or the folder disappears in the meantime, writing raises
    :class:`~automata.errors.OutputError`.
    """
    try:
        file = without_links(path)
        is_folder = file.is_dir()
        folder = next((parent for parent in file.parents if parent.exists()), file)  # "/" has no parent
        special = file.exists() and not file.is_file()
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}") from None
    if is_folder:
        raise InputError(f"{path}: cannot be written: the path is a folder")
    if not folder.is_dir():
        raise InputError(f"{path}: cannot be written: {folder} is not a folder")
    if _is_standard_output(Path(path)):
        raise InputError(f"{path}: cannot be written: it is the standard output")
    if special:
        if not os.access(file, os.W_OK):
            raise InputError(f"{path}: cannot be written: no permission")
        return
    try:  # a system folder such as /proc accepts no files although its permissions allow them
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written: a file cannot be created in {folder}: {error.strerror}"
        ) from None


def _is_standard_output(file: Path) -> bool:
    """Return whether this is the file or pipe of the standard output; a terminal does not count."""
    try:
        return not os.isatty(1) and not stat.S_ISCHR(os.fstat(1).st_mode) and file.samefile("/dev/fd/1")
    except OSError:  # one of the files does not exist
        return False


def read_bytes(path: str | Path) -> bytes:
    """Return the file's bytes; raise FormatError if it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror or error}") from None


def read_text(path: str | Path) -> str:
    """Return the file's UTF-8 text; raise FormatError if it cannot be read or decoded."""
    data = read_bytes(path)
    if b"\0" in data:
        raise FormatError(
            f"{path}: the file must be UTF-8 text, got binary data (byte {data.index(0)} is NUL)"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{path}: the file must be UTF-8 text, got an invalid byte at offset {error.start}"
        ) from None


def read_lines(path: str | Path) -> str:
    """Return a file's text; raise FormatError if the last line does not end with a line feed."""
    text = read_text(path)
    if text and not text.endswith("\n"):
        number = text.count("\n") + 1
        raise FormatError(
            f"{path}: line {number}: the last line must end with a line feed; the file may have been cut off"
        )
    return text


def names_a_file(text: str) -> bool:
    """Return whether there is a file of that name; ``False`` also for text that cannot be a file name."""
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def without_links(path: str | Path) -> Path:
    """Resolve symbolic links and return the path, existing or not; raise OSError for a loop of links."""
    file = Path(path).resolve()
    if file.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return file


def write_whole(path: str | Path, text: str | bytes, durable: bool = False) -> None:
    """Write a file completely or not at all; raise OutputError if it cannot be written.

    The data is written to a temporary file in the same folder, which is then renamed. A link is followed, and
    a device is written to directly. If ``durable`` is true, the data is flushed to the disk before the file
    is renamed.
    """
    write_together({path: text}, durable)


def write_together(
    texts: Mapping[Path, str] | Mapping[str | Path, str | bytes], durable: bool = False
) -> None:
    """Write several files as :func:`write_whole` does, all of them or none.

    No file is renamed before all are written. Raise OutputError for the first file that cannot be written;
    all files are then unchanged.
    """
    ready: dict[str, Path] = {}  # written files, keyed by their temporary names
    path: str | Path = ""
    try:
        for path, text in texts.items():
            data = text.encode("utf-8") if isinstance(text, str) else text
            file = without_links(path)
            if file.exists() and not file.is_file() and not file.is_dir():
                file.write_bytes(data)
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=_prefix(file))
            ready[temporary] = file
            with os.fdopen(handle, "wb") as opened:
                opened.write(data)
                if durable:
                    opened.flush()
                    os.fsync(opened.fileno())
            os.chmod(temporary, file.stat().st_mode & 0o7777 if file.exists() else 0o666 & ~_umask())
        for temporary, path in ready.items():
            os.replace(temporary, path)
    except (OSError, ValueError, RuntimeError) as error:
        raise OutputError(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}") from None
    finally:
        for temporary in ready:
            with suppress(FileNotFoundError):  # already renamed
                os.unlink(temporary)


def remove_remains(path: str | Path) -> None:
    """Remove temporary files that killed processes left next to this file, except recently modified ones."""
    file = without_links(path)
    for remains in file.parent.glob(f"{glob.escape(_prefix(file))}????????"):
        with suppress(FileNotFoundError):
            if time.time() - remains.stat().st_mtime > AT_WORK:
                remains.unlink()


def _prefix(file: Path) -> str:
    """Return the prefix of the names of temporary files for this file."""
    return f".{file.name[:100]}."


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
