"""Tests that the networks of state dicts compute torch's outputs.

Ambiguous state dicts and malformed files are refused.
"""

import pickle
import re
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import nn

from automata.errors import InputError
from proofs_tests.papers.certification.ordinary import CELLS, outputs_of, random_layers
from ratproof.certification.ordinary_networks.state_dicts import network_of_tensors
from ratproof.certification.ordinary_networks.weight_files import embeddings_of_file, tensors_of_file

NAMES = {"rnn_tanh": "rnn", "rnn_relu": "rnn_relu", "gru": "gru", "lstm": "lstm"}
fuzz = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


def state_dict(cell="gru", inputs=2, units=4, classes=1, before="", rnn="encoder.", head="head.", **options):
    layer, linear = random_layers(cell, inputs, units, classes, **options)
    tensors = {f"{before}{rnn}{name}": tensor for name, tensor in layer.state_dict().items()}
    return tensors | {f"{before}{head}{name}": tensor for name, tensor in linear.state_dict().items()}


def network(tensors, **options):
    return network_of_tensors(tensors, **({"path": "m.pt", "cell": "gru", "alphabet": "ab"} | options))


@settings(max_examples=60)
@given(
    st.sampled_from(CELLS),
    st.integers(1, 2),
    st.booleans(),
    st.sampled_from(["", "module.", "_orig_mod.", "model.", "net.module."]),
    st.sampled_from(["", "encoder.", "rnn."]),
    st.sampled_from(["head.", "out.linear."]),
    st.integers(1, 3),
    st.sampled_from([None, "embedding.", "words."]),
    st.sampled_from([3, 5]),
)
def test_the_network_of_a_state_dict_computes_torch_s_outputs(
    cell, depth, bias, before, rnn, head, classes, table, inputs
):
    """Also if the vectors are as long as the state."""
    layer, linear = random_layers(cell, inputs, 5, classes, num_layers=depth, bias=bias)
    tensors = state_dict(cell, inputs, 5, classes, before, rnn, head, num_layers=depth, bias=bias)
    vectors = torch.randn(4, inputs, generator=torch.Generator().manual_seed(0))
    options = {"cell": NAMES[cell], "alphabet": "abcd"}
    if table is None:
        options["embeddings"] = vectors
    else:
        tensors[f"{before}{table}weight"] = vectors
    codes = np.random.default_rng(0).integers(4, size=(12, 3))
    with torch.no_grad():
        expected = linear(layer(vectors[codes])[0][-1]).numpy()
    for chosen in ({}, {"prefix": rnn, "readout": head}, {"prefix": before + rnn.removesuffix(".")}):
        if (chosen.get("prefix") == "" and before) or chosen.get("prefix") == before:
            chosen = {"prefix": before.removesuffix(".")}
        result = network(tensors, **(options | chosen))
        np.testing.assert_allclose(outputs_of(result, codes), expected, rtol=0, atol=1e-5)
    if not cell.startswith("rnn"):
        assert network(tensors, **(options | {"cell": "auto"})).cell == cell


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("cell", ["rnn", "gru", "lstm"])
def test_a_cell_is_one_layer(cell, bias):
    kind = {"rnn": nn.RNNCell, "gru": nn.GRUCell, "lstm": nn.LSTMCell}[cell]
    one, linear = kind(2, 4, bias=bias), nn.Linear(4, 1)
    module = nn.ModuleDict({"cell": one, "head": linear})
    result = network(module.state_dict(), cell=cell)
    codes = np.random.default_rng(0).integers(2, size=(9, 3))
    state = None
    with torch.no_grad():
        for symbols in codes:
            state = one(torch.eye(2)[symbols], state)
        expected = linear(state[0] if cell == "lstm" else state).numpy()
    np.testing.assert_allclose(outputs_of(result, codes), expected, rtol=0, atol=1e-5)


def test_names_choose_the_parts():
    tensors = state_dict() | state_dict(rnn="other.", head="aux.", seed=1) | {"norm.weight": torch.ones(4)}
    options = {"prefix": "other", "readout": "aux"}
    np.testing.assert_array_equal(network(tensors, **options).readout, tensors["aux.weight"].double().numpy())
    assert network(tensors, **options).layers[0].weight[0, 0] == tensors["other.weight_hh_l0"][0, 0].item()
    for name, says in (
        ("prefix", "must have one recurrent layer"),
        ("readout", "must have one linear layer"),
    ):
        rest = {key: value for key, value in options.items() if key != name}
        with pytest.raises(InputError, match=says):
            network(tensors, **rest)


def test_indices_choose_rows_of_the_table():
    tensors = state_dict() | {"embed.weight": torch.arange(6.0).reshape(3, 2)}
    result = network(tensors, embeddings=torch.tensor([2, 0]))
    assert result.embeddings.tolist() == [[4, 5], [0, 1]]
    for vectors in ("one-hot", torch.eye(2)):
        assert network(tensors, embeddings=vectors).embeddings.tolist() == [[1, 0], [0, 1]]
    with pytest.raises(InputError, match="one row for each of 2 symbols, got 3 rows; pass the index"):
        network(tensors)


def without(tensors, *names):
    return {name: tensor for name, tensor in tensors.items() if name not in names}


def with_(**tensors):
    return state_dict() | {name.replace("__", "."): tensor for name, tensor in tensors.items()}


@pytest.mark.parametrize(
    ("tensors", "options", "says"),
    [
        (dict, {}, "must have a recurrent layer (weight_ih_l0, weight_hh_l0), got []"),
        (state_dict, {"cell": "tanh"}, "cell must be one of ['rnn', 'rnn_relu', 'gru', 'lstm', 'auto'], got"),
        (
            state_dict,
            {"cell": "lstm"},
            "cell must be gru for encoder.weight_hh_l0 of shape (12, 4), got lstm",
        ),
        (state_dict, {"cell": "rnn"}, "cell must be gru for"),
        (lambda: state_dict("rnn_tanh"), {"cell": "auto"}, "cell must be rnn (tanh) or rnn_relu for"),
        (lambda: state_dict("rnn_relu"), {"cell": "gru"}, "cell must be rnn or rnn_relu for"),
        (state_dict, {"prefix": "decoder"}, "prefix must be one of ['encoder'], got 'decoder'"),
        (state_dict, {"readout": "out"}, "readout must be one of ['head'], got 'out'"),
        (
            lambda: state_dict(bidirectional=True),
            {},
            "must not be bidirectional, got encoder.weight_ih_l0_rev",
        ),
        (
            lambda: state_dict("lstm", proj_size=2),
            {"cell": "lstm"},
            "must not have a projection, got encoder.w",
        ),
        (lambda: {n: t.half() for n, t in state_dict().items()}, {}, "must be float32, got float16"),
        (lambda: {n: t.bfloat16() for n, t in state_dict().items()}, {}, "must be float32, got bfloat16"),
        (lambda: {n: t.double() for n, t in state_dict().items()}, {}, "must be float32, got float64"),
        (lambda: with_(head__bias=torch.tensor([torch.nan])), {}, "head.bias: all elements must be finite"),
        (lambda: with_(head__bias=torch.ones(2)), {}, "head.bias: the shape must be (1,), got (2,)"),
        (
            lambda: with_(encoder__weight_hh_l0=torch.ones(8, 4)),
            {},
            "1, 3 or 4 times the number of columns, got",
        ),
        (lambda: with_(encoder__weight_hh_l0=torch.ones(4)), {}, "must be a matrix, got shape (4,)"),
        (
            lambda: with_(encoder__weight_ih_l0=torch.ones(11, 2)),
            {},
            "the shape must be (12, 2), got (11, 2)",
        ),
        (lambda: with_(encoder__weight_ih_l2=torch.ones(1, 2)), {}, "must be numbered from 0, got [0, 2]"),
        (lambda: with_(encoder__weight_ih=torch.ones(1, 2)), {}, "those of layers or of one cell, got both"),
        (
            lambda: without(state_dict(), "encoder.weight_ih_l0"),
            {},
            "weight_ih_l0: the tensor must be a matrix",
        ),
        (
            lambda: without(state_dict(), "encoder.bias_hh_l0"),
            {},
            "encoder.bias_hh_l0: the tensor is missing",
        ),
        (
            lambda: without(state_dict(num_layers=2), "encoder.weight_hh_l1"),
            {},
            "weight_hh_l1: the tensor is missing",
        ),
        (lambda: without(state_dict(), "head.weight"), {}, "must have a linear layer with 4 columns, got"),
        (
            lambda: with_(norm__weight=torch.ones(4), norm__bias=torch.ones(4)),
            {},
            "got ['norm.weight', 'norm.bias']; pass prefix and readout",
        ),
        (lambda: with_(fc__weight=torch.ones(1, 5)), {"prefix": "encoder"}, "got ['fc.weight']; pass"),
        (
            lambda: with_(x__weight=torch.ones(2, 2), y__weight=torch.ones(2, 2)),
            {},
            "at most one embedding table, got ['x.weight', 'y.weight']",
        ),
        (state_dict, {"alphabet": "abc"}, "which is 2, got 3; pass embeddings"),
        (state_dict, {"alphabet": "aa"}, "m.pt: the symbols of the alphabet must be distinct"),
        (state_dict, {"embeddings": torch.tensor([0, 1])}, "has no embedding table, got indices"),
        (state_dict, {"threshold": torch.nan}, "threshold must be a finite number, got nan"),
        (
            lambda: state_dict(classes=3),
            {"threshold": 1.0},
            "threshold must be 0 for a classifier with 3 out",
        ),
    ],
)
def test_other_state_dicts_are_refused_in_one_sentence(tensors, options, says):
    with pytest.raises(InputError, match=re.escape(says)) as error:
        network(tensors(), **options)
    assert str(error.value).startswith("m.pt: ") and "\n" not in str(error.value)


@pytest.mark.parametrize("nested", [(), ("state_dict",), ("model_state_dict",)])
@pytest.mark.parametrize("suffix", [".pt", ".pth"])
def test_state_dicts_of_torch_are_read(tmp_path, suffix, nested):
    tensors = OrderedDict(state_dict())
    saved = tensors
    for key in nested:
        saved = {key: saved, "epoch": 3, "optimizer": {"lr": 0.1}}
    torch.save(saved, tmp_path / f"m{suffix}")
    read, metadata = tensors_of_file(tmp_path / f"m{suffix}")
    assert list(read) == list(tensors) and metadata == {}
    assert all(torch.equal(read[name], tensors[name]) for name in tensors)


def test_safetensors_are_read_with_their_metadata(tmp_path):
    tensors = state_dict()
    safetensors.torch.save_file(tensors, tmp_path / "m.safetensors", {"format": "pt"})
    read, metadata = tensors_of_file(str(tmp_path / "m.safetensors"))
    assert metadata == {"format": "pt"} and set(read) == set(tensors)
    assert all(torch.equal(read[name], tensors[name]) for name in tensors)


class Code:
    """An object whose pickle runs code."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


@pytest.mark.parametrize("zipped", [True, False])
def test_a_pickle_with_code_is_refused_without_running_it(tmp_path, zipped):
    path, witness = tmp_path / "m.pt", tmp_path / "ran"
    torch.save({"weight": Code(witness)}, path, _use_new_zipfile_serialization=zipped)
    with pytest.raises(InputError, match="got an object that needs code") as error:
        tensors_of_file(path)
    assert "\n" not in str(error.value) and not witness.exists()
    path.write_bytes(pickle.dumps(Code(witness)))
    with pytest.raises(InputError, match=r"complete file of torch\.save, got an unknown format"):
        tensors_of_file(path)
    assert not witness.exists()


def test_a_saved_module_needs_code(tmp_path):
    torch.save(nn.Linear(1, 1), tmp_path / "m.pt")
    with pytest.raises(InputError, match="save it with"):
        tensors_of_file(tmp_path / "m.pt")


@pytest.mark.parametrize(
    ("saved", "says"),
    [
        ([torch.ones(1)], "must contain a dict of tensors, got an object of type list"),
        ({"a": 3}, "must contain a dict of tensors, got an object of type int for 'a'"),
        ({3: torch.ones(1)}, "got an object of type Tensor for 3"),
        ({"state_dict": {"a": "b"}}, "got an object of type str for 'a'"),
    ],
)
def test_other_objects_are_refused(tmp_path, saved, says):
    torch.save(saved, tmp_path / "m.pt")
    with pytest.raises(InputError, match=re.escape(says)):
        tensors_of_file(tmp_path / "m.pt")


@pytest.mark.parametrize("name", ["m.pt", "m.safetensors"])
def test_missing_files_folders_and_truncated_files_are_refused_in_one_sentence(tmp_path, name):
    path = tmp_path / name
    (torch.save if name == "m.pt" else safetensors.torch.save_file)(state_dict(), path)
    data = path.read_bytes()
    for length in (0, 1, 9, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:length])
        with pytest.raises(InputError, match="must be a complete") as error:
            tensors_of_file(path)
        assert "\n" not in str(error.value)
    with pytest.raises(InputError, match="No such file"):
        tensors_of_file(tmp_path / f"no-{name}")
    (tmp_path / f"d{name}").mkdir()
    with pytest.raises(InputError, match="Is a directory"):
        tensors_of_file(tmp_path / f"d{name}")


def test_another_extension_is_refused(tmp_path):
    (tmp_path / "m.bin").touch()
    with pytest.raises(InputError, match=r"must be \.safetensors, \.pt or \.pth, got '\.bin'"):
        tensors_of_file(tmp_path / "m.bin")


@pytest.mark.parametrize(
    "text", ["b 3 4\nc 9 9\na 1 2.5\n", "3 2\nb 3 4 \nc 9 9 \na 1 2.5 \n", "b 3 4\na 1 2.5"]
)
def test_text_vectors_are_picked_in_the_alphabet_s_order(tmp_path, text):
    (tmp_path / "v.txt").write_text(text)
    vectors = embeddings_of_file(tmp_path / "v.txt", ("a", "b"))
    assert vectors.dtype == torch.float32 and vectors.tolist() == [[1, 2.5], [3, 4]]


def test_lines_of_digits_are_a_header_only_if_they_count_the_vectors(tmp_path):
    (tmp_path / "v.txt").write_text("0 1\n1 0\n")
    assert embeddings_of_file(tmp_path / "v.txt", ("0", "1")).tolist() == [[1], [0]]


def test_arrays_are_rows_in_the_alphabet_s_order(tmp_path):
    matrix = np.array([[0.1, 2], [3, 4]])
    np.save(tmp_path / "v.npy", matrix)
    for dtype in (torch.float64, torch.float32):
        safetensors.torch.save_file({"x": torch.tensor(matrix, dtype=dtype)}, tmp_path / "v.safetensors")
        for name in ("v.npy", "v.safetensors"):
            vectors = embeddings_of_file(tmp_path / name, ("a", "b"))
            assert torch.equal(vectors, torch.tensor(matrix, dtype=torch.float32))


@pytest.mark.parametrize(
    ("name", "write", "says"),
    [
        ("v.txt", lambda p: p.write_text("a 1 2\n"), "each symbol must have a vector; ['b'] are missing"),
        (
            "v.txt",
            lambda p: p.write_text("a 1 2\nb 1\n"),
            "line 2: a line must have a word and 2 numbers, got",
        ),
        ("v.txt", lambda p: p.write_text("a 1 2\nb 1 x\n"), "line 2: a line must have only numbers"),
        ("v.txt", lambda p: p.write_text("a 1 2\nb 1 1e99\n"), "line 2: all components must be finite"),
        ("v.txt", lambda p: p.write_text("a 1\na 2\nb 1\n"), "line 2: a word must occur once, got 'a' twice"),
        ("v.txt", lambda p: p.write_text(""), "line 1: a line must have a word and 1 number, got ''"),
        ("v.npy", lambda p: np.save(p, np.eye(3)), "one row for each of 2 symbols, got shape (3, 3)"),
        ("v.npy", lambda p: np.save(p, np.array([[1, 1e99]] * 2)), "must be finite in float32"),
        (
            "v.npy",
            lambda p: np.save(p, np.array([[{}]] * 2), allow_pickle=True),
            "valid .npy array of numbers",
        ),
        ("v.npy", lambda p: p.write_bytes(b"\x93NUMPY"), "must be a valid .npy array"),
        (
            "v.safetensors",
            lambda p: safetensors.torch.save_file({"x": torch.eye(2), "y": torch.eye(2)}, p),
            "must have one tensor, got ['x', 'y']",
        ),
        ("v.txt", lambda p: None, "No such file"),
        ("v.txt", lambda p: p.mkdir(), "Is a directory"),
    ],
)
def test_malformed_vectors_are_refused(tmp_path, name, write, says):
    write(tmp_path / name)
    with pytest.raises(InputError, match=re.escape(says)) as error:
        embeddings_of_file(tmp_path / name, ("a", "b"))
    assert str(error.value).startswith(str(tmp_path / name)) and "\n" not in str(error.value)


@fuzz
@given(
    st.sampled_from(["v.txt", "v.npy", "v.safetensors", "m.pt", "m.safetensors"]),
    st.binary(max_size=60) | st.text("ab 01.-e\nnaif", max_size=60).map(str.encode),
)
def test_any_bytes_are_read_or_refused_in_one_sentence(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    try:
        if name.startswith("v"):
            embeddings_of_file(path, ("a", "b"))
        else:
            tensors_of_file(path)
    except InputError as error:
        assert "\n" not in str(error)
