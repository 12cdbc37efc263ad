"""Strategies for edits of files: of bytes, lines, JSON texts, archives and checkpoints."""

import gzip
import io
import json
import re
import struct
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

Draw = Callable[[st.SearchStrategy[Any]], Any]
"""The ``draw`` function of a composite strategy."""
MISREAD = ["1_000", "٣", "１", " 1", "1 ", "1\n"]
"""Texts that Python reads as numbers, but that are not numbers in any file format."""
PLAIN = "1/0 0 -0 1 -1 2 1/2 0/0 -1/3 1/-2 nan NaN inf -inf Infinity 1e999999999 1e-999999999 1e400 1e5000"
ODD = "0x10 +1 .5 5. 1e 1,5 ½ true false - 1/2/3 0.1 1e10 00 01"
ODD_NUMBERS = [*MISREAD, *PLAIN.split(), *ODD.split(), "", "9" * 5000]
NUMBERS = st.sampled_from(ODD_NUMBERS) | st.sampled_from(MISREAD) | st.integers().map(str)
"""Texts that replace numbers."""
TEXTS = st.sampled_from(["x", "a", "0", "\x1b[31m", "é", "x" * 300, "a\nb", "[/x]", "[bold]", ""]) | st.text()
NAMES = "x a b z ab é [/x] states alphabet format claims way network size"
KEYS = st.sampled_from(NAMES.split()) | st.text()
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 8)
    | st.sampled_from([10**9, 2**31, 2**63, 2**64, -(2**63), 10**30, 1.5, -0.0])
    | st.floats()
    | TEXTS
)
VALUES = SCALARS | st.recursive(
    SCALARS, lambda v: st.lists(v, max_size=3) | st.dictionaries(KEYS, v, max_size=2)
)
NO_JSON = ["1e400", "-1e400", "NaN", "-Infinity", "1" * 5000, "[" * 3000 + "]" * 3000, "nul", "'a'", ""]
JSON = st.sampled_from([*NO_JSON, '"\\ud800"', "[]", "{}"]) | VALUES.map(json.dumps)
"""Texts that replace JSON values."""
SYMBOLS = "( ) | * + ? {2,3} {3,2} {0} { {300} {2,} {1000000000} $ % & ! \\ \\$ [x] [/x] [x // BOS a zzz"
MARKS = [
    "<eps>",
    "<epsilon>",
    "\x1b[2J",
    "\u202e",
    "e\u0301",
    "\x00",
    "\ufeff",
    "( )",
    "[ ]",
    "a" + "*" * 500,
]
TOKENS = NUMBERS | st.sampled_from([*SYMBOLS.split(), *MARKS, "{" + "9" * 5000 + "}"])
"""Words that replace other words."""
BYTES = [b"\xc3\x28", b"\xef\xbb\xbf", b"\r\n", b"\xe2\x80\xa8", b"\xc2\x85", b"\x1b[2J", b"//"]
SNIPPETS = (
    st.sampled_from([*BYTES, b"\xed\xa0\x80", b"\x80\x04", b"PK\x03\x04", b"0" * 50])
    | st.sampled_from(b'\0\t\n\x0c\r\x1c "#-./9[\\]e{}\xff').map(lambda byte: bytes([byte]))
    | st.binary(max_size=4)
)


@st.composite
def mutants(draw: Draw, name: str, data: bytes) -> bytes:
    """Draw a mutant of a file, mostly with one edit.

    Five of six edits respect the format of the file. The others change arbitrary bytes.
    """
    way = next((change for suffix, change in FORMATS.items() if name.endswith(suffix)), edited_lines)
    for _ in range(draw(st.sampled_from((1, 1, 1, 1, 1, 2, 3)))):
        try:
            data = (edited_bytes if draw(st.integers(0, 5)) == 5 else way)(draw, data)
        except Exception:  # an earlier edit may prevent this one
            data = edited_bytes(draw, data)
    return data


def edited_bytes(draw: Draw, data: bytes) -> bytes:
    """Return the file with bytes flipped, replaced, inserted, deleted, doubled or exchanged, truncated or
    extended.
    """
    at, end = sorted((draw(st.integers(0, len(data))), draw(st.integers(0, len(data)))))
    length = draw(st.sampled_from((1, 1, 2, 4, 8, 64, 1024)))
    way = draw(
        st.sampled_from(("flip", "insert", "replace", "delete", "double", "exchange", "cut", "append"))
    )
    if way == "flip" and at < len(data):
        return data[:at] + bytes([data[at] ^ 1 << draw(st.integers(0, 7))]) + data[at + 1 :]
    if way == "exchange":
        return data[end:] + data[at:end] + data[:at]
    if way == "append":
        return data + draw(SNIPPETS | st.just(data))
    middle = {"insert": data[at:], "replace": data[at + 1 :]}
    if way in middle:
        return data[:at] + draw(SNIPPETS) + middle[way]
    return {"delete": data[:at] + data[at + length :], "double": data[: at + length] + data[at:]}.get(
        way, data[:at]
    )


def edited_lines(draw: Draw, data: bytes) -> bytes:
    """Return the file with lines, columns or words edited, or with other line ends or gaps."""
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    at, end = draw(st.integers(0, len(lines) - 1)), "\n"
    gap = draw(st.sampled_from([gap for gap in ("\t", " ") if gap in lines[at]] or [" "]))
    way = draw(st.sampled_from(("columns", "columns", "columns", "lines", "lines", "gap", "end", "long")))
    if way == "columns":
        lines[at] = gap.join(edited_list(draw, lines[at].split(gap), TOKENS))
    elif way == "lines":
        blank = st.sampled_from(("", " ", "\t", "\r", "\x0b", "\u3000"))
        lines = edited_list(draw, lines, TOKENS | blank, at)
    elif way == "gap":
        lines[at] = lines[at].replace(
            gap, draw(st.sampled_from((" ", "\t", "  ", "\t\t", ",", "\u00a0", "")))
        )
    elif way == "long":
        lines[at] *= draw(st.sampled_from((2, 50, 1000)))
    else:
        end = draw(st.sampled_from(("\r\n", "\r", "\u2028", "\x0c", "\n\n")))
    return end.join(lines).encode("utf-8", "surrogateescape")


def edited_list(
    draw: Draw, items: list[str], new: st.SearchStrategy[str], at: int | None = None
) -> list[str]:
    """Return the list with one item replaced, inserted, deleted, doubled, moved or exchanged."""
    items, indices = list(items), st.integers(0, len(items) - 1)
    at, other = draw(indices) if at is None else at, draw(indices)
    way = draw(st.sampled_from(("replace", "replace", "insert", "delete", "double", "move", "exchange")))
    if way in ("replace", "insert"):
        items[at : at + (way == "replace")] = [draw(new)]
    elif way == "exchange":
        items[at], items[other] = items[other], items[at]
    else:
        item = items[at] if way == "double" else items.pop(at)
        if way != "delete":
            items.insert(other, item)
    return items


def edited_json(draw: Draw, data: bytes) -> bytes:
    return edited_json_text(draw, data.decode()).encode("utf-8", "surrogatepass")


def edited_json_text(draw: Draw, text: str) -> str:
    """Replace, remove, double, exchange or wrap a value or a field, or rename a key.

    Everything else remains unchanged. All depths are equally likely, so that long lists do not get all edits.
    """
    spans = json_spans(text)
    depth = draw(st.sampled_from(sorted({depth for _, _, depth in spans})))
    of_depth = [(start, end) for start, end, own in spans if own == depth]
    numbers = [(start, end) for start, end, _ in spans if re.fullmatch(r'"-?\d+([./]\d+)?"', text[start:end])]
    if numbers and draw(st.integers(0, 9)) < 3:
        start, end = draw(st.sampled_from(numbers))
        return text[:start] + json.dumps(draw(NUMBERS)) + text[end:]
    start, end = draw(st.sampled_from(of_depth))
    own = text[start:end]
    if re.match(r"\s*:", text[end:]):  # a key
        if draw(st.booleans()):
            return text[:start] + json.dumps(draw(KEYS)) + text[end:]
        value = re.match(r"\s*:\s*", text[end:])
        assert value is not None
        end = next(stop for begin, stop, _ in spans if begin == end + value.end())
        own = text[start:end]
        fields = [json.dumps(draw(KEYS)) + ": " + draw(JSON), own]
        return (
            _without(text, start, end)
            if draw(st.booleans())
            else f"{text[:start]}{', '.join(fields)}{text[end:]}"
        )
    other, stop = draw(st.sampled_from(of_depth))
    way = draw(
        st.sampled_from(("value", "value", "value", "near", "borrow", "remove", "double", "wrap", "exchange"))
    )
    if way == "remove":
        return _without(text, start, end)
    if way == "exchange" and (end <= other or stop <= start):
        (a, b), (c, d) = sorted(((start, end), (other, stop)))
        return text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]
    if way in ("value", "near") and re.fullmatch(r'"-?0x1\.[0-9a-f]+p[+-]\d+"', own) and draw(st.booleans()):
        factor = draw(st.sampled_from((-1, 0.5, 1.01, 1 + 2**-52)))
        new = json.dumps((float.fromhex(own[1:-1]) * factor).hex())
    elif way == "near" and re.fullmatch(r"-?\d+", own):
        number = int(own)
        near = [number + 1, number - 1, -number, 2 * number, number + 0.5, float(number), str(number)]
        new = json.dumps(draw(st.sampled_from(near)))
    else:
        wrapped = draw(st.sampled_from((f"[{own}]", f'{{"x": {own}}}', "[]", "{}")))
        new = {"borrow": text[other:stop], "double": f"{own}, {own}", "wrap": wrapped}.get(way) or draw(JSON)
    return text[:start] + new + text[end:]


def json_spans(text: str) -> list[tuple[int, int, int]]:
    """Return the start, end and depth of each value and key of a JSON text."""
    spans, depth, opened = [], 0, []
    for match in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[\]{}]|[^\s,:\[\]{}"]+', text):
        if match[0] in ("[", "{"):
            opened.append(match.start())
            depth += 1
        elif match[0] in ("]", "}"):
            depth -= 1
            spans.append((opened.pop(), match.end(), depth))
        else:
            spans.append((match.start(), match.end(), depth))
    return spans


def _without(text: str, start: int, end: int) -> str:
    """Return a JSON text without the part from ``start`` to ``end`` and an adjacent comma."""
    before, after = text[:start], text[end:]
    behind = re.sub(r"^\s*,\s*", "", after)
    return before + behind if behind != after else re.sub(r",\s*$", "", before) + after


def edited_gzip(draw: Draw, data: bytes) -> bytes:
    """Return the gzip file with its decompressed text edited, or the truncated or extended file."""
    if draw(st.booleans()):
        return gzip.compress(edited_lines(draw, gzip.decompress(data)), mtime=0)
    return draw(
        st.integers(0, len(data) - 1).map(lambda at: data[:at]) | st.sampled_from((2 * data, data + b"more"))
    )


def edited_npz(draw: Draw, data: bytes) -> bytes:
    """Return the npz file with a member removed, renamed, edited or replaced by another array."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    name = draw(st.sampled_from(sorted(members)))
    way = draw(st.sampled_from(("remove", "bytes", "array", "array", "array", "text")))
    member = members.pop(name)
    if way == "remove" and draw(st.booleans()):
        names = ["x.npy", "vectors.npy", "words.npy", "unk_mean.npy", "vectors", "emb.npy", "../x.npy"]
        members[draw(st.sampled_from(names))] = member
    elif way == "bytes":
        members[name] = edited_bytes(draw, member)
    elif way == "text":
        members[name] = b"no array"
    elif way == "array":
        members[name] = array_file(draw(other_arrays(np.load(io.BytesIO(member), allow_pickle=False))))
    return archived(members)


def other_arrays(array: Any) -> st.SearchStrategy[Any]:
    """Return a strategy of arrays of other dtypes, shapes and values."""
    numbers = array if array.dtype.kind == "f" else np.arange(array.size, dtype="f4").reshape(array.shape)
    with np.errstate(all="ignore"):
        types = [numbers.astype(dtype) for dtype in ("f8", "f2", "i8", "c8", "?", "U", "S", ">f4")]
    shapes = [array.T, array[:-1], array[:1], array[:0], array[None], array.ravel()[0], array.ravel()]
    others = [
        numbers.astype("f8") * 1e300,
        numbers * np.nan,
        np.concatenate([array, array]),
        array.reshape(len(array), -1)[:, :0],
        np.full(array.shape, "a"),
        np.array([{"a": 1}, None], dtype=object),
        np.zeros(array.shape, "M8[D]"),
        np.zeros(array.shape, [("a", "f4"), ("b", "U3")]),
    ]
    return st.sampled_from([*types, *shapes, *others])


def array_file(array: Any) -> bytes:
    """Return the bytes of an npy file."""
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def archived(members: dict[str, bytes]) -> bytes:
    """Return the bytes of an npz file with these members and a fixed time stamp."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return stream.getvalue()


METADATA = "__metadata__"
SIZES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "U8": 1, "BOOL": 1, "C64": 8, "F4": 1}
ODD_FLOATS = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 1e30, -1e30, 3e38, 1e-39, 0.5, 1e-300]


def edited_checkpoint(draw: Draw, data: bytes) -> bytes:
    """Edit a safetensors file: the header, its length, or a tensor.

    In half of the cases, the description of the network in the header is edited.
    """
    text, values = checkpoint_parts(data)
    header = json.loads(text)
    way = draw(st.sampled_from(("about",) * 4 + ("header", "length", "tail") + ("tensor",) * 5))
    if way == "about":
        header[METADATA]["about"] = edited_json_text(draw, header[METADATA]["about"])
    elif way == "header":
        return with_header(edited_json_text(draw, text), values)
    elif way == "length":
        own = [len(text) + more for more in (-1, 1, 8)]
        length = draw(st.sampled_from([0, 1, 7, len(data), 2**31, 2**40, 2**63, 2**64 - 1, *own]))
        return struct.pack("<Q", length) + data[8:]
    elif way == "tail":
        values = draw(st.sampled_from((values[:-8], values[:-1], values + b"\0", values + bytes(8))))
    else:
        return edited_tensor(draw, header, values)
    return with_header(json.dumps(header), values)


def edited_tensor(draw: Draw, header: dict[str, Any], values: bytes) -> bytes:
    """Return the header and tensor data with one tensor dropped, copied, renamed or changed."""
    tensors = unpacked(header, values)
    name = draw(st.sampled_from(sorted(tensors)))
    way = draw(st.sampled_from(("fill", "fill", "type", "shape", "drop", "add", "rename")))
    kind, shape, numbers = tensors[name]
    others = ["x", "", f"{name}.x", name.replace(".", "", 1), "optimiser.x.y", "optimiser.0", f"{name[:-1]}0"]
    if way in ("drop", "rename"):
        del tensors[name]
    if way in ("add", "rename"):
        tensors[draw(st.sampled_from(others))] = kind, shape, numbers
    if way == "type":
        kind = draw(st.sampled_from(sorted(SIZES)))
        tensors[name] = kind, shape, bytes(SIZES[kind] * int(np.prod(shape, dtype=int)))
    elif way == "shape":
        shapes = [[], [0], [1], [*shape, 1], [1, *shape], shape[::-1], shape[:-1], [n + 1 for n in shape]]
        shape = draw(st.sampled_from(shapes))
        size = SIZES[kind] * int(np.prod(shape, dtype=int))
        tensors[name] = kind, shape, (numbers * (1 + size // max(1, len(numbers))))[:size]
    elif way == "fill" and kind not in ("F32", "F64"):
        tensors[name] = kind, shape, bytes([draw(st.sampled_from((0, 1, 127, 255)))]) * len(numbers)
    elif way == "fill":
        array = np.frombuffer(numbers, np.float32 if kind == "F32" else np.float64).copy()
        at = draw(st.just(slice(None)) | st.integers(0, len(array) - 1))
        with np.errstate(over="ignore"):
            array[at] = draw(st.sampled_from(ODD_FLOATS) | st.floats())
        tensors[name] = kind, shape, array.tobytes()
    return packed(header.get(METADATA), tensors)


def checkpoint_parts(data: bytes) -> tuple[str, bytes]:
    """Return the header and the tensor data of a safetensors file."""
    length = struct.unpack("<Q", data[:8])[0]
    return data[8 : 8 + length].decode(), data[8 + length :]


def with_header(text: str, values: bytes) -> bytes:
    """Return the bytes of the safetensors file with this header and these tensor data."""
    header = text.encode("utf-8", "surrogatepass")
    return struct.pack("<Q", len(header)) + header + values


def unpacked(header: dict[str, Any], values: bytes) -> dict[str, tuple[str, list[int], bytes]]:
    """Return the dtype, shape and values of each tensor."""
    return {
        name: (entry["dtype"], entry["shape"], values[slice(*entry["data_offsets"])])
        for name, entry in header.items()
        if name != METADATA
    }


def packed(metadata: Any, tensors: dict[str, tuple[str, list[int], bytes]]) -> bytes:
    """Return the bytes of a safetensors file with these tensors."""
    header, at = {METADATA: metadata} if metadata is not None else {}, 0
    for name, (kind, shape, numbers) in tensors.items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + len(numbers)]}
        at += len(numbers)
    return with_header(json.dumps(header), b"".join(numbers for _, _, numbers in tensors.values()))


def sorted_checkpoint(data: bytes) -> bytes:
    """Return the same file with its tensors and metadata sorted by name, because the order of safetensors
    varies.
    """
    text, values = checkpoint_parts(data)
    header = json.loads(text)
    metadata = dict(sorted(header[METADATA].items())) if METADATA in header else None
    return packed(metadata, dict(sorted(unpacked(header, values).items())))


FORMATS: dict[str, Callable[[Draw, bytes], bytes]] = {
    ".json": edited_json,
    ".safetensors": edited_checkpoint,
    ".npz": edited_npz,
    ".gz": edited_gzip,
}
"""The edits that respect a format, keyed by file name suffix; all other files are edited by lines."""
