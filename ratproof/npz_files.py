"""A reader of npz files with arrays of numbers and strings, which does not unpickle objects."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from automata.errors import FormatError
from automata.text.number_text import shorten
from ratproof.process.memory import free_memory


def arrays(path: Path) -> dict[str, np.ndarray]:
    """Return all arrays of an npz file by name.

    Raises:
        FormatError: If the file does not exist, is not an npz file, or has a member that is not an array.
    """
    try:
        loaded = np.load(path, allow_pickle=False)
        if not isinstance(loaded, NpzFile):
            raise FormatError(f"{path}: the file must be an npz file, got one array")
        with loaded:
            members = loaded.zip.infolist() if loaded.zip is not None else []
            needed, free = sum(member.file_size for member in members), free_memory()
            if needed > free:
                raise FormatError(f"{path}: the arrays need {needed:,} bytes, but only {free:,} are free")
            data = {name: loaded[name] for name in loaded.files}
    except FormatError:
        raise
    except Exception as error:  # zipfile, decompression and the parser of array headers raise many types
        why = getattr(error, "strerror", None) or error
        raise FormatError(f"{path}: cannot be read as npz: {shorten(' '.join(str(why).split()))}") from None
    for name, array in data.items():
        if not isinstance(array, np.ndarray):
            raise FormatError(f"{path}: the member {shorten(name)} must be an array")
    return data


def vectors_of(data: dict[str, np.ndarray], name: str, path: Path) -> NDArray[np.float32]:
    """Return the array with this name as float32, shape ``(words, width)``.

    Raises:
        FormatError: If there is no such array, it has a different shape, or an element is not finite.
    """
    array = data.get(name)
    if array is None or array.ndim != 2:
        actual = "no such array" if array is None else f"shape {array.shape}"
        raise FormatError(f"{path}: array {name!r} must have shape (words, width), got {actual}")
    if 0 in array.shape:
        raise FormatError(f"{path}: {name} must have at least one vector, got shape {array.shape}")
    return finite_numbers(array, name, path)


def finite_numbers(array: np.ndarray, name: str, path: Path) -> NDArray[np.float32]:
    """Return the array as float32; raise FormatError if an element is not a finite real number."""
    if not (np.issubdtype(array.dtype, np.floating) or np.issubdtype(array.dtype, np.integer)):
        raise FormatError(f"{path}: {name} must contain real numbers, got {array.dtype}")
    with np.errstate(over="ignore"):
        numbers = np.asarray(array, dtype=np.float32)
    if not np.isfinite(numbers).all():
        raise FormatError(f"{path}: all elements of {name} must be finite in float32")
    return numbers
