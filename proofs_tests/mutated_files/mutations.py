"""Mutations of files: of bytes, JSON values, lines and their columns, the headers and tensors of checkpoints, the members of archives.

The same random numbers make the same mutant; each comes with what was done to it.
"""

from __future__ import annotations

import copy
import gzip
import io
import json
import struct
import zipfile
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from proofs_tests.mutated_files import json_text
from proofs_tests.mutated_files.json_text import Object, Raw

Mutant = tuple[bytes, str]
"""What the file is now, and what was done."""

NUMBERS = (
    "1/0", "1/0", "0", "0", "-0", "1", "-1", "-1", "2", "1/2", "0/0", "-1/3", "1/-2", "nan", "NaN", "inf", "-inf", "Infinity", "1e999999999", "1e-999999999",
    "1e400", "1e5000", "9" * 5000, "٣", "１", "1_000", "0x10", " 1", "1 ", "1\n", "+1", ".5", "5.", "1e", "1,5", "½", "true", "false", "",
    "-", "1/2/3", "0.1", "1e10", "00", "01",
)  # fmt: skip
"""Texts where a number is expected."""
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 7, 1.5, -0.0, 10**9, 2**31, 2**63, 2**64, -(2**63), 10**30, "", "x", "a", "0", "\x1b[31m", "é", "\ud800",
    "x" * 300, "a\nb", "[/x]", "[bold]", [], {}, [[]], [[[1]]], [None], ["a"], [1, 2, 3], {"a": 1}, {"": None}, Raw("1e400"), Raw("-1e400"), Raw("NaN"), Raw("Infinity"),
    Raw("-Infinity"), Raw("1" * 5000), Raw("[" * 3000 + "]" * 3000), Raw("nul"), Raw("'a'"), Raw(""),
)  # fmt: skip
"""Values where another one is expected."""
KEYS = ("", "x", "a", "b", "z", "ab", "\x1b[2J", "é", "[/x]", "states", "alphabet", "format", "claims", "way", "network", "size")
SNIPPETS = (
    b"", b"\0", b"\xff", b"\xc3\x28", b"\xef\xbb\xbf", b"\n", b"\r\n", b"\t", b" ", b"\x0c", b"\x1c", b"\xe2\x80\xa8", b"\xc2\x85",
    b"\x1b[2J", b'"', b"{", b"}", b"[", b"]", b"\\", b"/", b"//", b"#", b"\x80\x04", b"PK\x03\x04", b"-", b".", b"e", b"9", b"0" * 50, b"\xed\xa0\x80",
)  # fmt: skip
TOKENS = (
    *NUMBERS, "(", ")", "( )", "|", "*", "+", "?", "{2,3}", "{3,2}", "{0}", "{", "{300}", "{2,}", "{1000000000}", "{" + "9" * 5000 + "}", "a" + "*" * 500, "$", "%", "&", "!", "\\", "\\$",
    "[x]", "[/x]", "[ ]", "[x", "//", "BOS", "EOS", "a", "zzz", "<eps>", "<epsilon>", "\x1b[2J", "\u202e", "e\u0301", "\x00", "\ufeff",
)  # fmt: skip
"""Words where others are expected."""


def mutated(name: str, data: bytes, random: Random) -> Mutant:
    """A mutant of a file, by the kind that its name says."""
    data, done = one_change(name, data, random)
    for _ in range(random.choice((0, 0, 0, 0, 0, 1, 2))):
        try:
            data, more = one_change(name, data, random)
        except Exception:  # an earlier change left nothing that could be changed in this way
            data, more = of_bytes(data, random)
        done = f"{done}; {more}"
    return data, done


def one_change(name: str, data: bytes, random: Random) -> Mutant:
    """One change: of what the file says five times in six, else of its bytes."""
    way = next(change for suffix, change in STRUCTURED.items() if name.endswith(suffix))
    return (of_bytes if random.random() < 1 / 6 else way)(data, random)


# Bytes.


def of_bytes(data: bytes, random: Random) -> Mutant:
    """Bytes flipped, replaced, inserted, deleted, doubled, exchanged; the file cut short, emptied, or longer."""
    n = len(data)
    at = random.randrange(n + 1)
    length = random.choice((1, 1, 2, 4, 8, 64, 1024))
    way = random.choice(
        ("flip", "flip", "byte", "insert", "insert", "delete", "delete", "double", "exchange", "cut", "empty", "append")
    )
    if way == "flip" and n:
        at, bit = random.randrange(n), random.randrange(8)
        return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :], f"bit {bit} of byte {at} flipped"
    if way == "byte" and n:
        at, to = random.randrange(n), random.choice((0, 9, 10, 13, 32, 34, 45, 46, 48, 57, 91, 93, 123, 125, 127, 128, 255))
        return data[:at] + bytes([to]) + data[at + 1 :], f"byte {at} is now {to}"
    if way == "insert":
        more = random.choice(SNIPPETS)
        return data[:at] + more + data[at:], f"{more!r} inserted at byte {at}"
    if way == "delete":
        return data[:at] + data[at + length :], f"{length} bytes deleted at {at}"
    if way == "double":
        return data[: at + length] + data[at:], f"{length} bytes doubled at {at}"
    if way == "exchange":
        a, b = sorted((at, random.randrange(n + 1)))
        return data[b:] + data[a:b] + data[:a], f"exchanged around bytes {a} to {b}"
    if way == "cut":
        return data[:at], f"cut at byte {at}"
    if way == "append":
        more = random.choice((*SNIPPETS, data))
        return data + more, f"{more[:20]!r} appended"
    return b"", "empty"


# JSON.


def of_json(data: bytes, random: Random) -> Mutant:
    """One value, key or number in a JSON text is changed."""
    whole = [json_text.loads(data.decode())]
    said = change_json(whole, random)
    return json_text.dumps(whole[0]).encode("utf-8", "surrogatepass"), said


def change_json(whole: list[Any], random: Random) -> str:
    """Change one place of the document in ``whole[0]``; what was done."""
    parent, at = some_place(whole, random)
    value = json_text.get(parent, at)
    where = f"{shown(parent, at)} = {json_text.dumps(value):.40}"
    ways = (
        "value",
        "value",
        "value",
        "number",
        "number",
        "remove",
        "rename",
        "double",
        "add",
        "exchange",
        "borrow",
        "nest",
        "empty",
    )
    way = "number" if isinstance(value, str) and value[-1:].isdigit() and random.random() < 0.4 else random.choice(ways)
    if way == "number" and isinstance(value, (str, int, float)) and not isinstance(value, bool):
        new: Any = random.choice(NUMBERS) if isinstance(value, str) else nudged(value, random)
    elif way == "borrow":
        new = copy.deepcopy(json_text.get(*some_place(whole, random)))
    elif way == "nest":
        new = [value] if random.random() < 0.5 else Object([(random.choice(KEYS), value)])
    elif way == "empty" and isinstance(value, (list, Object)):
        new = [] if isinstance(value, list) else Object([])
    elif way in ("value", "number", "empty") or parent is whole:
        new = copy.deepcopy(random.choice(VALUES))
        new = Object(list(new.items())) if isinstance(new, dict) else new
    else:
        inside = parent.fields if isinstance(parent, Object) else parent
        if way == "remove":
            del inside[at]
        elif way == "rename" and isinstance(parent, Object):
            inside[at] = (random.choice(KEYS), value)
        elif way == "exchange":
            other = random.randrange(len(inside))
            one = value
            json_text.put(parent, at, json_text.get(parent, other))
            json_text.put(parent, other, one)
        elif way == "add" and isinstance(parent, Object):
            inside.insert(at, (random.choice(KEYS), random.choice((None, 0, "x"))))
        else:
            inside.insert(random.randrange(len(inside) + 1), copy.deepcopy(inside[at]))
        return f"{way} at {where}"
    json_text.put(parent, at, new)
    return f"{way} at {where}: now {json_text.dumps(new):.60}"


def some_place(whole: list[Any], random: Random) -> tuple[Any, int]:
    """A place of the document: any, or one that a walk from the top comes to, so that long lists do not have them all."""
    if random.random() < 0.3:
        return random.choice(json_text.places(whole))
    parent, at = whole, 0
    while True:
        inside = json_text.get(parent, at)
        count = len(inside.fields) if isinstance(inside, Object) else len(inside) if isinstance(inside, list) else 0
        if not count or random.random() < 0.1:
            return parent, at
        weights = [
            4 if isinstance(json_text.get(inside, i), Object) else 2 if isinstance(json_text.get(inside, i), list) else 1
            for i in range(count)
        ]
        parent, at = inside, random.choices(range(count), weights)[0]


def nudged(number: float, random: Random) -> Any:
    """Another number."""
    return random.choice(
        (number + 1, number - 1, -number, number * 2, number + 0.5, 10 * number + 7, 0, float(number), str(number), 2**40, 10**9)
    )


def shown(parent: Any, at: int) -> str:
    """A place, for people."""
    return repr(parent.fields[at][0]) if isinstance(parent, Object) else f"[{at}]"


# Lines and columns.


def of_lines(data: bytes, random: Random) -> Mutant:
    """Lines and their columns removed, added, doubled, exchanged, replaced; other ends of lines, blank lines, other words."""
    text = data.decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    at = random.randrange(len(lines))
    line = lines[at]
    gap = "\t" if "\t" in line else " "
    columns = line.split(gap)
    place = random.randrange(len(columns))
    way = random.choice(
        (
            "column",
            "column",
            "column",
            "less",
            "more",
            "swap",
            "word",
            "gap",
            "line",
            "drop",
            "double",
            "move",
            "blank",
            "ends",
            "long",
        )
    )
    if way == "column":
        columns[place] = random.choice(TOKENS)
    elif way == "less":
        del columns[place]
    elif way == "more":
        columns.insert(place, random.choice((*TOKENS, columns[place])))
    elif way == "swap":
        other = random.randrange(len(columns))
        columns[place], columns[other] = columns[other], columns[place]
    elif way == "word":
        words = columns[place].split(" ")
        words[random.randrange(len(words))] = random.choice(TOKENS)
        columns[place] = " ".join(words)
    elif way == "long":
        columns[place] *= random.choice((2, 50, 1000))
    lines[at] = gap.join(columns)
    if way == "gap":
        lines[at] = line.replace(gap, random.choice((" ", "\t", "  ", "\t\t", ",", "\u00a0", "")))
    elif way == "line":
        lines[at] = random.choice(TOKENS)
    elif way == "drop":
        del lines[at]
    elif way == "double":
        lines.insert(random.randrange(len(lines) + 1), line)
    elif way == "move":
        lines.insert(random.randrange(len(lines)), lines.pop(at))
    elif way == "blank":
        lines.insert(at, random.choice(("", " ", "\t", "\r", "\x0b", "\u3000")))
    ends = random.choice(("\r\n", "\r", "\u2028", "\x0c", "\n\n")) if way == "ends" else "\n"
    changed = ends.join(lines).encode("utf-8", "surrogateescape")
    return changed, f"{way} in line {at + 1}, {line[:40]!r}: now {(lines[at] if at < len(lines) else '')[:60]!r}"


# Checkpoints. A safetensors file is the length of a JSON header, the header, and the numbers.

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
    """What the header says about the network (half of the time), or the header itself, or the numbers."""
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
        said = change_json(whole, random)
        json_text.put(metadata, place, json_text.dumps(whole[0]))
        return joined(header, numbers), f"about: {said}"
    if way == "metadata":
        whole = [fields[METADATA]]
        said = change_json(whole, random)
        header.fields = [(key, whole[0] if key == METADATA else value) for key, value in header.fields]
        return joined(header, numbers), f"metadata: {said}"
    if way == "header":
        whole = [header]
        said = change_json(whole, random)
        return joined(whole[0], numbers), f"header: {said}"
    if way == "length":
        length = random.choice(
            (0, 1, 7, len(data), 2**31, 2**40, 2**63, 2**64 - 1, struct.unpack("<Q", data[:8])[0] + random.choice((-1, 1, 8)))
        )
        return struct.pack("<Q", length) + data[8:], f"the header's length is now {length}"
    tensors = {key: tensor(fields[key], numbers) for key in names}
    if way == "tail":
        more = random.choice((-8, -1, 1, 8))
        return joined(header, numbers[:more] if more < 0 else numbers + bytes(more)), f"{more} bytes behind the numbers"
    kind, shape, values = tensors[name]
    if way == "fill":
        values, said = filled(kind, values, random)
    elif way == "type":
        kind = random.choice(list(TYPES))
        values, said = bytes(TYPES[kind] * int(np.prod(shape, dtype=int))), f"is now {kind}"
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
        said = f"has now the shape {shape}"
    else:
        said = {"drop": "is left out", "add": "is there under another name too", "rename": "has another name"}[way]
    if way in ("drop", "rename"):
        del tensors[name]
    if way != "drop":
        other = random.choice(
            ("x", "", name + ".x", name.replace(".", "", 1), "optimiser.x.y", "optimiser.0", "optimiser.99.step", f"{name[:-1]}0")
        )
        tensors[other if way in ("add", "rename") else name] = (kind, shape, values)
    return together(fields.get(METADATA), tensors), f"the tensor {name} {said}"


Tensor = tuple[str, list[int], bytes]


def parts(data: bytes) -> tuple[Object, bytes]:
    """The header and the numbers, with the tensors' names in order: safetensors writes them in another order every time."""
    length = struct.unpack("<Q", data[:8])[0]
    header = json_text.loads(data[8 : 8 + length].decode())
    if not isinstance(header, Object):
        raise ValueError("no header")
    return header, data[8 + length :]


def joined(header: Any, numbers: bytes) -> bytes:
    """The file with that header."""
    text = json_text.dumps(header).encode("utf-8", "surrogatepass")
    return struct.pack("<Q", len(text)) + text + numbers


def tensor(said: Object, numbers: bytes) -> Tensor:
    """One tensor of a file."""
    fields = dict(said.fields)
    start, end = fields["data_offsets"]
    return fields["dtype"], list(fields["shape"]), numbers[start:end]


def together(metadata: Object | None, tensors: dict[str, Tensor]) -> bytes:
    """The file of some tensors."""
    fields: list[tuple[str, Any]] = [] if metadata is None else [(METADATA, metadata)]
    at = 0
    for name, (kind, shape, values) in tensors.items():
        offsets = [at, at + len(values)]
        fields.append((name, Object([("dtype", kind), ("shape", shape), ("data_offsets", offsets)])))
        at = offsets[1]
    return joined(Object(fields), b"".join(values for _, _, values in tensors.values()))


def sorted_checkpoint(data: bytes) -> bytes:
    """The same file with its tensors in the order of their names: safetensors' own order is another one every time."""
    header, numbers = parts(data)
    fields = dict(header.fields)
    tensors = {name: tensor(fields[name], numbers) for name in sorted(fields) if name != METADATA}
    metadata = Object(sorted(fields[METADATA].fields)) if METADATA in fields else None
    return together(metadata, tensors)


def filled(kind: str, values: bytes, random: Random) -> tuple[bytes, str]:
    """Some numbers of a tensor are others: not finite, huge, tiny, negative, zero; all of them, or one."""
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


# Archives.


def of_gzip(data: bytes, random: Random) -> Mutant:
    """Other text inside, or a member that is cut, doubled or followed by something else."""
    way = random.choice(("inside", "inside", "inside", "cut", "double", "behind"))
    if way == "inside":
        text, said = of_lines(gzip.decompress(data), random)
        return gzip.compress(text, mtime=0), f"inside: {said}"
    if way == "cut":
        at = random.randrange(len(data))
        return data[:at], f"cut at byte {at}"
    return data + (data if way == "double" else b"more"), f"{way} at the end"


def of_npz(data: bytes, random: Random) -> Mutant:
    """Members removed, renamed, added; arrays of other types, shapes and numbers, and of pickled objects; other bytes inside."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    name = random.choice(sorted(members))
    way = random.choice(("remove", "rename", "bytes", "header", "array", "array", "array", "array", "text"))
    said = f"{way} of {name}"
    if way == "remove":
        del members[name]
    elif way == "rename":
        members[random.choice(("x.npy", "vectors.npy", "words.npy", "unk_mean.npy", "vectors", "emb.npy", "../x.npy"))] = (
            members.pop(name)
        )
    elif way == "bytes":
        members[name], more = of_bytes(members[name], random)
        said += f": {more}"
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
        said += f": {old!r} is now {new!r}"
    elif way == "text":
        members[name] = b"no array"
    else:
        array = np.load(io.BytesIO(members[name]), allow_pickle=False)
        new_array, more = other_array(array, random)
        stream = io.BytesIO()
        np.save(stream, new_array, allow_pickle=True)
        members[name] = stream.getvalue()
        said += f": {more}"
    return archived(members), said


def other_array(array: Any, random: Random) -> tuple[Any, str]:
    """Another array for it."""
    numbers: Any = array if array.dtype.kind == "f" else np.arange(array.size, dtype=np.float32).reshape(array.shape)
    made: dict[str, Callable[[], Any]] = {
        "float64": lambda: numbers.astype(np.float64), "float16": lambda: numbers.astype(np.float16), "integers": lambda: numbers.astype(np.int64),
        "huge float64": lambda: numbers.astype(np.float64) * 1e300, "complex": lambda: numbers.astype(np.complex64), "bool": lambda: numbers > 0,
        "objects": lambda: np.array([{"a": 1}, None], dtype=object), "texts": lambda: numbers.astype(str), "bytes": lambda: numbers.astype("S"),
        "dates": lambda: np.zeros(array.shape, "M8[D]"), "records": lambda: np.zeros(array.shape, [("a", "f4"), ("b", "U3")]),
        "NaN": lambda: numbers * np.nan, "transposed": lambda: array.T, "one row fewer": lambda: array[:-1], "one row": lambda: array[:1],
        "empty": lambda: array[:0], "one axis more": lambda: array[None], "one number": lambda: array.ravel()[0], "twice": lambda: np.concatenate([array, array]),
        "flat": lambda: array.ravel(), "no columns": lambda: array.reshape(len(array), -1)[:, :0], "big-endian": lambda: array.astype(array.dtype.newbyteorder(">")),
        "the same words": lambda: np.full(array.shape, "a"),
    }  # fmt: skip
    name = random.choice(list(made))
    with np.errstate(all="ignore"):
        return made[name](), name


def archived(members: dict[str, bytes]) -> bytes:
    """The npz of some members; the same bytes at every time of day."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return stream.getvalue()


def npz(**arrays: Any) -> bytes:
    """An npz of some arrays."""
    members = {}
    for name, array in arrays.items():
        stream = io.BytesIO()
        np.save(stream, array, allow_pickle=False)
        members[f"{name}.npy"] = stream.getvalue()
    return archived(members)


STRUCTURED: dict[str, Callable[[bytes, Random], Mutant]] = {
    ".json": of_json, ".safetensors": of_checkpoint, ".npz": of_npz, ".gz": of_gzip, "": of_lines,
}  # fmt: skip


def as_json(data: Any) -> bytes:
    """A specimen's JSON."""
    return json.dumps(data).encode()
