"""Readers of state dicts and of word vectors, which never run code from the file."""

from __future__ import annotations

import pickle
import warnings
from os import PathLike
from pathlib import Path

import numpy as np
import safetensors
import torch
from numpy.typing import NDArray
from torch import Tensor

from automata.errors import FormatError, InputError
from automata.io.files import read_text
from automata.text.number_text import plural, shorten
from ratproof.npz_files import finite_numbers

NESTED = ("state_dict", "model_state_dict")
"""Keys under which training programs save the state dict in a checkpoint."""


def tensors_of_file(path: str | PathLike[str]) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Read a state dict.

    Args:
        path: A ``.safetensors`` file, or a ``.pt`` or ``.pth`` file that
            ``torch.save(module.state_dict(), path)`` wrote. The state dict may be in the item
            ``state_dict`` or ``model_state_dict``.

    Returns:
        The tensors by name, on the CPU, and the metadata of a ``.safetensors`` file.

    Raises:
        InputError: If the file cannot be read, is truncated, or contains something else.
    """
    path = Path(path)
    _require_file(path)
    if path.suffix == ".safetensors":
        return _safetensors(path)
    if path.suffix in (".pt", ".pth"):
        return _state_dict(_loaded(path), path), {}
    raise InputError(f"{path}: the extension must be .safetensors, .pt or .pth, got {shorten(path.suffix)}")


def embeddings_of_file(path: str | PathLike[str], alphabet: tuple[str, ...]) -> Tensor:
    """Read the input vector of each symbol, rounded to float32.

    Args:
        path: A ``.npy`` or ``.safetensors`` file with one matrix, which has one row for each symbol in order.
            Otherwise, a text file with a word and its vector per line (GloVe's format), and optionally a
            first line with the numbers of words and of components (word2vec's format).
        alphabet: The symbols.

    Returns:
        A float32 tensor of shape ``(symbols, width)``.

    Raises:
        InputError: If the file cannot be read, or a symbol has no vector.
    """
    path = Path(path)
    _require_file(path)
    if path.suffix not in (".npy", ".safetensors"):
        return torch.from_numpy(_text_vectors(path, alphabet))
    matrix = _numpy(path) if path.suffix == ".npy" else _only_matrix(path)
    if matrix.ndim != 2 or len(matrix) != len(alphabet) or not matrix.shape[1]:
        raise FormatError(
            f"{path}: the array must have one row for each of {plural(len(alphabet), 'symbol')}, got shape"
            f" {matrix.shape}"
        )
    return torch.from_numpy(np.array(finite_numbers(matrix, "the array", path)))


def _require_file(path: Path) -> None:
    try:
        with path.open("rb"):
            pass
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:  # a path with a null character
        raise FormatError(f"{str(path)!r}: cannot be read: {error}") from None


def _safetensors(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    try:
        with safetensors.safe_open(str(path), framework="pt") as reader:
            tensors = {name: reader.get_tensor(name) for name in reader.keys()}  # noqa: SIM118 (not a dict)
            return tensors, dict(reader.metadata() or {})
    except (safetensors.SafetensorError, OSError, ValueError) as error:
        why = " ".join(str(error).split())
        raise FormatError(f"{path}: the file must be a complete safetensors file ({why:.80})") from None


def _loaded(path: Path) -> object:
    """Unpickle a file of torch with ``weights_only``, which runs no code from the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns of TorchScript archives; they are refused below
            loaded: object = torch.load(path, map_location="cpu", weights_only=True)
            return loaded
    except pickle.UnpicklingError as error:
        if "GLOBAL" in str(error):
            raise FormatError(
                f"{path}: the file must be a state dict, which loads without running code, got an object that"
                " needs code; save it with torch.save(module.state_dict(), path)"
            ) from None
        why = "an unknown format"  # do not repeat torch's message, which advises to run code
    except Exception as error:  # torch raises many types for malformed files
        text = " ".join(str(error).split())
        why = "a truncated file" if isinstance(error, EOFError) else f"{type(error).__name__}: {text:.80}"
    raise FormatError(f"{path}: the file must be a complete file of torch.save, got {why}")


def _state_dict(loaded: object, path: Path) -> dict[str, Tensor]:
    for key in NESTED:
        if isinstance(loaded, dict) and isinstance(loaded.get(key), dict):
            loaded = loaded[key]
    if not isinstance(loaded, dict):
        raise FormatError(f"{path}: the file must contain a dict of tensors, got {_described(loaded)}")
    for name, tensor in loaded.items():
        if not isinstance(name, str) or not isinstance(tensor, Tensor):
            raise FormatError(
                f"{path}: the file must contain a dict of tensors, got {_described(tensor)} for"
                f" {shorten(name)}"
            )
    return {name: tensor.detach() for name, tensor in loaded.items()}


def _described(value: object) -> str:
    return f"an object of type {type(value).__name__}"


def _numpy(path: Path) -> np.ndarray:
    try:
        matrix = np.load(path, allow_pickle=False)
    except Exception as error:  # the parser of array headers raises many types
        why = " ".join(str(error).split())
        raise FormatError(f"{path}: the file must be a valid .npy array of numbers ({why:.80})") from None
    if not isinstance(matrix, np.ndarray):
        raise FormatError(f"{path}: the file must have one array, got an archive")
    return matrix


def _only_matrix(path: Path) -> np.ndarray:
    tensors, _ = _safetensors(path)
    if len(tensors) != 1:
        raise FormatError(f"{path}: the file must have one tensor, got {shorten(list(tensors))}")
    tensor = next(iter(tensors.values()))
    return np.asarray((tensor.double() if tensor.is_floating_point() else tensor).numpy())


def _text_vectors(path: Path, alphabet: tuple[str, ...]) -> NDArray[np.float32]:
    """Return the vectors of the alphabet's symbols from a text file with one word and vector per line."""
    # words may contain Unicode line breaks and spaces, so the vector is at the right end of a line
    lines = [line.rstrip(" \t\r") for line in read_text(path).removesuffix("\n").split("\n")]
    has_header = len(lines) > 1 and lines[0].split(" ") == [str(len(lines) - 1), str(_width(lines[1]))]
    first = 1 if has_header else 0
    width = _width(lines[first])
    wanted = set(alphabet)
    vectors: dict[str, NDArray[np.float32]] = {}
    for number, line in enumerate(lines[first:], first + 1):
        word, *numbers = line.rsplit(" ", width)
        if len(numbers) != width or not width:
            raise FormatError(
                f"{path}: line {number}: a line must have a word and {plural(max(width, 1), 'number')}, got"
                f" {shorten(line)}"
            )
        if word in wanted:
            if word in vectors:
                raise FormatError(f"{path}: line {number}: a word must occur once, got {shorten(word)} twice")
            vectors[word] = _numbers(numbers, path, number)
    missing = [symbol for symbol in alphabet if symbol not in vectors]
    if missing:
        raise FormatError(f"{path}: each symbol must have a vector; {shorten(missing)} are missing")
    return np.stack([vectors[symbol] for symbol in alphabet])


def _width(line: str) -> int:
    """Return the number of components of the vector on a line."""
    return len(line.split(" ")) - 1


def _numbers(texts: list[str], path: Path, line: int) -> NDArray[np.float32]:
    try:
        with np.errstate(over="ignore"):
            vector = np.array(texts, dtype=np.float64).astype(np.float32)
    except ValueError:
        raise FormatError(f"{path}: line {line}: a line must have only numbers after the word") from None
    if not np.isfinite(vector).all():
        raise FormatError(f"{path}: line {line}: all components must be finite in float32")
    return vector
