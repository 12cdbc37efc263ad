"""A torch layer with its weights, and an input for each symbol, as plain numbers: what is drawn, kept, and
read back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

DTYPES = {"float32": torch.float32, "float64": torch.float64}


@dataclass(frozen=True)
class LayerSpec:
    """A layer of some kind, and what it reads.

    Attributes:
        kind: the layer's name, as files have it.
        options: its arguments, besides dtype and device.
        parameters: its cell's parameters by name.
        embeddings: the input of each symbol, shape ``(symbols, input_size)``; where inputs are symbols, their
            numbers.
        alphabet: the symbols.
        dtype, device: of the layer.
    """

    kind: str
    options: Mapping[str, Any]
    parameters: Mapping[str, NDArray[np.float64]]
    embeddings: NDArray[np.float64]
    alphabet: Sequence[str]
    dtype: str = "float32"
    device: str = "cpu"

    def renamed(self, names: Mapping[str, str]) -> LayerSpec:
        """The same layer with the inputs of the letters named, under their new names."""
        rows = [list(self.alphabet).index(old) for old in names]
        return replace(self, embeddings=self.embeddings[rows], alphabet=list(names.values()))

    def tensor(self, values: Any) -> Tensor:
        """The numbers in the layer's format, where it is."""
        return torch.as_tensor(values, dtype=DTYPES[self.dtype], device=self.device)

    def load(self, cell: nn.Module) -> None:
        """Give a cell of that kind the parameters."""
        cell.load_state_dict({name: self.tensor(values) for name, values in self.parameters.items()})

    def to_json(self) -> dict[str, Any]:
        """Everything, with the numbers as exact decimals."""
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
    """A :class:`LayerSpec` of numbers in any form."""
    arrays = {name: np.asarray(values, dtype=np.float64) for name, values in parameters.items()}
    vectors = np.asarray(embeddings, dtype=np.float64)
    return LayerSpec(kind, dict(options), arrays, vectors, list(alphabet), dtype, device)
