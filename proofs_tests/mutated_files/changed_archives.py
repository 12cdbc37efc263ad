"""Mutations of archives: gzipped text and npz files."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from proofs_tests.mutated_files.changed_bytes import Mutant, of_bytes
from proofs_tests.mutated_files.changed_lines import of_lines


def of_gzip(data: bytes, random: Random) -> Mutant:
    """Change the text inside, or leave a member cut, doubled or followed by something else."""
    way = random.choice(("inside", "inside", "inside", "cut", "double", "behind"))
    if way == "inside":
        text, change = of_lines(gzip.decompress(data), random)
        return gzip.compress(text, mtime=0), f"inside: {change}"
    if way == "cut":
        at = random.randrange(len(data))
        return data[:at], f"cut at byte {at}"
    return data + (data if way == "double" else b"more"), f"{way} at the end"


def of_npz(data: bytes, random: Random) -> Mutant:
    """Members removed, renamed, added; arrays of other types, shapes and numbers, and of pickled objects;
    other bytes inside.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    name = random.choice(sorted(members))
    way = random.choice(("remove", "rename", "bytes", "header", "array", "array", "array", "array", "text"))
    change = f"{way} of {name}"
    if way == "remove":
        del members[name]
    elif way == "rename":
        members[
            random.choice(
                ("x.npy", "vectors.npy", "words.npy", "unk_mean.npy", "vectors", "emb.npy", "../x.npy")
            )
        ] = members.pop(name)
    elif way == "bytes":
        members[name], more = of_bytes(members[name], random)
        change += f": {more}"
    elif way == "header":
        old, new = random.choice(
            (
                (b"<f4", b"<f8"),
                (b"<f4", b"<i4"),
                (b"<f4", b"|O4"),
                (b"<U", b">U"),
                (b"False", b"True "),
                (b"(", b"["),
                (b"2,", b"9,"),
                (b"3", b"4"),
                (b"1", b"-"),
            )
        )
        members[name] = members[name].replace(old, new, 1)
        change += f": {old!r} is now {new!r}"
    elif way == "text":
        members[name] = b"no array"
    else:
        array = np.load(io.BytesIO(members[name]), allow_pickle=False)
        new_array, more = other_array(array, random)
        stream = io.BytesIO()
        np.save(stream, new_array, allow_pickle=True)
        members[name] = stream.getvalue()
        change += f": {more}"
    return archived(members), change


def other_array(array: Any, random: Random) -> tuple[Any, str]:
    """Another array in place of one, with its name."""
    numbers: Any = (
        array if array.dtype.kind == "f" else np.arange(array.size, dtype=np.float32).reshape(array.shape)
    )
    variants: dict[str, Callable[[], Any]] = {
        "float64": lambda: numbers.astype(np.float64),
        "float16": lambda: numbers.astype(np.float16),
        "integers": lambda: numbers.astype(np.int64),
        "huge float64": lambda: numbers.astype(np.float64) * 1e300,
        "complex": lambda: numbers.astype(np.complex64),
        "bool": lambda: numbers > 0,
        "objects": lambda: np.array([{"a": 1}, None], dtype=object),
        "texts": lambda: numbers.astype(str),
        "bytes": lambda: numbers.astype("S"),
        "dates": lambda: np.zeros(array.shape, "M8[D]"),
        "records": lambda: np.zeros(array.shape, [("a", "f4"), ("b", "U3")]),
        "NaN": lambda: numbers * np.nan,
        "transposed": lambda: array.T,
        "one row fewer": lambda: array[:-1],
        "one row": lambda: array[:1],
        "empty": lambda: array[:0],
        "one axis more": lambda: array[None],
        "one number": lambda: array.ravel()[0],
        "twice": lambda: np.concatenate([array, array]),
        "flat": lambda: array.ravel(),
        "no columns": lambda: array.reshape(len(array), -1)[:, :0],
        "big-endian": lambda: array.astype(array.dtype.newbyteorder(">")),
        "the same words": lambda: np.full(array.shape, "a"),
    }
    name = random.choice(list(variants))
    with np.errstate(all="ignore"):
        return variants[name](), name


def archived(members: dict[str, bytes]) -> bytes:
    """The bytes of an npz with these members, whatever the time of day."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return stream.getvalue()


def npz(**arrays: Any) -> bytes:
    """The bytes of an npz with these arrays."""
    members = {}
    for name, array in arrays.items():
        stream = io.BytesIO()
        np.save(stream, array, allow_pickle=False)
        members[f"{name}.npy"] = stream.getvalue()
    return archived(members)
