"""The data of a torch layer and of the inputs of its symbols, as plain arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from automata.aliases import JsonObject

DTYPES = {"float32": torch.float32, "float64": torch.float64}


@dataclass(frozen=True)
class LayerSpec:
    """The data of a layer and its inputs.

    Attributes:
        kind: The layer's name in files.
        options: The layer's arguments, except dtype and device.
        parameters: The parameters of its cell, keyed by name.
        embeddings: The input of each symbol, shape ``(symbols, input_size)``. If the layer reads indices, the
            index of each symbol, shape ``(symbols,)``.
        alphabet: The symbols.
        dtype, device: Dtype and device of the layer.
    """

    kind: str
    options: Mapping[str, Any]
    parameters: Mapping[str, NDArray[np.float64]]
    embeddings: NDArray[np.float64]
    alphabet: Sequence[str]
    dtype: str = "float32"
    device: str = "cpu"

    def renamed(self, names: Mapping[str, str]) -> LayerSpec:
        """Return the layer for the symbols in ``names``, each renamed from its key to its value."""
        rows = [list(self.alphabet).index(old) for old in names]
        return replace(self, embeddings=self.embeddings[rows], alphabet=list(names.values()))

    def tensor(self, values: Any) -> Tensor:
        """Return the values as a tensor with the layer's dtype and device."""
        return torch.as_tensor(values, dtype=DTYPES[self.dtype], device=self.device)

    def load(self, cell: nn.Module) -> None:
        """Load the parameters into a cell of this kind."""
        cell.load_state_dict({name: self.tensor(values) for name, values in self.parameters.items()})

    def to_json(self) -> JsonObject:
        """Return all fields, with the values as exact decimals."""
        return {
            "network": self.kind,
            "options": dict(self.options),
            "parameters": {name: values.tolist() for name, values in self.parameters.items()},
            "embeddings": self.embeddings.tolist(),
            "alphabet": list(self.alphabet),
            "dtype": self.dtype,
            "device": self.device,
        }


def spec(
    kind: str,
    options: Mapping[str, Any],
    parameters: Mapping[str, Any],
    embeddings: Any,
    alphabet: Sequence[str],
    dtype: str = "float32",
    device: str = "cpu",
) -> LayerSpec:
    """Return a :class:`LayerSpec` from any array-like values."""
    arrays = {name: np.asarray(values, dtype=np.float64) for name, values in parameters.items()}
    vectors = np.asarray(embeddings, dtype=np.float64)
    return LayerSpec(kind, dict(options), arrays, vectors, list(alphabet), dtype, device)
