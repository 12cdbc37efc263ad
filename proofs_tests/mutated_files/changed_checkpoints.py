"""Mutations of checkpoints: a safetensors file is a JSON header's length, the header, and the numbers."""

from __future__ import annotations

import struct
from random import Random
from typing import Any

import numpy as np

from proofs_tests.mutated_files import json_text
from proofs_tests.mutated_files.changed_bytes import Mutant
from proofs_tests.mutated_files.changed_json import change_json
from proofs_tests.mutated_files.json_text import Object

TYPES = {
    "F64": 8,
    "F32": 4,
    "F16": 2,
    "BF16": 2,
    "I64": 8,
    "I32": 4,
    "I16": 2,
    "I8": 1,
    "U8": 1,
    "BOOL": 1,
    "U64": 8,
    "F8_E4M3": 1,
    "C64": 8,
    "F4": 1,
    "F128": 16,
}
METADATA = "__metadata__"


def of_checkpoint(data: bytes, random: Random) -> Mutant:
    """Change the header's description of the network (half of the time), the header, or the numbers."""
    header, numbers = parts(data)
    way = random.choice(
        (
            "about",
            "about",
            "about",
            "about",
            "metadata",
            "header",
            "length",
            "fill",
            "fill",
            "type",
            "shape",
            "drop",
            "add",
            "rename",
            "tail",
        )
    )
    fields = dict(header.fields)
    names = [name for name in fields if name != METADATA]
    name = random.choice(names) if names else ""
    if way == "about":
        metadata = fields[METADATA]
        place = next(i for i, (key, _) in enumerate(metadata.fields) if key == "about")
        whole = [json_text.loads(metadata.fields[place][1])]
        change = change_json(whole, random)
        json_text.put(metadata, place, json_text.dumps(whole[0]))
        return joined(header, numbers), f"about: {change}"
    if way == "metadata":
        whole = [fields[METADATA]]
        change = change_json(whole, random)
        header.fields = [(key, whole[0] if key == METADATA else value) for key, value in header.fields]
        return joined(header, numbers), f"metadata: {change}"
    if way == "header":
        whole = [header]
        change = change_json(whole, random)
        return joined(whole[0], numbers), f"header: {change}"
    if way == "length":
        length = random.choice(
            (
                0,
                1,
                7,
                len(data),
                2**31,
                2**40,
                2**63,
                2**64 - 1,
                struct.unpack("<Q", data[:8])[0] + random.choice((-1, 1, 8)),
            )
        )
        return struct.pack("<Q", length) + data[8:], f"the header's length is now {length}"
    tensors = {key: tensor(fields[key], numbers) for key in names}
    if way == "tail":
        more = random.choice((-8, -1, 1, 8))
        return joined(
            header, numbers[:more] if more < 0 else numbers + bytes(more)
        ), f"{more} bytes behind the numbers"
    kind, shape, values = tensors[name]
    if way == "fill":
        values, change = filled(kind, values, random)
    elif way == "type":
        kind = random.choice(list(TYPES))
        values, change = bytes(TYPES[kind] * int(np.prod(shape, dtype=int))), f"is now {kind}"
    elif way == "shape":
        shape = random.choice(
            (
                [],
                [0],
                [1],
                [*shape, 1],
                [1, *shape],
                shape[::-1],
                shape[:-1],
                [n + 1 for n in shape],
                [int(np.prod(shape, dtype=int))],
            )
        )
        values = (values * (1 + TYPES[kind] * int(np.prod(shape, dtype=int)) // max(1, len(values))))[
            : TYPES[kind] * int(np.prod(shape, dtype=int))
        ]
        change = f"has now the shape {shape}"
    else:
        change = {
            "drop": "is left out",
            "add": "is there under another name too",
            "rename": "has another name",
        }[way]
    if way in ("drop", "rename"):
        del tensors[name]
    if way != "drop":
        other = random.choice(
            (
                "x",
                "",
                name + ".x",
                name.replace(".", "", 1),
                "optimiser.x.y",
                "optimiser.0",
                "optimiser.99.step",
                f"{name[:-1]}0",
            )
        )
        tensors[other if way in ("add", "rename") else name] = (kind, shape, values)
    return together(fields.get(METADATA), tensors), f"the tensor {name} {change}"


Tensor = tuple[str, list[int], bytes]


def parts(data: bytes) -> tuple[Object, bytes]:
    """The header and the numbers, with the tensors' names in order: safetensors writes them in another order
    every time.
    """
    length = struct.unpack("<Q", data[:8])[0]
    header = json_text.loads(data[8 : 8 + length].decode())
    if not isinstance(header, Object):
        raise ValueError("no header")
    return header, data[8 + length :]


def joined(header: Any, numbers: bytes) -> bytes:
    """The file's bytes with this header."""
    text = json_text.dumps(header).encode("utf-8", "surrogatepass")
    return struct.pack("<Q", len(text)) + text + numbers


def tensor(entry: Object, numbers: bytes) -> Tensor:
    """One tensor of a file, from its entry in the header."""
    fields = dict(entry.fields)
    start, end = fields["data_offsets"]
    return fields["dtype"], list(fields["shape"]), numbers[start:end]


def together(metadata: Object | None, tensors: dict[str, Tensor]) -> bytes:
    """The file's bytes with these tensors."""
    fields: list[tuple[str, Any]] = [] if metadata is None else [(METADATA, metadata)]
    at = 0
    for name, (kind, shape, values) in tensors.items():
        offsets = [at, at + len(values)]
        fields.append((name, Object([("dtype", kind), ("shape", shape), ("data_offsets", offsets)])))
        at = offsets[1]
    return joined(Object(fields), b"".join(values for _, _, values in tensors.values()))


def sorted_checkpoint(data: bytes) -> bytes:
    """The same file with its tensors in the order of their names: safetensors' own order is another one every
    time.
    """
    header, numbers = parts(data)
    fields = dict(header.fields)
    tensors = {name: tensor(fields[name], numbers) for name in sorted(fields) if name != METADATA}
    metadata = Object(sorted(fields[METADATA].fields)) if METADATA in fields else None
    return together(metadata, tensors)


def filled(kind: str, values: bytes, random: Random) -> tuple[bytes, str]:
    """Replace one number of a tensor, or all: by one that is not finite, huge, tiny, negative, or zero."""
    if kind not in ("F32", "F64") or not values:
        way = random.choice((0, 1, 127, 255))
        return bytes([way]) * len(values), f"is full of the byte {way}"
    form: Any = np.float32 if kind == "F32" else np.float64
    array = np.frombuffer(values, form).copy()
    number = random.choice(
        (
            np.nan,
            np.inf,
            -np.inf,
            0.0,
            -0.0,
            1.0,
            -1.0,
            1e30,
            -1e30,
            float(np.finfo(form).max),
            float(np.finfo(form).tiny) / 4,
            0.5,
            1e-300,
        )
    )
    if random.random() < 0.5:
        array[:] = number
        return array.tobytes(), f"is full of {number}"
    place = random.randrange(len(array))
    array[place] = number
    return array.tobytes(), f"has {number} at place {place}"
