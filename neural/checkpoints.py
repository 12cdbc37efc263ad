"""Checkpoint files (safetensors): written whole or not at all, and read without running any code.

The header is text: ``ratproof`` is the format, ``kind`` the kind of object that the file holds, ``about`` its
description as JSON.
"""

from __future__ import annotations

import json
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
    """Write the tensors, by name, and a description that JSON can hold; ``durable`` as in
    :func:`~automata.io.files.write_whole`.
    """
    ready = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    try:
        header = {"ratproof": FORMAT, "kind": kind, "about": json.dumps(about)}
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: what is said about the tensors is not for JSON ({error!s:.80})") from None
    write_whole(path, safetensors.torch.save(ready, header), durable)


def read(path: str | Path, kind: str) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Read the description and the tensors that :func:`write` wrote.

    Raises :class:`~automata.errors.FormatError` for a file that is not there, of another format or kind, or
    cut short.
    """
    try:
        with Path(path).open("rb") as file:
            start = file.read(9)
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror or error}") from None
    try:
        with safetensors.safe_open(str(path), framework="pt") as reader:
            header = reader.metadata() or {}
            tensors = {name: reader.get_tensor(name) for name in reader.keys()}  # noqa: SIM118 (it is no dictionary)
    except (safetensors.SafetensorError, OSError) as error:
        # a checkpoint starts with the length of its header, whose first byte may be a pickle's, and the
        # header with a brace
        if start[8:] != b"{" and start.startswith((b"\x80", b"PK\x03\x04")):
            raise FormatError(
                f"{path}: is a pickle, which could run code; a checkpoint of ratproof's (safetensors) is"
                " right"
            ) from None
        why = " ".join(str(error).split())
        raise FormatError(f"{path}: is no checkpoint, or was cut short ({why:.80})") from None
    if header.get("ratproof") != FORMAT or header.get("kind") != kind:
        actual = (
            header.get("kind")
            if header.get("ratproof") == FORMAT
            else header.get("ratproof") or "another program's file"
        )
        raise FormatError(f"{path}: is {actual!r:.60}, where {kind!r} is right")
    try:
        about = json.loads(header["about"])
    except (KeyError, ValueError, RecursionError):
        raise FormatError(f"{path}: its header says nothing about the tensors") from None
    if not isinstance(about, dict):
        raise FormatError(
            f"{path}: its header says {about!r:.40} about the tensors, where an object is right"
        )
    return about, tensors
