"""Tests that checkpoints are restored bit by bit, and that malformed files give one-line error messages.

No code from a file is run, and no large memory is allocated.
"""

import json
import pickle
import struct
import tracemalloc
import zipfile

import pytest
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st

import automata.io.files
from automata.errors import FormatError, InputError
from neural import checkpoints
from neural.state_regularized.acceptor import OF_CENTROIDS, Acceptor
from neural.state_regularized.files import FIELDS, KIND, load, save
from neural.state_regularized.layers import ALONE, KINDS
from proofs_tests.neural.some_sr_networks import randomly

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


def build(**options):
    return randomly(Acceptor(**{"alphabet": ("a", "b"), "hidden_size": 3, "k": 4, **options}), seed=1)


def refused(path, says=None):
    """Return the one-line error message for a file, which must contain the file's name."""
    with pytest.raises(FormatError, match=says) as error:
        load(path)
    message = str(error.value)
    assert message.startswith(f"{path}: ") and "\n" not in message and len(message) < len(str(path)) + 400
    assert error.value.__suppress_context__ or error.value.__context__ is None
    return message


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("checkpoints")


@pytest.fixture(scope="module")
def kept(folder):
    """Return the bytes of a checkpoint with its header sorted, because safetensors varies the order."""
    save(build(), folder / "kept", {"seed": 3})
    return joined(*parts((folder / "kept").read_bytes()))


def parts(data):
    """Return the header and the tensor data of a safetensors file."""
    size = struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8 : 8 + size]), data[8 + size :]


def joined(header, numbers):
    text = header if isinstance(header, bytes) else json.dumps(header, sort_keys=True).encode()
    return struct.pack("<Q", len(text)) + text + numbers


def changed(data, tensors=None, **fields):
    """Return the file with changed tensors and changed fields of the network's description; None removes a
    field.
    """
    header, _ = parts(data)
    about = json.loads(header["__metadata__"]["about"])
    about["network"] = {
        name: value for name, value in {**about["network"], **fields}.items() if value is not None
    }
    metadata = {**header["__metadata__"], "about": json.dumps(about)}
    return safetensors.torch.save({**safetensors.torch.load(data), **(tensors or {})}, metadata)


def same_bits(one, other):
    assert list(one) == list(other)
    for name, tensor in one.items():
        assert tensor.dtype == other[name].dtype and tensor.shape == other[name].shape
        assert tensor.numpy().tobytes() == other[name].numpy().tobytes()


# Round trips.


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {
            "num_layers": 3,
            "start_token": False,
            "similarity": "euclidean",
            "transition": "limit",
            "temperature": 0.1,
            "noise": 0.25,
        },
        {
            "alphabet": ("(", ")", "ü", "\U0001f600", "two words"),
            "embedding_size": 2,
            "transition": "sampled",
            "temperature": 1e-30,
        },
    ],
)
def test_a_network_is_restored_bit_by_bit(tmp_path, kind, dtype, options):
    network = build(kind=kind, dtype=dtype, **options).train()
    save(network, tmp_path / "kept.safetensors", {"trained": {"steps": 7, "on": ["a", None]}})
    loaded, about = load(tmp_path / "kept.safetensors")
    assert loaded.options == network.options and not loaded.training and network.training
    same_bits(network.state_dict(), loaded.state_dict())
    assert about["trained"] == {"steps": 7, "on": ["a", None]}
    assert all(p.requires_grad for p in loaded.parameters())
    if loaded.layers.components[0].transition != "sampled":
        strings = ["", network.alphabet, network.alphabet[:1] * 4]
        assert torch.equal(loaded(strings), network.eval()(strings))


@pytest.mark.parametrize("kind", ALONE)
def test_a_network_without_centroids_is_restored_bit_by_bit(tmp_path, kind):
    network = randomly(Acceptor("ab", kind, 3, num_layers=2, start_token=kind != "lstm"), seed=4)
    save(network, tmp_path / "kept.safetensors")
    loaded, about = load(tmp_path / "kept.safetensors")
    assert loaded.options == network.options and not set(OF_CENTROIDS) & set(about["network"])
    same_bits(network.state_dict(), loaded.state_dict())
    assert torch.equal(loaded(["", "ab"]), network(["", "ab"]))


@given(st.dictionaries(st.text(max_size=5).filter(lambda name: name != "network"), json_values, max_size=4))
def test_the_message_is_restored(tmp_path_factory, about):
    """The message makes the header any length. The file starts with that length, which must not be mistaken
    for a pickle.
    """
    path = tmp_path_factory.getbasetemp() / "said"
    save(build(), path, about)
    assert {name: value for name, value in load(path)[1].items() if name != "network"} == about


@pytest.mark.parametrize("length", range(256))
def test_a_header_of_any_length_is_read(tmp_path, length):
    checkpoints.write(tmp_path / "kept", "k", {"x": "y" * length}, {"t": torch.zeros(1)})
    assert checkpoints.read(tmp_path / "kept", "k")[0] == {"x": "y" * length}


def test_tensors_that_are_views_are_saved_with_their_values(tmp_path):
    tensor = torch.arange(6.0).reshape(2, 3).T
    checkpoints.write(tmp_path / "kept", "k", {}, {"t": tensor})
    assert torch.equal(checkpoints.read(tmp_path / "kept", "k")[1]["t"], tensor)


# Refused writes.


def test_a_write_that_fails_preserves_the_old_file(tmp_path, monkeypatch, kept):
    path = tmp_path / "kept"
    path.write_bytes(kept)

    def fails(*_):
        raise OSError(28, "No space left on device")

    for name in ("replace", "fdopen"):
        with monkeypatch.context() as broken:
            broken.setattr(automata.io.files.os, name, fails)
            with pytest.raises(InputError, match="cannot be written: No space left on device"):
                save(build(k=5), path)
        assert path.read_bytes() == kept and [file.name for file in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize(
    ("build_network", "about", "says"),
    [
        (lambda: build(alphabet=(0, 1)), None, r"alphabet must be a list of non-empty strings, got \[0, 1\]"),
        (lambda: build(alphabet=("", "a")), None, "alphabet must .*got"),
        (lambda: build(dtype=torch.bfloat16), None, "dtype must be float32 or float64, got 'bfloat16'"),
        (lambda: with_nan(build()), None, "all entries of the tensor classifier.weight must be finite"),
        (build, {"network": {}}, 'must not contain "network"'),
        (build, {"when": object()}, "must be JSON-serialisable"),
    ],
)
def test_a_network_that_could_not_be_read_is_not_written(tmp_path, build_network, about, says):
    with pytest.raises(InputError, match=says) as error:
        save(build_network(), tmp_path / "kept", about)
    assert "\n" not in str(error.value) and str(tmp_path / "kept") in str(error.value)
    assert not list(tmp_path.iterdir())


def with_nan(network):
    with torch.no_grad():
        network.classifier.weight[0, 0] = torch.nan
    return network


# Refused files.


@given(st.data())
def test_a_truncated_checkpoint_is_refused(folder, kept, data):
    path = folder / "cut"
    path.write_bytes(kept[: data.draw(st.integers(0, len(kept) - 1))])
    refused(path)


@given(st.data())
def test_a_damaged_file_is_refused_or_contains_a_network(folder, kept, data):
    """Random bytes change, mostly in the header; the file is refused or read, without a crash."""
    damaged = bytearray(kept)
    size = 8 + struct.unpack("<Q", kept[:8])[0]
    for position in data.draw(
        st.lists(st.integers(0, size - 1) | st.integers(0, len(kept) - 1), min_size=1, max_size=4)
    ):
        damaged[position] = data.draw(st.integers(0, 255))
    path = folder / "damaged"
    path.write_bytes(damaged)
    try:
        network, _ = load(path)
    except FormatError:
        network = None
    if network is None:
        refused(path)
    else:
        assert all(bool(p.isfinite().all()) for p in network.parameters())


@given(
    st.binary(max_size=200)
    | st.text().map(str.encode)
    | json_values.map(lambda value: joined(json.dumps(value).encode(), b""))
)
def test_any_other_bytes_are_refused(folder, data):
    path = folder / "other"
    path.write_bytes(data)
    refused(path)


@given(st.sampled_from(FIELDS), json_values)
def test_a_changed_field_is_refused_or_gives_that_network(folder, kept, field, value):
    path = folder / "field"
    path.write_bytes(changed(kept, **{field: value}))
    try:
        network, about = load(path)
    except FormatError:
        network = None
    if network is None:
        refused(path)
    else:
        assert network.options[field] == about["network"][field] == value


def test_a_file_that_is_not_a_checkpoint_is_refused(tmp_path, kept):
    path = tmp_path / "bad"
    refused(path, "cannot be read: No such file")
    refused(tmp_path, "cannot be read: Is a directory")
    refused("a\0b", "cannot be read: embedded null byte")
    path.write_bytes(b"")
    refused(path, "must be a complete checkpoint")
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        path.write_bytes(pickle.dumps({"a": 1}, protocol))
        refused(path, "got a pickle, which could run code")
    torch.save(build(), path)
    refused(path, "got a pickle, which could run code")
    torch.save(build().state_dict(), path, _use_new_zipfile_serialization=False)
    refused(path, "got a pickle")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("kept", kept)
    refused(path, "got a pickle")
    path.write_text('{"alphabet": ["a", "b"]}\n' * 50)
    refused(path, "must be a complete checkpoint")
    path.write_bytes(kept + b"\0")
    refused(path, "must be a complete checkpoint")
    path.write_bytes(struct.pack("<Q", 2**63) + kept[8:])
    refused(path, "must be a complete checkpoint")


def test_a_file_of_another_kind_is_refused(tmp_path, kept):
    path = tmp_path / "bad"
    checkpoints.write(path, "stack of pancakes", {"network": {}}, {})
    refused(path, "must be 'state-regularized acceptor', got 'stack of pancakes'")
    safetensors.torch.save_file({"weight": torch.zeros(2)}, path)
    refused(path, "got \"another program's file")
    header, numbers = parts(kept)
    for ratproof in ("checkpoint 2", "a\nb" * 1000, ""):
        other = {**header, "__metadata__": {**header["__metadata__"], "ratproof": ratproof}}
        path.write_bytes(joined(other, numbers))
        refused(path, "must be 'state-regularized acceptor'")


@pytest.mark.parametrize(
    ("about", "says"),
    [
        (None, "the header must describe the tensors"),
        ("", "the header must describe the tensors"),
        ("{", "the header must describe the tensors"),
        ("[" * 100_000, "the header must describe the tensors"),
        ("9" * 10_000, "the header must describe the tensors"),
        ("[1]", r"must be a JSON object, got \[1\]"),
        ("null", "must be a JSON object, got None"),
        ("{}", "the header must describe a network"),
        ('{"network": 3}', "the header must describe a network"),
        ('{"network": [["k", 3]]}', "got a missing field 'alphabet'"),
    ],
)
def test_a_header_that_does_not_describe_a_network_is_refused(tmp_path, kept, about, says):
    header, numbers = parts(kept)
    metadata = {
        name: value for name, value in {**header["__metadata__"], "about": about}.items() if value is not None
    }
    (tmp_path / "bad").write_bytes(joined({**header, "__metadata__": metadata}, numbers))
    refused(tmp_path / "bad", says)


HUGE = 10**12


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"k": 5}, r"the tensor layers.cells.0.component.centroids must be .*3, 5.* got .*3, 4"),
        ({"k": HUGE}, "k must be at most .*got 1000000000000"),
        ({"k": "4"}, "k must .*got '4'"),
        ({"k": True}, "k must .*got True"),
        ({"hidden_size": 2}, "the tensor layers.cells.0.part.input.weight must be"),
        ({"hidden_size": HUGE}, "hidden_size must .*got 1000000000000"),
        ({"hidden_size": 10**1000}, "hidden_size must .*got 1000"),
        ({"embedding_size": HUGE}, "embedding_size must .*got"),
        ({"embedding_size": 3}, "the tensor embedding.weight must be"),
        ({"num_layers": 2}, "the tensor layers.cells.1.part.input.weight must be .*got absent"),
        ({"num_layers": 100}, "num_layers must be at most .*got 100"),
        ({"num_layers": HUGE}, "num_layers must .*got"),
        ({"alphabet": ["a", "a"]}, "the alphabet must have .*no duplicates"),
        ({"alphabet": "ab"}, "alphabet must .*got 'ab'"),
        ({"alphabet": ["a", 1]}, "alphabet must .*got"),
        ({"alphabet": ["a", ""]}, "alphabet must .*got"),
        ({"alphabet": ["a", ["b"]]}, "alphabet must .*got"),
        ({"alphabet": ["a", "b", "c"]}, "the tensor embedding.weight must be"),
        ({"alphabet": ["a\n" * 1000] * 2}, "the alphabet must .*got"),
        ({"temperature": float("nan")}, "temperature must .*got nan"),
        ({"temperature": float("inf")}, "temperature must .*got inf"),
        ({"temperature": 10**400}, "temperature must .*got 1000"),
        ({"temperature": "1"}, "temperature must .*got '1'"),
        ({"noise": float("nan")}, "noise must .*got nan"),
        ({"kind": "elman"}, "kind must .*got 'elman'"),
        (
            {"kind": "gru"},
            "a network of kind gru must have the fields alphabet, kind, hidden_size.*additional field 'k'",
        ),
        ({"kind": ["sr-gru"]}, "kind must .*got"),
        ({"kind": "sr-lstm"}, "the tensor layers.cells.0.part"),
        ({"transition": "x" * 10**6}, "transition must .*got 'xxx"),
        ({"dtype": "float64"}, "the tensor embedding.weight must be .*float64.* got .*float32"),
        ({"dtype": "float16"}, "dtype must .*got 'float16'"),
        ({"dtype": ["float32"]}, "dtype must .*got"),
        ({"device": "cpu"}, "the additional field 'device'"),
        ({"x\ny": 1}, "the additional field "),
        *(({name: None}, f"a missing field '{name}'") for name in FIELDS),
    ],
    ids=lambda value: str(value)[:40],
)
def test_incompatible_options_are_refused(tmp_path, kept, fields, says):
    (tmp_path / "bad").write_bytes(changed(kept, **fields))
    refused(tmp_path / "bad", says)


def test_a_field_that_is_null_is_refused(tmp_path, kept):
    header, numbers = parts(kept)
    about = json.loads(header["__metadata__"]["about"])
    about["network"]["embedding_size"] = None
    header["__metadata__"]["about"] = json.dumps(about)
    (tmp_path / "bad").write_bytes(joined(header, numbers))
    refused(tmp_path / "bad", "embedding_size must .*got None")


@pytest.mark.parametrize(
    ("tensors", "says"),
    [
        ({"extra": torch.zeros(2)}, "the tensor extra must be absent, got"),
        ({"ex\ntra" * 1000: torch.zeros(2)}, "the tensor ex tra"),
        (
            {"classifier.weight": torch.full((1, 3), torch.nan)},
            "all entries of the tensor classifier.weight must be finite",
        ),
        (
            {"embedding.weight": torch.full((4, 4), -torch.inf)},
            "all entries of the tensor embedding.weight must be finite",
        ),
        (
            {"classifier.weight": torch.zeros(1, 3, dtype=torch.float64)},
            "the tensor classifier.weight must be .*float32.*float64",
        ),
        (
            {"classifier.weight": torch.zeros(1, 3, dtype=torch.int32)},
            "the tensor classifier.weight must be .*got .*int32",
        ),
        (
            {"classifier.weight": torch.zeros(3, 1)},
            r"the tensor classifier.weight must be .*\(1, 3\).*\(3, 1\)",
        ),
    ],
)
def test_incompatible_tensors_are_refused(tmp_path, kept, tensors, says):
    (tmp_path / "bad").write_bytes(changed(kept, tensors))
    refused(tmp_path / "bad", says)


def test_a_missing_tensor_is_reported(tmp_path, kept):
    tensors = safetensors.torch.load(kept)
    for name in tensors:
        rest = {other: tensor for other, tensor in tensors.items() if other != name}
        (tmp_path / "bad").write_bytes(safetensors.torch.save(rest, parts(kept)[0]["__metadata__"]))
        refused(tmp_path / "bad", f"the tensor {name} must be .*got absent")


@pytest.mark.parametrize(
    "fields",
    [
        {"hidden_size": 10_000, "k": 10_000},
        {"num_layers": 10_000},
        {"embedding_size": 10_000, "hidden_size": 10_000},
    ],
)
def test_a_small_file_causes_no_large_allocation(tmp_path, kept, fields, monkeypatch):
    """A file of 40 kB describes a network of a hundred million weights or ten thousand layers, without the
    tensors.
    """
    (tmp_path / "bad").write_bytes(changed(kept, {"extra": torch.zeros(10_000)}, **fields))
    devices = []
    monkeypatch.setattr(torch.nn.Linear, "__init__", counted(torch.nn.Linear.__init__, devices))
    tracemalloc.start()
    refused(tmp_path / "bad")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * 2**20  # Python's own memory; tensors on the meta device use none
    assert len(devices) < 20 and all(device.type == "meta" for device in devices)


def counted(init, devices):
    def counting(self, *args, **options):
        init(self, *args, **options)
        devices.append(self.weight.device)

    return counting


def test_a_tensor_that_claims_to_be_large_is_refused(tmp_path, kept):
    header, numbers = parts(kept)
    name = "classifier.weight"
    for shape, ends in (
        ([1, 2**40], None),
        ([2**40, 2**40], None),
        ([1, 2**40], [0, 2**42]),
        ([0, 2**40], [0, 0]),
    ):
        other = {
            **header,
            name: {**header[name], "shape": shape, "data_offsets": ends or header[name]["data_offsets"]},
        }
        (tmp_path / "bad").write_bytes(joined(other, numbers))
        refused(tmp_path / "bad")


def test_loading_never_unpickles(tmp_path, monkeypatch, kept):
    (tmp_path / "kept").write_bytes(kept)
    torch.save(build(), tmp_path / "pickle")

    def forbidden(*_, **__):
        raise AssertionError("a pickle was read")

    for module, name in (
        (pickle, "load"),
        (pickle, "loads"),
        (pickle, "Unpickler"),
        (torch, "load"),
        (torch.serialization, "load"),
    ):
        monkeypatch.setattr(module, name, forbidden)
    load(tmp_path / "kept")
    refused(tmp_path / "pickle", "got a pickle")


def test_a_checkpoint_is_read_only_as_its_kind(tmp_path, kept):
    (tmp_path / "kept").write_bytes(kept)
    with pytest.raises(FormatError, match=f"must be 'other', got '{KIND}'"):
        checkpoints.read(tmp_path / "kept", "other")
