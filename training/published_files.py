"""Files of published data, gzipped or as they are; a wrong one is refused in a sentence."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from automata.errors import FormatError


def found(path: Path, prefer_gzipped: bool = False) -> Path:
    """Return the file or, with ``.gz``, the gzipped one: whichever is there, and of two the preferred one."""
    zipped = path.with_name(path.name + ".gz")
    both = path.exists() == zipped.exists()
    return zipped if (prefer_gzipped if both else zipped.exists()) else path


def read_bytes(path: Path, about: str) -> bytes:
    """Return the file's bytes, unpacked; ``about`` ends the sentence of a FormatError."""
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or error
        raise FormatError(f"{path}: cannot be read: {why}{about}") from None


def read_lines(path: Path, about: str, latin_1: bool = False) -> list[str]:
    """Return the file's lines, which line feeds alone end; with ``latin_1`` what is no UTF-8 is Latin-1.

    Raises :class:`~automata.errors.FormatError` for a file that is binary, no such text, or cut off.
    """
    data = read_bytes(path, about)
    if b"\0" in data:
        raise FormatError(f"{path}: is binary or UTF-16 (byte {data.index(0)} is NUL){about}")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if not latin_1:
            raise FormatError(f"{path}: is no UTF-8 text (byte {error.start} is wrong){about}") from None
        text = data.decode("latin-1")
    if not text.endswith("\n"):
        last = text.count("\n") + 1
        raise FormatError(
            f"{path}: line {last}: has no line feed at its end, as where a file was cut off{about}"
        )
    return text[:-1].split("\n")
