"""Checkpoint files (safetensors), written atomically and read without executing code.

The header has three text fields: ``ratproof`` is the version of the file format, ``kind`` is the kind of
object, and ``about`` is a JSON description of the object.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
from torch import Tensor

from automata.errors import FormatError, InputError
from automata.io.files import write_whole

FORMAT = "checkpoint 1"


def write(
    path: str | Path, kind: str, about: dict[str, Any], tensors: dict[str, Tensor], durable: bool = False
) -> None:
    """Write named tensors with a description that JSON can represent.

    For ``durable``, see :func:`~automata.io.files.write_whole`.
    """
    ready = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    try:
        header = {"ratproof": FORMAT, "kind": kind, "about": json.dumps(about)}
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: the description must be JSON-serialisable ({error!s:.80})") from None
    write_whole(path, safetensors.torch.save(ready, header), durable)


def kind_of(path: str | Path) -> str | None:
    """Return the kind of object in a file that :func:`write` wrote, or None for other files."""
    try:
        with safetensors.safe_open(str(path), framework="pt") as reader:
            header = reader.metadata() or {}
    except (safetensors.SafetensorError, OSError):
        return None
    return header.get("kind") if header.get("ratproof") == FORMAT else None


@contextmanager
def describing(path: str | Path, what: str) -> Iterator[None]:
    """Convert errors in a ``with`` block that interprets the header of a file to FormatError.

    The message says that the header must describe ``what``.
    """
    try:
        yield
    except InputError as error:
        raise FormatError(f"{path}: {' '.join(str(error).split()):.300}") from None
    except (KeyError, TypeError, ValueError, RuntimeError, AttributeError) as error:
        why = " ".join(str(error).split())
        raise FormatError(
            f"{path}: the header must describe {what}, got {type(error).__name__}: {why:.80}"
        ) from None


def read(path: str | Path, kind: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Read the description and the tensors that :func:`write` wrote.

    Raises:
        FormatError: If the file does not exist, has a different format or kind, or is truncated.
    """
    try:
        with Path(path).open("rb") as file:
            start = file.read(9)
    except (OSError, ValueError) as error:  # a path with a null character is a ValueError
        raise FormatError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        with safetensors.safe_open(str(path), framework="pt") as reader:
            header = reader.metadata() or {}
            tensors = {name: reader.get_tensor(name) for name in reader.keys()}  # noqa: SIM118 (it is no dictionary)
    except (safetensors.SafetensorError, OSError) as error:
        # A safetensors file starts with the length of its header, whose first byte may equal a pickle's; the
        # header starts with a brace.
        if start[8:] != b"{" and start.startswith((b"\x80", b"PK\x03\x04")):
            raise FormatError(
                f"{path}: the file must be a ratproof checkpoint (safetensors), got a pickle, which could"
                " run code"
            ) from None
        why = " ".join(str(error).split())
        raise FormatError(f"{path}: the file must be a complete checkpoint ({why:.80})") from None
    if header.get("ratproof") != FORMAT or header.get("kind") != kind:
        actual = (
            header.get("kind")
            if header.get("ratproof") == FORMAT
            else header.get("ratproof") or "another program's file"
        )
        raise FormatError(f"{path}: the file must be {kind!r}, got {actual!r:.60}")
    try:
        about = json.loads(header["about"])
    except (KeyError, ValueError, RecursionError):
        raise FormatError(
            f"{path}: the header must describe the tensors in JSON, in an entry 'about'"
        ) from None
    if not isinstance(about, dict):
        raise FormatError(f"{path}: 'about' in the header must be a JSON object, got {about!r:.40}")
    return about, tensors
