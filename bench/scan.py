"""Benchmark of the elementwise recurrences, compared with lower bounds and other implementations.

``python bench/scan.py [--device cuda] [FILE]`` prints tables, and writes the figures to FILE as JSON. The
lower bound of a recurrence is a triad, which reads two arrays and writes one, over arrays of the same size.
On a GPU, it is a copy of as many bytes. The lower bound of a layer is a linear map of the same shapes. On a
CPU, the benchmark uses one thread. The compared runs are interleaved. Each figure is a median, or for layers
a minimum.

Runs that are compared with a triad start without their arrays in the cache; on a GPU, all runs do. On a GPU,
times are GPU times, and the CPU time to start a recurrence is a separate figure.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import published
import torch
from timing import Run, interleaved, keep_memory, on_device, seconds, show, write
from torch import Tensor, nn

from neural.rrnn_b import RRNNB
from neural.rrnn_c import RRNNC
from neural.rrnn_f import RRNNF
from neural.scan import backends, elementwise, gated, gated_pair, log_sum, max_plus
from neural.sru import SRU

SHAPES = {"cpu": [(512, 16, 512), (2048, 4, 512)], "cuda": [(2048, 64, 1024), (512, 16, 512)]}
"""The steps T, the batch size B and the units D of the recurrences, by device."""
FEW = (65_536, 64)
"""The numbers of steps and of lanes of a long recurrence with few lanes, for a GPU."""
COSTS = {"steps": (64, 256, 1024, 4096, 16_384), "lanes": (16, 64, 256, 1024, 4096, 16_384)}
"""The sizes for the plots of the cost per element.

They are numbers of steps with 2,048 lanes, and numbers of lanes with 512 steps.
"""
LINEAR = {"RRNN(B)": (RRNNB, 2), "SRU": (SRU, 3), "RRNN(C)": (RRNNC, 4), "RRNN(F)": (RRNNF, 4)}
"""The layers, each with the number of its linear maps from D to D units."""
WANTED = {
    "cpu": {
        "recurrence": (0.8, 0.6),  # minimum speed relative to a triad, forward and with backward
        "two stages": 2.1,  # maximum time relative to one stage
        "layer": (1.1, 1.15),  # maximum time relative to one linear map, forward and with backward
        "autograd": 60,  # minimum speed relative to a loop in torch, with backward
        "associative": 5,  # minimum speed relative to torch's associative_scan, with backward
    },
    "cuda": {
        "recurrence": (0.8, 0.75),  # minimum speed relative to a copy
        "two stages": 2.1,
        "layer": (1.1, 1.15),
        "autograd": 60,
        "associative": 5,
        "few lanes": 3,  # maximum time relative to a copy
    },
}
FUNCTIONS = {"real": elementwise, "max-plus": max_plus, "log": log_sum, "gates fused": gated}
READ_AND_WRITTEN = {"real": 5, "max-plus": 6, "log": 6, "gates fused": 6}
"""The number of arrays that the backward pass reads or writes, by kind of recurrence.

Over the reals, the gradient does not need the updates.
"""

Functions = Mapping[str, Callable[..., Tensor]]


def reference_run(device: str, f: Tensor, u: Tensor) -> Run:
    """Return a function that runs a triad over arrays like f and u, or on a GPU a copy of as many bytes.

    A triad reads two arrays and writes one.
    """
    if device == "cpu":
        return lambda: torch.add(f, u, alpha=0.5)
    half, other = (
        torch.empty(3 * f.numel() // 2, device=device),
        torch.empty(3 * f.numel() // 2, device=device),
    )
    return lambda: half.copy_(other)


def with_backward(function: Callable[..., Tensor], values: list[Tensor], grad: Tensor) -> Run:
    """Return a function that runs a forward and a backward pass, as in a training step."""

    def run() -> None:
        for value in values:
            value.grad = None
        function(*values).backward(grad)

    return run


def loop(f: Tensor, u: Tensor, c: Tensor) -> Tensor:
    """Compute c_1, ..., c_T of c_t = f_t * c_{t-1} + u_t with a loop in torch."""
    states = []
    for t in range(len(f)):
        c = f[t] * c + u[t]
        states.append(c)
    return torch.stack(states)


def associative(f: Tensor, u: Tensor, c: Tensor) -> Tensor:
    """Compute c_1, ..., c_T of c_t = f_t * c_{t-1} + u_t with torch's own associative scan."""
    from torch._higher_order_ops.associative_scan import associative_scan

    def combine(a: tuple[Tensor, Tensor], b: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        return a[0] * b[0], a[1] * b[0] + b[1]

    factors, sums = associative_scan(combine, (f, u), dim=0, combine_mode="generic")
    return sums + factors * c


def forward_times(functions: Functions, values: list[Tensor], device: str, **bound: Run) -> dict[str, float]:
    """Return the milliseconds of the forward pass of each function, and of each run in ``bound``."""
    detached = [value.detach() for value in values]
    runs = {name: partial(function, *detached) for name, function in functions.items()}
    with torch.no_grad():
        return interleaved({**bound, **runs}, 15, device, from_memory=True)


def backward_times(
    functions: Functions, values: list[Tensor], grad: Tensor, device: str, **bound: Run
) -> dict[str, float]:
    """Return the milliseconds of each function with the backward pass, and of each run in ``bound``."""
    runs = {name: with_backward(function, values, grad) for name, function in functions.items()}
    return interleaved({**bound, **runs}, 15, device, from_memory=True)


def recurrences(shape: tuple[int, int, int], device: str) -> dict[str, Any]:
    """Measure all recurrences for one shape.

    Return their milliseconds with and without the backward pass, and the share of the triad's bandwidth that
    they reach. Other implementations are measured for comparison.
    """
    steps, batch, size = shape
    torch.manual_seed(0)
    f, u, grad = (torch.rand(steps, batch, size, device=device) for _ in range(3))
    values = [f.requires_grad_(), u.requires_grad_(), torch.rand(batch, size, device=device).requires_grad_()]
    second = [torch.rand(steps, batch, size, device=device).requires_grad_() for _ in range(2)]
    slow = {"autograd": loop, "associative": associative}
    if f.numel() >= 2**26:  # their arrays would not fit into memory
        slow = {}

    def two_stages(f: Tensor, u: Tensor, start: Tensor) -> Tensor:
        for value in second:
            value.grad = None
        states: Tensor = gated_pair((f, second[0]), (u, second[1]), (start, start))[1]
        return states

    triad = reference_run(device, f.detach(), u.detach())
    one = forward_times({**FUNCTIONS, **slow}, values, device, triad=triad)
    stages = {"one": gated, "two": two_stages}
    first, two = (
        forward_times(stages, values, device),
        backward_times(FUNCTIONS, values, grad, device, triad=triad),
    )
    later = backward_times(stages, values, grad, device)
    runs = {name: with_backward(run, values, grad) for name, run in {**slow, "real": elementwise}.items()}
    after = interleaved(runs, 1, device) if slow else {}
    return {
        "shape": shape,
        "published": published_times(f.detach(), u.detach(), values, device) if device != "cpu" else {},
        "beside": "a triad" if device == "cpu" else "a copy of as many bytes",
        "triad": one["triad"],
        "recurrences": {
            name: {
                "forward": one[name],
                "backward": two[name],
                "share": one["triad"] / one[name],
                "share_backward": two["triad"] * (3 + READ_AND_WRITTEN[name]) / 3 / two[name],
            }
            for name in FUNCTIONS
        },
        "two stages": with_ratio("two", "one", first, later),
        "others": {
            name: {"forward": one[name], "backward": after[name], "ratio": after[name] / after["real"]}
            for name in slow
        },
    }


def with_ratio(
    name: str, other: str, forward: Mapping[str, float], backward: Mapping[str, float]
) -> dict[str, float]:
    """Return the milliseconds of the run ``name``, and the ratios to those of the run ``other``."""
    return {
        "forward": forward[name],
        "backward": backward[name],
        "ratio": forward[name] / forward[other],
        "ratio_backward": backward[name] / backward[other],
    }


def published_times(f: Tensor, u: Tensor, values: list[Tensor], device: str) -> dict[str, dict[str, float]]:
    """Return the milliseconds of published kernels, and the ratios of their times to ours."""
    figures = {}
    for name, (kernel, own) in published.kernels(f, u).items():
        grad, leaves = torch.rand_like(own[1]), [x.requires_grad_() for x in own]
        with torch.no_grad():
            runs = {"theirs": partial(kernel, *own), "ours": partial(elementwise, *values)}
            one = interleaved(runs, 15, device)
        runs = {
            "theirs": with_backward(kernel, leaves, grad),
            "ours": with_backward(elementwise, values, torch.rand_like(values[0])),
        }
        figures[name] = with_ratio("theirs", "ours", one, interleaved(runs, 15, device))
    return figures


def passes(network: nn.Module, inputs: Tensor, backward: bool) -> Run:
    """Return a function that runs a layer's forward pass, and its backward pass if ``backward`` is true."""

    def run() -> None:
        out = network(inputs)
        out = out if isinstance(out, Tensor) else out[0]
        if backward:
            out.sum().backward()

    return run


def layers(shape: tuple[int, int, int], device: str) -> dict[str, Any]:
    """Return the minimum milliseconds of each layer for one shape, and the ratios to a linear map.

    The linear map computes all linear maps of the layer at once.
    """
    steps, batch, size = shape
    torch.manual_seed(0)
    inputs = torch.randn(steps, batch, size, device=device, requires_grad=True)
    figures = {}
    for name, (layer, maps) in LINEAR.items():
        module, linear = layer(size, size).to(device), nn.Linear(size, maps * size).to(device)

        times = {}
        for way, backward in (("forward", False), ("backward", True)):
            with torch.set_grad_enabled(backward):
                times[way] = interleaved(
                    {"layer": passes(module, inputs, backward), "linear": passes(linear, inputs, backward)},
                    7,
                    device,
                    least=True,
                )
        figures[name] = with_ratio("layer", "linear", **times)
        if device != "cpu" and inputs.numel() < 2**26:  # for larger arrays, the CPU is faster without graphs
            captured = {"layer": graphs(module, inputs), "linear": graphs(linear, inputs)}
            times = {
                way: interleaved({what: own[way] for what, own in captured.items()}, 7, device, least=True)
                for way in ("forward", "backward")
            }
            figures[f"{name}, as CUDA graphs"] = with_ratio("layer", "linear", **times)
    others: dict[str, nn.Module] = {"nn.LSTM": nn.LSTM(size, size).to(device)}
    if device != "cpu":
        others |= published.layers(size, device)
    for name, other in others.items():
        figures[name] = {}
        for way, backward in (("forward", False), ("backward", True)):
            with torch.set_grad_enabled(backward):
                figures[name] |= interleaved({way: passes(other, inputs, backward)}, 1, device, least=True)
    return figures


class FirstOutput(nn.Module):
    """A module that returns only the outputs of a layer, without its final state."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, inputs: Tensor) -> Tensor:
        """Compute the layer's outputs."""
        out = self.layer(inputs)
        return out if isinstance(out, Tensor) else out[0]


def graphs(layer: nn.Module, inputs: Tensor) -> dict[str, Run]:
    """Return two functions that replay a layer as a CUDA graph: the forward pass, and both passes."""
    network, graph = FirstOutput(layer), torch.cuda.CUDAGraph()
    with torch.no_grad():
        network(inputs)
        with torch.cuda.graph(graph):
            network(inputs)
    capture: Any = torch.cuda.make_graphed_callables
    captured = capture(network, (torch.randn_like(inputs).requires_grad_(),))
    return {"forward": graph.replay, "backward": lambda: captured(inputs).sum().backward()}


def costs(device: str) -> dict[str, dict[str, dict[str, float]]]:
    """Return the nanoseconds per element of the forward pass for each size in :data:`COSTS`."""
    result: dict[str, dict[str, dict[str, float]]] = {"steps": {}, "lanes": {}}
    for what, sizes in COSTS.items():
        for size in sizes:
            steps, lanes = (size, 2048) if what == "steps" else (512, size)
            f, u, start = (torch.rand(*s, device=device) for s in ((steps, lanes), (steps, lanes), (lanes,)))
            runs: dict[str, Run] = {"triad": reference_run(device, f, u)}
            runs |= {name: partial(run, f, u, start) for name, run in FUNCTIONS.items()}
            with torch.no_grad():
                times = interleaved(runs, 9, device)
            result[what][str(size)] = {name: 1e6 * taken / f.numel() for name, taken in times.items()}
    return result


def starting(device: str) -> dict[str, float]:
    """Return the time of calls with few elements, in microseconds.

    Most of this time is spent on launching kernels.
    """
    f, u, grad = (torch.rand(4, 64, device=device) for _ in range(3))
    start = torch.rand(64, device=device)
    values = [x.clone().requires_grad_() for x in (f, u, start)]
    calls: dict[str, Run] = {
        "an addition": lambda: torch.add(f, u),
        "forward": lambda: elementwise(f, u, start),
        "with backward": with_backward(elementwise, values, grad),
    }

    def many(call: Run) -> None:
        for _ in range(200):
            call()
        torch.cuda.synchronize()

    return {
        name: 1e6 * min(seconds(lambda: many(call)) for _ in range(4)) / 200  # noqa: B023
        for name, call in calls.items()
    }


def few_lanes(device: str) -> dict[str, float]:
    """Measure a long recurrence with few lanes, and return its milliseconds and the ratio to a copy.

    It runs as a CUDA graph, which excludes the time to launch kernels.
    """
    steps, lanes = FEW
    f, u, start = (torch.rand(*s, device=device) for s in (FEW, FEW, (lanes,)))
    runs: dict[str, Run] = {}
    for name, run in {"scan": lambda: elementwise(f, u, start), "copy": reference_run(device, f, u)}.items():
        run()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph), torch.no_grad():
            run()
        runs[name] = graph.replay
    times = interleaved(runs, 25, device)
    return {
        "steps": steps,
        "lanes": lanes,
        "milliseconds": times["scan"],
        "ratio": times["scan"] / times["copy"],
    }


def main() -> None:
    """Print the tables, and write the figures."""
    device, about, file = on_device()
    if device == "cpu":
        torch.set_num_threads(1)
    choice = backends.chosen(device, torch.float32)
    results: dict[str, Any] = {**about, "backend": choice.name, "shapes": [], "costs": costs(device)}
    show(f"milliseconds; {choice.why}", results)
    if device != "cpu":
        results["starting"] = starting(device)
        show("microseconds of a call", results["starting"])
        results["few lanes"] = few_lanes(device)
        show("few lanes", results["few lanes"])
    for shape in SHAPES[device]:
        measured = recurrences(shape, device) | {"layers": layers(shape, device)}
        results["shapes"].append(measured)
        show(f"T, B, D = {shape}", measured)
        rows = {"two stages": measured["two stages"]}
        for part in ("recurrences", "others", "published", "layers"):
            rows |= measured[part]
        for what, row in rows.items():
            show(f"  {what}", row)
    write(results, file)


if __name__ == "__main__":
    keep_memory()
    main()
