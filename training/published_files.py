"""Reader for files of published data, which may be compressed with gzip."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from automata.errors import FormatError


def existing_file(path: Path, prefer_gzipped: bool = False) -> Path:
    """Return the path of the file, or of the compressed file with the suffix ``.gz`` if only it exists."""
    zipped = path.with_name(path.name + ".gz")
    both = path.exists() == zipped.exists()
    return zipped if (prefer_gzipped if both else zipped.exists()) else path


def read_bytes(path: Path, about: str) -> bytes:
    """Return the decompressed bytes of the file; error messages end with ``about``."""
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or error
        raise FormatError(f"{path}: cannot be read: {why}{about}") from None


def read_lines(path: Path, about: str, latin_1: bool = False) -> list[str]:
    """Return the lines of the file, split only at line feeds.

    With ``latin_1``, a file that is not UTF-8 is read as Latin-1.

    Raises:
        FormatError: If the file is binary, has a different encoding, or is truncated.
    """
    data = read_bytes(path, about)
    if b"\0" in data:
        raise FormatError(
            f"{path}: the file must be text, got binary or UTF-16 (byte {data.index(0)} is NUL){about}"
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if not latin_1:
            raise FormatError(
                f"{path}: the file must be UTF-8, got an invalid byte at offset {error.start}{about}"
            ) from None
        text = data.decode("latin-1")
    if not text.endswith("\n"):
        last = text.count("\n") + 1
        raise FormatError(
            f"{path}: line {last}: the last line must end with a line feed; the file may be truncated{about}"
        )
    return text[:-1].split("\n")
