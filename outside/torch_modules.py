"""Table entries for the recurrent modules of torch, also with packed sequences, quantised, and exported."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from outside.entry import Entry
from outside.stepped import Adapted, entry
from ratproof.laws.models.inputs import Vectors

SIZE = 3


def packed(module: nn.RNNBase) -> Any:
    """Return a module that packs padded rows before it runs ``module``; the batch is axis 1 of its states."""

    class Packed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.module = module

        def forward(self, inputs: Tensor, state: Any, lengths: Tensor | None = None) -> tuple[Tensor, Any]:
            if lengths is None:
                lengths = torch.full((len(inputs),), inputs.shape[1])
            rows = pack_padded_sequence(inputs, lengths, batch_first=True, enforce_sorted=False)
            outputs, state = self.module(rows, state)
            return pad_packed_sequence(outputs, batch_first=True, total_length=inputs.shape[1])[0], state

    return Packed()


def rows_second(module: nn.Module, start: Callable[[Tensor], Any] = lambda inputs: None) -> Adapted:
    """Adapt a module whose states have shape ``(layers, B, size)``.

    ``start`` computes the initial state from the inputs.
    """

    def run(inputs: Tensor, state: Any) -> tuple[Tensor, Any]:
        outputs, state = module(inputs, start(inputs) if state is None else _moved(state))
        return outputs, _moved(state)

    return Adapted(module, run, Vectors(SIZE))


def _moved(state: Any) -> Any:
    if isinstance(state, (tuple, list)):
        return tuple(part.transpose(0, 1) for part in state)
    return state.transpose(0, 1)


def quantised(module: nn.RNNBase) -> Adapted:
    """Return a copy of a module that has int8 weights and quantises its inputs in each call."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        holder = torch.ao.quantization.quantize_dynamic(  # type: ignore[no-untyped-call]
            nn.ModuleDict({"rnn": module}).eval(), {nn.LSTM, nn.GRU}, dtype=torch.qint8
        )
    return rows_second(holder["rnn"])


def exported(module: nn.RNNBase) -> Adapted:
    """Export a module with ``torch.export`` for one token and a dynamic batch size.

    torch cannot export these modules with a dynamic length.
    """
    lstm, layers, size = isinstance(module, nn.LSTM), module.num_layers, module.hidden_size

    def zeros(inputs: Tensor) -> Any:
        state = inputs.new_zeros(layers, len(inputs), size)
        return (state, state.clone()) if lstm else state

    example = torch.zeros(3, 1, SIZE)
    rows = torch.export.Dim("rows", max=1024)
    shapes = ({0: rows}, ({1: rows}, {1: rows}) if lstm else {1: rows})
    arguments = (example, zeros(example))
    program = torch.export.export(module.eval(), arguments, dynamic_shapes=shapes).module(check_guards=False)

    def run(inputs: Tensor, state: Any) -> tuple[Tensor, Any]:
        state, outputs = zeros(inputs) if state is None else _moved(state), []
        for token in inputs.unbind(1):
            output, state = program(token[:, None], state)
            outputs.append(output)
        return torch.cat(outputs, 1), _moved(state)

    return Adapted(None, run, Vectors(SIZE))


def _torch_entry(name: str, make: Any, path: str, remark: str = "", **declared: Any) -> Entry:
    return entry(f"torch-{name}", "torch", path, make, remark, **declared)


PACKED = {"inputs": Vectors(SIZE), "ragged": "lengths", "padding": "right", "without": ("reorder", "clear")}
INT8 = "each call quantises its inputs with one scale, so rows and pieces affect each other"
ENTRIES = (
    _torch_entry("rnn", lambda: nn.RNN(SIZE, 5, 2, nonlinearity="relu"), "torch.nn.RNN"),
    _torch_entry("lstm", lambda: nn.LSTM(SIZE, 5, 2), "torch.nn.LSTM", "two layers"),
    _torch_entry("lstm-projection", lambda: nn.LSTM(SIZE, 6, 2, proj_size=4), "torch.nn.LSTM", "proj_size=4"),
    _torch_entry(
        "lstm-bidirectional-projection",
        lambda: nn.LSTM(SIZE, 6, 2, proj_size=4, bidirectional=True),
        "torch.nn.LSTM",
        "proj_size=4, in both directions",
    ),
    _torch_entry("gru", lambda: nn.GRU(SIZE, 5, 2), "torch.nn.GRU", "two layers"),
    _torch_entry("lstm-cell", lambda: nn.LSTMCell(SIZE, 5), "torch.nn.LSTMCell"),
    _torch_entry("gru-cell", lambda: nn.GRUCell(SIZE, 5), "torch.nn.GRUCell"),
    _torch_entry(
        "lstm-packed",
        lambda: packed(nn.LSTM(SIZE, 6, 2, proj_size=4, batch_first=True)),
        "torch.nn.utils.rnn.pack_padded_sequence",
        "nn.LSTM with proj_size=4",
        **PACKED,
    ),
    _torch_entry(
        "gru-packed",
        lambda: packed(nn.GRU(SIZE, 5, 2, batch_first=True)),
        "torch.nn.utils.rnn.pack_padded_sequence",
        "nn.GRU",
        **PACKED,
    ),
    _torch_entry(
        "lstm-quantised",
        lambda: quantised(nn.LSTM(SIZE, 5, 2, batch_first=True)),
        "torch.ao.nn.quantized.dynamic.LSTM",
        INT8,
    ),
    _torch_entry(
        "gru-quantised",
        lambda: quantised(nn.GRU(SIZE, 5, 2, batch_first=True)),
        "torch.ao.nn.quantized.dynamic.GRU",
        INT8,
    ),
    _torch_entry(
        "lstm-exported",
        lambda: exported(nn.LSTM(SIZE, 5, 2, batch_first=True)),
        "torch.export.export",
        "nn.LSTM, one token a call",
    ),
    _torch_entry(
        "gru-exported",
        lambda: exported(nn.GRU(SIZE, 5, 2, batch_first=True)),
        "torch.export.export",
        "nn.GRU, one token a call",
    ),
)
"""The table entries of this module, with the batch on either axis."""
