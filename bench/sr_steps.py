"""Benchmark of training steps of state-regularized layers, compared with loops over torch cells.

``python bench/sr_steps.py [FILE]`` prints a table, and writes the figures to FILE as JSON. The torch cells
are ``nn.GRUCell`` or ``nn.LSTMCell`` of the same size. Each step is a forward and a backward pass, on one
thread of a CPU. The compared runs alternate, and each figure is a minimum.
"""

from collections.abc import Callable
from typing import Any

import torch
from timing import interleaved, keep_memory, on_device, show, write
from torch import Tensor, nn

from neural.state_regularized import fast_steps
from neural.state_regularized.layers import LSTMP, SRGRU, SRLSTM, SRLSTMP

SHAPES = ((100, 64, 20, 20, 5), (196, 64, 1, 64, 10), (100, 128, 64, 100, 50), (200, 64, 100, 256, 10))
"""The sizes T, B, the size of the inputs, the number d of units, and the number k of centroids."""
LAYERS = {"SR-GRU": SRGRU, "SR-LSTM": SRLSTM, "SR-LSTM-P": SRLSTMP, "LSTM-P": LSTMP}
CELLS = {"SR-GRU": nn.GRUCell, "SR-LSTM": nn.LSTMCell, "SR-LSTM-P": nn.LSTMCell, "LSTM-P": nn.LSTMCell}
WANTED = 1.5
"""The maximum ratio of a layer's time to that of a loop over a torch cell."""
TIMES = 12


def unrolled(cell: nn.Module, inputs: Tensor) -> Tensor:
    """Return the outputs of a torch cell that is called step by step."""
    state, outputs = None, []
    for x in inputs.unbind(0):
        state = cell(x, state)
        outputs.append(state if isinstance(state, Tensor) else state[0])
    return torch.stack(outputs)


def trained(module: nn.Module, run: Callable[[], Tensor]) -> Callable[[], None]:
    """Return a function that performs a training step: the forward pass ``run`` and the backward pass."""

    def step() -> None:
        module.zero_grad()
        run().sum().backward()  # type: ignore[no-untyped-call]

    return step


def without_gradient_by_hand(layer: nn.Module, inputs: Tensor) -> Tensor:
    """Return the outputs of a layer, computed such that autograd replaces the hand-written gradient."""
    can = fast_steps.can_run
    fast_steps.can_run = lambda *arguments: False
    try:
        output: Tensor = layer(inputs)[0]
    finally:
        fast_steps.can_run = can
    return output


def measured(name: str, shape: tuple[int, ...]) -> dict[str, float]:
    """Return the milliseconds of a training step of each implementation.

    They are the layer, a loop over a torch cell, and the layer with autograd.
    """
    time, batch, size, d, k = shape
    inputs = torch.randn(time, batch, size)
    layer: Any = LAYERS[name](size, d, **({} if name == "LSTM-P" else {"k": k}))
    cell = CELLS[name](size, d)
    runs = {
        "layer": trained(layer, lambda: layer(inputs)[0]),
        "cell": trained(cell, lambda: unrolled(cell, inputs)),
        "autograd": trained(layer, lambda: without_gradient_by_hand(layer, inputs)),
    }
    return interleaved(runs, TIMES, "cpu", least=True)


def main() -> None:
    """Print a table, and write the figures."""
    _, about, file = on_device(of_gpus=False)
    keep_memory()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    results: dict[str, Any] = {**about, "rows": []}
    show("milliseconds", {**about, "times the cell, at most": WANTED})
    for shape in SHAPES:
        for name in LAYERS:
            took = measured(name, shape)
            figures = {f"{what}_ms": round(ms, 3) for what, ms in took.items()}
            results["rows"].append({"layer": name, "shape": shape} | figures)
            show(f"  {name} {shape}", {**took, "times the cell": took["layer"] / took["cell"]})
    write(results, file)


if __name__ == "__main__":
    main()
