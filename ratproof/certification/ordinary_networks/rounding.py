"""Measurement of the rounding premise: the largest error of torch's tanh and sigmoid over float32 inputs.

The functions are measured on their own and inside ``nn.RNN``, ``nn.GRU`` and ``nn.LSTM``, because these
layers may use other implementations in oneDNN or cuDNN. Inside a layer, biases saturate all gates except one,
so that the state equals the function of that gate.

The reference is NumPy's float64 tanh. Its own error, about 1e-16, is less than 1e-8 units and is not counted.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from automata.aliases import JsonObject
from ratproof.certification.ordinary_networks.arithmetic import FUNCTION_UNITS

Floats = NDArray[np.float32]
CHUNK = 1 << 16
PER_BINADE, AT_ENDS = 2048, 16
"""Number of sampled inputs per sign and exponent, and how many of them are at each end of this range."""
SATURATED = 100.0
"""A bias at which a sigmoid is 0 or 1 in float32."""
SMALL = 2.0**-13
"""A number whose tanh equals it within 0.1 units in the last place."""
LAYER_SIZES = 1, 16
"""Numbers of units. Vectorised loops have separate code for sizes that do not fill a vector."""


@dataclass(frozen=True)
class Function:
    """An implementation of tanh or sigmoid in float32.

    Attributes:
        reference: ``"tanh"`` or ``"sigmoid"``.
        on: Function that returns the implementation on a device; it maps tensors of shape ``(N,)`` to tensors
            of the same shape, without NaN in the input.
    """

    reference: str
    on: Callable[[str], Callable[[Tensor], Tensor]]


@dataclass(frozen=True)
class Measurement:
    """The largest error of a function.

    Attributes:
        function: Name of the function.
        device: The device.
        inputs: Number of inputs that were compared.
        nans: Number of NaN inputs, which are not compared.
        units: The largest absolute error in multiples of 2^-24; infinite if a result is NaN.
        worst: The input at which it occurs.
    """

    function: str
    device: str
    inputs: int
    nans: int
    units: float
    worst: float

    @property
    def within(self) -> bool:
        """Whether the error is within the premise."""
        return self.units <= FUNCTION_UNITS

    def to_json(self) -> JsonObject:
        """Return the fields as JSON; an infinite error is null, and the input is in hexadecimal."""
        return {
            "function": self.function,
            "device": self.device,
            "inputs": self.inputs,
            "nans": self.nans,
            "error_units": self.units if math.isfinite(self.units) else None,
            "worst_input": self.worst.hex(),
            "within": self.within,
        }


@dataclass(frozen=True)
class Gate:
    """A gate that is measured alone: the other gates are saturated, so that the state is the gate's value.

    Attributes:
        layer: ``nn.RNN``, ``nn.GRU``, ``nn.LSTM`` or ``nn.LSTMCell``.
        block: Index of the gate in the layer's weights. If it is None, the input is the initial cell state.
        biases: The bias of each block.
        state: The initial hidden state.
        cell: The initial cell state of an LSTM.
        reads_cell: Whether the result is the cell state instead of the hidden state.
        inner_bias: Bias of the new state of a GRU inside the product with the reset gate. The result is
            divided by it.
    """

    layer: type[nn.Module]
    block: int | None
    biases: tuple[float, ...]
    state: float = 0.0
    cell: float = 0.0
    reads_cell: bool = False
    inner_bias: float = 0.0

    def on(self, units: int, device: str) -> Callable[[Tensor], Tensor]:
        """Return the gate as a function of float32 tensors, computed by a layer of ``units`` units."""
        layer = self._layer(units, device)
        if self.block is not None:
            rows = slice(self.block * units, (self.block + 1) * units)
            self._parameter(layer, "weight_ih")[rows] = torch.eye(units, device=device)

        def compute(x: Tensor) -> Tensor:
            if self.block is None or bool(x.isfinite().all()):
                return self._run(layer, x)
            # an infinite input times a weight of 0 is NaN, but a bias can be infinite
            result = torch.empty_like(x)
            finite = x.isfinite()
            result[finite] = self._run(layer, x[finite])
            for value in (math.inf, -math.inf):
                biased = self._layer(units, device)
                self._parameter(biased, "bias_ih")[rows] = value
                result[x == value] = self._run(biased, torch.zeros(1, device=device))
            return result

        return compute

    def _layer(self, units: int, device: str) -> Any:
        """Return a layer with zero weights and the biases."""
        layer: Any = self.layer(units, units, device=device).eval()
        for parameter in layer.parameters():
            parameter.data.zero_()
        biases = torch.tensor(self.biases, device=device)
        self._parameter(layer, "bias_ih").view(-1, units)[:] = biases[:, None]
        if self.inner_bias:
            self._parameter(layer, "bias_hh")[-units:] = self.inner_bias
        return layer

    def _parameter(self, layer: object, name: str) -> Tensor:
        parameter: Tensor = getattr(layer, name if self.layer is nn.LSTMCell else f"{name}_l0").data
        return parameter

    @torch.no_grad()
    def _run(self, layer: Any, x: Tensor) -> Tensor:
        """Run the layer on a batch of sequences of length 1; each unit has its own input."""
        units = layer.hidden_size
        batch = -(-len(x) // units)
        inputs = nn.functional.pad(x, (0, batch * units - len(x))).view(1, batch, units)
        state, cell = torch.full_like(inputs, self.state), torch.full_like(inputs, self.cell)
        if self.block is None:
            inputs, cell = torch.zeros_like(inputs), inputs
        if self.layer is nn.LSTMCell:
            final = layer(inputs[0], (state[0], cell[0]))[self.reads_cell]
        elif self.layer is nn.LSTM:
            final = layer(inputs, (state, cell))[1][self.reads_cell]
        else:
            final = layer(inputs, state)[1]
        result: Tensor = final.flatten()[: len(x)]
        return result / self.inner_bias if self.inner_bias else result


def _gates() -> Iterator[tuple[str, str, Gate]]:
    """Yield each gate of torch's layers with its name and the name of its reference function.

    The blocks of a GRU's weights are r, z and n. Those of an LSTM's weights are i, f, g and o.
    """
    on = SATURATED
    yield "nn.RNN", "tanh", Gate(nn.RNN, 0, (0,))
    # h = n = tanh(r * inner_bias)
    yield "nn.GRU reset gate", "sigmoid", Gate(nn.GRU, 0, (0, -on, 0), inner_bias=SMALL)
    # h = (1 - z) * tanh(0) + z * 1
    yield "nn.GRU update gate", "sigmoid", Gate(nn.GRU, 1, (0, 0, 0), state=1)
    yield "nn.GRU new state", "tanh", Gate(nn.GRU, 2, (0, -on, 0))
    layers: tuple[type[nn.Module], ...] = nn.LSTM, nn.LSTMCell
    for layer in layers:  # on a CPU, nn.LSTM runs in oneDNN and nn.LSTMCell does not
        name = f"nn.{layer.__name__}"
        yield f"{name} input gate", "sigmoid", Gate(layer, 0, (0, 0, on, 0), reads_cell=True)
        yield f"{name} forget gate", "sigmoid", Gate(layer, 1, (-on, 0, 0, 0), cell=1, reads_cell=True)
        yield f"{name} cell gate", "tanh", Gate(layer, 2, (on, -on, 0, 0), reads_cell=True)
        yield f"{name} output gate", "sigmoid", Gate(layer, 3, (-on, on, 0, 0), cell=on)
        yield f"{name} cell state", "tanh", Gate(layer, None, (-on, on, 0, on))


def _in_layer(gate: Gate, units: int) -> Callable[[str], Callable[[Tensor], Tensor]]:
    return lambda device: gate.on(units, device)


FUNCTIONS: dict[str, Function] = {
    "torch.tanh": Function("tanh", lambda device: torch.tanh),
    "torch.sigmoid": Function("sigmoid", lambda device: torch.sigmoid),
    **{
        f"{name} ({units} unit{'s' * (units > 1)})": Function(reference, _in_layer(gate, units))
        for name, reference, gate in _gates()
        for units in LAYER_SIZES
    },
}
"""The functions to measure, by name."""


def measure(
    function_name: str,
    device: str,
    inputs: Iterable[Floats],
    progress: Callable[[str], None] = lambda stage: None,
) -> Measurement:
    """Measure the largest absolute error of a function.

    Args:
        function_name: A key of ``FUNCTIONS``.
        device: The device, "cpu" or "cuda".
        inputs: Chunks of inputs.
        progress: Function that receives a stage after each chunk.

    Example:
        >>> measure("torch.tanh", "cpu", sample()).within
        True
    """
    function = FUNCTIONS[function_name]
    compute = function.on(device)
    compared = nans = 0
    largest, worst = -1.0, math.nan
    for chunk in inputs:
        invalid = np.isnan(chunk)
        if invalid.any():
            nans += int(invalid.sum())
            chunk = chunk[~invalid]
        if not len(chunk):
            continue
        result = compute(torch.from_numpy(chunk).to(device)).cpu().numpy()
        error = np.abs(true_values(function.reference, chunk) - result)
        index = int(error.argmax())  # the first NaN, if there is one
        size = math.inf if math.isnan(error[index]) else float(error[index])
        if size > largest:
            largest, worst = size, float(chunk[index])
        compared += len(chunk)
        progress(f"{function_name} on {device}, {compared + nans:,} inputs")
    return Measurement(function_name, device, compared, nans, max(largest, 0.0) * 2**24, worst)


def true_values(reference: str, inputs: Floats) -> NDArray[np.float64]:
    """Return tanh or sigmoid in float64 as the reference values; sigmoid(x) is (1 + tanh(x / 2)) / 2."""
    x = inputs.astype(np.float64)
    values: NDArray[np.float64] = np.tanh(x) if reference == "tanh" else 0.5 + 0.5 * np.tanh(0.5 * x)
    return values


def every_input(step: int = 1) -> Iterator[Floats]:
    """Yield all 2^32 float32 numbers in chunks, or every ``step``-th of them by bit pattern."""
    for first in range(0, 1 << 32, CHUNK * step):
        stop = min(first + CHUNK * step, 1 << 32)
        yield np.arange(first, stop, step, dtype=np.uint64).astype(np.uint32).view(np.float32)


def sample(seed: int = 0) -> Iterator[Floats]:
    """Yield about a million float32 numbers in chunks: both ends and random mantissas of each binade."""
    generator = np.random.default_rng(seed)
    ends = np.arange(AT_ENDS, dtype=np.uint32)
    ends = np.concatenate([ends, (1 << 23) - 1 - ends])
    heads = np.arange(512, dtype=np.uint32) << 23  # sign and exponent
    rows = CHUNK // PER_BINADE
    for first in range(0, len(heads), rows):
        mantissas = generator.integers(0, 1 << 23, (rows, PER_BINADE), np.uint32)
        mantissas[:, : len(ends)] = ends
        yield (heads[first : first + rows, None] | mantissas).ravel().view(np.float32)


@dataclass(frozen=True)
class Setting:
    """A setting of torch or of the environment that can reduce the precision of float32.

    Attributes:
        name: The expression that reads the setting, or the environment variable.
        device: The device that it concerns.
        value: Its value.
        breaks: Whether the value breaks the premise on this device.
        note: What to do, or why the value does not matter.
    """

    name: str
    device: str
    value: str
    breaks: bool
    note: str = ""

    def to_json(self) -> JsonObject:
        """Return the fields as JSON."""
        return {
            "setting": self.name,
            "device": self.device,
            "value": self.value,
            "breaks_premise": self.breaks,
            "note": self.note,
        }


def settings(devices: Sequence[str]) -> list[Setting]:
    """Return the settings of this process that concern the rounding of float32 on the devices."""
    return [setting for device in devices for setting in (_on_cuda() if device == "cuda" else _on_cpu())]


def _on_cpu() -> Iterator[Setting]:
    yield from _matmul_precision("cpu")
    for name in ("rnn", "matmul"):
        yield _precision(f"torch.backends.mkldnn.{name}.fp32_precision", "cpu")
    yield _autocast("cpu")
    mode = os.environ.get("ONEDNN_DEFAULT_FPMATH_MODE", "")
    breaks = mode.upper() not in ("", "STRICT")
    yield Setting("ONEDNN_DEFAULT_FPMATH_MODE", "cpu", mode or "unset", breaks, "unset it" if breaks else "")
    flushes = (torch.full((1,), 2.0**-126) * 0.5).item() == 0
    note = "it changes sums by less than the checker's 2^-44 if weights and states are below 2^70"
    yield Setting("torch.set_flush_denormal", "cpu", str(flushes), False, note if flushes else "")


def _on_cuda() -> Iterator[Setting]:
    override = os.environ.get("NVIDIA_TF32_OVERRIDE", "")
    yield Setting("NVIDIA_TF32_OVERRIDE", "cuda", override or "unset", False)
    rows = [*_matmul_precision("cuda")]
    rows += [_allowed("cudnn", torch.backends.cudnn), _allowed("cuda.matmul", torch.backends.cuda.matmul)]
    rows += [
        _precision(f"torch.backends.{name}.fp32_precision", "cuda") for name in ("cudnn.rnn", "cuda.matmul")
    ]
    if override == "0":
        off = "NVIDIA_TF32_OVERRIDE=0 turns TF32 off"
        rows = [Setting(row.name, "cuda", row.value, False, off if row.breaks else "") for row in rows]
    yield from rows
    yield _autocast("cuda")


def _read(read: Callable[[], object]) -> str:
    """Return a setting of torch as text, or a note if ``fp32_precision`` has replaced it."""
    try:
        return str(read())
    except RuntimeError:
        return "replaced by fp32_precision"


def _matmul_precision(device: str) -> Iterator[Setting]:
    value = _read(torch.get_float32_matmul_precision)
    breaks = value in ("high", "medium")
    note = 'call torch.set_float32_matmul_precision("highest")' if breaks else ""
    yield Setting("torch.get_float32_matmul_precision()", device, value, breaks, note)


def _allowed(name: str, backend: Any) -> Setting:
    value = _read(lambda: backend.allow_tf32)
    setting = f"torch.backends.{name}.allow_tf32"
    breaks = value == "True"
    note = f"set {setting} = False, or the environment variable NVIDIA_TF32_OVERRIDE=0" if breaks else ""
    return Setting(setting, "cuda", value, breaks, note)


def _precision(name: str, device: str) -> Setting:
    backend: Any = torch.backends
    for part in name.split(".")[2:-1]:
        backend = getattr(backend, part)
    value = _read(lambda: backend.fp32_precision)
    breaks = value not in ("none", "ieee")
    return Setting(name, device, value, breaks, f'set {name} = "ieee"' if breaks else "")


def _autocast(device: str) -> Setting:
    enabled = torch.is_autocast_enabled(device)
    note = "leave torch.autocast" if enabled else ""
    return Setting(f'torch.is_autocast_enabled("{device}")', device, str(enabled), enabled, note)
