"""Networks of recurrent layers in one or both directions, with the interface of ``torch.nn.GRU``."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import PackedSequence

from automata.checks import checked_integer
from automata.errors import InputError
from neural.shapes import Layout
from neural.states import join, split
from neural.unrolled import CellOutput, RecurrentCell, one_of


class Stacked(nn.Module):
    """A network of one or more layers of the same kind of cell.

    If the network has only one cell, the attributes of the cell, such as ``forget``, are also attributes of
    the network.

    Args:
        input_size: the size of v_t.
        hidden_size: d, the number of units in each layer and direction.
        num_layers: the number of layers; each layer reads the outputs of the previous layer.
        bias: whether to use biases, if the architecture has biases.
        batch_first: whether inputs and outputs have the shape ``(B, T, ...)`` instead of ``(T, B, ...)``;
            states are unaffected.
        dropout: the probability of dropping an output between layers during training.
        bidirectional: whether to add cells that read sequences backward. The outputs of both directions are
            concatenated, forward first.
        device, dtype: as in torch; float32 or float64.
        options: options of the architecture.
    """

    cell_class: ClassVar[type[RecurrentCell]]

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        known = options_of(self.cell_class)
        unknown = [name for name in options if name not in known]
        if unknown:
            own = ", ".join(sorted(known - {"bias"})) or "none"
            raise InputError(f"{type(self).__name__}: options must be among [{own}], got {unknown[0]!r}")
        if isinstance(dropout, bool) or not isinstance(dropout, (int, float)) or not 0 <= dropout <= 1:
            raise InputError(f"dropout must be a number from 0 to 1, got {dropout!r}")
        if self.cell_class.reads_symbols and num_layers != 1:
            raise InputError(
                f"num_layers must be 1, got {num_layers!r}: a second layer would read vectors, not symbols"
            )
        self.input_size, self.hidden_size = input_size, hidden_size
        self.num_layers, self.dropout = checked_integer("num_layers", num_layers), dropout
        self.bias, self.batch_first = (
            one_of("bias", bias, (True, False)),
            one_of("batch_first", batch_first, (True, False)),
        )
        self.bidirectional = one_of("bidirectional", bidirectional, (True, False))
        self.options = options
        arguments = {**options, "device": device, "dtype": dtype} | (
            {"bias": bias} if "bias" in known else {}
        )
        cells: list[RecurrentCell] = []
        for _ in range(num_layers):
            size = cells[-1].output_size * self.directions if cells else input_size
            cells += [self.cell_class(size, hidden_size, **arguments) for _ in range(self.directions)]
        self.cells = nn.ModuleList(cells)

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            cells = self.__dict__.get("_modules", {}).get("cells", ())
            if len(cells) != 1:
                raise
            return getattr(cells[0], name)

    def extra_repr(self) -> str:
        """Return the arguments as text, which torch prints in the representation of the network."""
        arguments = {
            "num_layers": self.num_layers,
            "bias": self.bias,
            "batch_first": self.batch_first,
            "dropout": self.dropout,
        }
        arguments |= {"bidirectional": self.bidirectional, **self.options}
        return f"{self.input_size}, {self.hidden_size}, " + ", ".join(
            f"{name}={value!r}" for name, value in arguments.items()
        )

    @property
    def directions(self) -> int:
        """Return the number of directions: 2 if the network is bidirectional, else 1."""
        return 1 + self.bidirectional

    def start(self, batch: int, value: float | Tensor | None = None) -> Any:
        """Return the initial state of each sequence.

        ``value``, a scalar or one value per unit, is c_0. It defaults to the semiring's zero.
        """
        return join([cell.start(batch, value) for cell in self._cells()], batched=True)

    def forward(
        self, input: Tensor | PackedSequence, state: Any = None, lengths: Tensor | Sequence[int] | None = None
    ) -> tuple[Any, Any]:
        """Run the network.

        Args:
            input: v, shape ``(T, B, input_size)`` (``(B, T, input_size)`` with ``batch_first``), or ``(T,
                input_size)`` for one sequence, or a packed sequence.
            state: the initial state, in the form in which ``state`` is returned. Defaults to :meth:`start`.
            lengths: the sequences' lengths, if they differ; inputs after a sequence's end are ignored.

        Returns:
            ``(output, state)``. ``output`` contains the outputs of the last layer in the shape of ``input``,
            zero after a sequence's end. ``state`` contains each sequence's last state: a tensor of shape
            ``(num_layers * directions, B, ...)``, or a tuple of such tensors if a cell's state has several
            parts. If the shapes of a part differ between layers, a tuple of tensors ``(B, ...)`` replaces the
            tensor.
        """
        form = self._layout(input, lengths)
        starts = split(state, self._cells(), form)
        values, ends = form.inputs, []
        for layer in range(self.num_layers):
            if layer and self.dropout and self.training:
                values = functional.dropout(values, self.dropout)
            outputs = []
            for direction in range(self.directions):
                index = layer * self.directions + direction
                cell, first = self._cells()[index], starts[index]
                result = cell.run(form.reversed(values) if direction else values, first)
                outputs.append(form.reversed(result.outputs) if direction else result.outputs)
                ends.append(tuple(map(form.last, first, result.states)))
            values = torch.cat(outputs, dim=-1) if len(outputs) > 1 else outputs[0]
        return form.back(values), join(ends, form.batched)

    def scores(
        self, input: Tensor | PackedSequence, state: Any = None, lengths: Tensor | Sequence[int] | None = None
    ) -> Any:
        """Return the cell's scores after each symbol, in the layout of ``input``.

        See ``scores`` of :class:`~neural.unrolled.CellOutput`. The network must have one layer and one
        direction.
        """
        cell, form = self.cell, self._layout(input, lengths)
        result: CellOutput = cell.run(form.inputs, split(state, [cell], form)[0])
        return form.back(result.scores)

    @property
    def cell(self) -> RecurrentCell:
        """Return the cell of a network with one layer and one direction."""
        if len(self.cells) != 1:
            raise InputError(
                f"this network must have one layer and one direction, got {self.num_layers} layer(s) and"
                f" {self.directions} direction(s)"
            )
        return self._cells()[0]

    def _cells(self) -> list[RecurrentCell]:
        return list(self.cells)  # type: ignore[arg-type]

    def _layout(self, inputs: Any, lengths: Any) -> Layout:
        return Layout(inputs, self.input_size, self.batch_first, self.cell_class.reads_symbols, lengths)


def options_of(cell_class: type[RecurrentCell]) -> set[str]:
    """Return the names of a cell's options: its arguments except sizes, device and dtype."""
    return set(inspect.signature(cell_class).parameters) - {"input_size", "hidden_size", "device", "dtype"}
