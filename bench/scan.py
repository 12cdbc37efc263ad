"""The elementwise recurrences beside what bounds them, in one run: a triad over arrays of the same size, a
linear map of the same shapes as a layer's; and beside other ways to compute them.

``python bench/scan.py [--device cuda] [FILE]`` prints tables, and writes the figures to FILE as JSON. On a
CPU it runs on one thread. Runs of what is compared are interleaved, and each figure is a median; of layers it
is a minimum. What is compared with a triad begins with none of its arrays in the cache. On a GPU that holds
for all, times are the GPU's, and what it takes the CPU to start a recurrence is a figure of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from time import perf_counter
from typing import Any

import published
import torch
from torch import Tensor, nn

from neural.rrnn_b import RRNNB
from neural.rrnn_c import RRNNC
from neural.rrnn_f import RRNNF
from neural.scan import backends, elementwise, gated, gated_pair, log_sum, max_plus
from neural.sru import SRU

SHAPES = {"cpu": [(512, 16, 512), (2048, 4, 512)], "cuda": [(2048, 64, 1024), (512, 16, 512)]}
"""T, B and D."""
FEW = (65_536, 64)
"""T, and lanes, of which there are few: on a GPU."""
COSTS = {"steps": (64, 256, 1024, 4096, 16_384), "lanes": (16, 64, 256, 1024, 4096, 16_384)}
"""What the cost of a number is drawn against; 2,048 lanes, and 512 steps."""
LINEAR = {"RRNN(B)": (RRNNB, 2), "SRU": (SRU, 3), "RRNN(C)": (RRNNC, 4), "RRNN(F)": (RRNNF, 4)}
"""Layers, and how many linear maps of D x D each has."""
WANTED = {
    "cpu": {
        "recurrence": (0.8, 0.6),  # of a triad's speed, forward and with backward
        "two stages": 2.1,  # times one stage
        "layer": (1.1, 1.15),  # times one linear map, forward and with backward
        "autograd": 60,  # times faster than a loop that autograd runs back through
        "associative": 5,  # times faster than torch's associative_scan
    },
    "cuda": {
        "recurrence": (0.8, 0.75),  # of a copy's speed
        "two stages": 2.1,
        "layer": (1.1, 1.15),
        "autograd": 60,
        "associative": 5,
        "few lanes": 3,  # times as long as a copy
    },
}
OTHER = {"cpu": 2**26, "cuda": 2**28}
"""Numbers of 4 bytes that are written to between runs: more than any cache holds; and on a GPU enough to keep
it busy while the CPU starts a run.
"""
READ_AND_WRITTEN = {"real": 5, "max-plus": 6, "log": 6, "gates fused": 6}
"""Arrays that the gradient has to read or write: over the reals it needs no updates."""
Run = Callable[[], object]


KEPT = {"MALLOC_TRIM_THRESHOLD_": str(2**40), "MALLOC_MMAP_THRESHOLD_": str(2**40)}
"""With these, glibc keeps memory that is freed, as a long run of training comes to do; else what is measured
is now and then how long the system takes to hand out fresh pages.
"""


def keep_memory() -> None:
    """Start this program again with :data:`KEPT`, unless it runs so."""
    if not KEPT.items() <= os.environ.items():
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **KEPT})


def interleaved(
    runs: Mapping[str, Run], times: int, device: str, least: bool = False, from_memory: bool = False
) -> dict[str, float]:
    """Milliseconds of each, runs taking turns: the median, or the minimum.

    With ``from_memory``, and always on a GPU, other memory is written to before each run, so that none finds
    its arrays in the cache: how much of them the run before has left there depends on the order.
    """
    taken: dict[str, list[float]] = {name: [] for name in runs}
    on_gpu = device != "cpu"
    other = torch.zeros(OTHER[device] if from_memory or on_gpu else 0, device=device)
    for turn in range(times + 2):
        for name, run in runs.items():
            other += 1
            milliseconds = _on_gpu(run) if on_gpu else _on_cpu(run)
            if turn > 1:
                taken[name].append(milliseconds)
    return {name: min(t) if least else sorted(t)[len(t) // 2] for name, t in taken.items()}


def _on_cpu(run: Run) -> float:
    begun = perf_counter()
    run()
    return 1000 * (perf_counter() - begun)


def _on_gpu(run: Run) -> float:
    """What the GPU takes, which is busy until the run is started."""
    begun, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begun.record()
    run()
    ended.record()
    ended.synchronize()
    return float(begun.elapsed_time(ended))


def beside(device: str, f: Tensor, u: Tensor) -> Run:
    """What reads two arrays and writes one: a triad; on a GPU a copy of as many bytes."""
    if device == "cpu":
        return lambda: torch.add(f, u, alpha=0.5)
    half, other = (
        torch.empty(3 * f.numel() // 2, device=device),
        torch.empty(3 * f.numel() // 2, device=device),
    )
    return lambda: half.copy_(other)


def with_backward(function: Callable[..., Tensor], values: list[Tensor], grad: Tensor) -> Run:
    """Forward and backward, as a training step has them."""

    def run() -> None:
        for value in values:
            value.grad = None
        function(*values).backward(grad)

    return run


def written_out(f: Tensor, u: Tensor, c: Tensor) -> Tensor:
    """The recurrence over the reals as a loop that autograd runs back through."""
    states = []
    for t in range(len(f)):
        c = f[t] * c + u[t]
        states.append(c)
    return torch.stack(states)


def associative(f: Tensor, u: Tensor, c: Tensor) -> Tensor:
    """The recurrence over the reals by torch's own scan of pairs."""
    from torch._higher_order_ops.associative_scan import associative_scan

    def combine(a: tuple[Tensor, Tensor], b: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        return a[0] * b[0], a[1] * b[0] + b[1]

    factors, sums = associative_scan(combine, (f, u), dim=0, combine_mode="generic")
    return sums + factors * c


def recurrences(shape: tuple[int, int, int], device: str) -> dict[str, Any]:
    """Milliseconds, forward and with backward, and shares of the triad's speed by bytes moved."""
    steps, batch, size = shape
    torch.manual_seed(0)
    f, u, grad = (torch.rand(steps, batch, size, device=device) for _ in range(3))
    start = torch.rand(batch, size, device=device)
    functions = {"real": elementwise, "max-plus": max_plus, "log": log_sum, "gates fused": gated}
    forward: dict[str, Run] = {"triad": beside(device, f, u)}
    forward |= {name: (lambda run=run: run(f, u, start)) for name, run in functions.items()}
    with_others = f.numel() < 2**26  # of the rest the memory would not do
    if with_others:
        forward |= {"autograd": lambda: written_out(f, u, start)}
        forward |= {"associative": lambda: associative(f, u, start)}
    values = [x.clone().requires_grad_() for x in (f, u, start)]
    second = [torch.rand(steps, batch, size, device=device).requires_grad_() for _ in range(2)]

    def two_stages(f: Tensor, u: Tensor, start: Tensor) -> Tensor:
        states: Tensor = gated_pair((f, second[0]), (u, second[1]), (start, start))[1]
        return states

    stages = {"one": gated, "two": two_stages}
    both: dict[str, Run] = {"triad": forward["triad"]}
    both |= {name: with_backward(run, values, grad) for name, run in functions.items()}
    slow = {
        "autograd": with_backward(written_out, values, grad),
        "associative": with_backward(associative, values, grad),
    }
    with torch.no_grad():
        one = interleaved(forward, 15, device, from_memory=True)
        ahead = interleaved(
            {name: (lambda run=run: run(f, u, start)) for name, run in stages.items()},
            15,
            device,
            from_memory=True,
        )
    two = interleaved(both, 15, device, from_memory=True)
    fresh = [*values, *second]  # whose gradients are not added to those of the last run
    back = interleaved(
        {name: with_backward(lambda *v, run=run: run(*v[:3]), fresh, grad) for name, run in stages.items()},
        15,
        device,
        from_memory=True,
    )
    after = interleaved({**slow, "real": both["real"]}, 1, device) if with_others else {}
    figures = {
        name: {
            "forward": one[name],
            "backward": two[name],
            "share": one["triad"] / one[name],
            "share_backward": two["triad"] * (3 + READ_AND_WRITTEN[name]) / 3 / two[name],
        }
        for name in functions
    }
    others = {
        name: {"forward": one[name], "backward": after[name], "ratio": after[name] / after["real"]}
        for name in (slow if with_others else ())
    }
    fused = {
        "forward": ahead["two"],
        "backward": back["two"],
        "ratio": ahead["two"] / ahead["one"],
        "ratio_backward": back["two"] / back["one"],
    }
    theirs = beside_published(f, u, values, both["real"], device) if device != "cpu" else {}
    return {
        "shape": shape,
        "published": theirs,
        "beside": "a triad" if device == "cpu" else "a copy of as many bytes",
        "triad": one["triad"],
        "recurrences": figures,
        "two stages": fused,
        "others": others,
    }


def beside_published(
    f: Tensor, u: Tensor, values: list[Tensor], ours: Run, device: str
) -> dict[str, dict[str, float]]:
    """Milliseconds of what others publish, and how many times ours that is."""
    figures = {}
    for name, (kernel, own) in published.kernels(f, u).items():
        leaves = [x.requires_grad_() for x in own]
        grad = torch.rand_like(own[1])
        with torch.no_grad():
            runs: dict[str, Run] = {"theirs": lambda: kernel(*own), "ours": lambda: elementwise(*values)}  # noqa: B023
            one = interleaved(runs, 15, device)
        two = interleaved({"theirs": with_backward(kernel, leaves, grad), "ours": ours}, 15, device)
        figures[name] = {
            "forward": one["theirs"],
            "backward": two["theirs"],
            "ratio": one["theirs"] / one["ours"],
            "ratio_backward": two["theirs"] / two["ours"],
        }
    return figures


def layers(shape: tuple[int, int, int], device: str) -> dict[str, Any]:
    """Milliseconds of layers and of one linear map of the same shapes, minima."""
    steps, batch, size = shape
    torch.manual_seed(0)
    inputs = torch.randn(steps, batch, size, device=device, requires_grad=True)
    figures = {}
    for name, (layer, maps) in LINEAR.items():
        module, linear = layer(size, size).to(device), nn.Linear(size, maps * size).to(device)

        def passes(network: nn.Module, backward: bool) -> Run:
            def run() -> None:
                out = network(inputs)
                out = out if isinstance(out, Tensor) else out[0]
                if backward:
                    out.sum().backward()

            return run

        times = {}
        for way, backward in (("forward", False), ("backward", True)):
            with torch.set_grad_enabled(backward):
                times[way] = interleaved(
                    {"layer": passes(module, backward), "linear": passes(linear, backward)},
                    7,
                    device,
                    least=True,
                )
        figures[name] = _beside_linear(times)
        if device != "cpu" and inputs.numel() < 2**26:  # of larger arrays the CPU is ahead without graphs
            captured = {"layer": graphs(module, inputs), "linear": graphs(linear, inputs)}
            times = {
                way: interleaved({what: own[way] for what, own in captured.items()}, 7, device, least=True)
                for way in ("forward", "backward")
            }
            figures[f"{name}, as CUDA graphs"] = _beside_linear(times)
    others: dict[str, nn.Module] = {"nn.LSTM": nn.LSTM(size, size).to(device)}
    if device != "cpu":
        others |= published.layers(size, device)
    for name, other in others.items():
        with torch.no_grad():
            ahead = interleaved({"layer": lambda run=other: run(inputs)}, 1, device, least=True)
        back = interleaved(
            {"layer": lambda run=other: run(inputs)[0].sum().backward()}, 1, device, least=True
        )
        figures[name] = {"forward": ahead["layer"], "backward": back["layer"]}
    return figures


def _beside_linear(times: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return a layer's milliseconds, forward and with backward, and how many times a linear map's that is."""
    forward, backward = times["forward"], times["backward"]
    return {
        "forward": forward["layer"],
        "backward": backward["layer"],
        "ratio": forward["layer"] / forward["linear"],
        "ratio_backward": backward["layer"] / backward["linear"],
    }


class FirstOutput(nn.Module):
    """A layer without its last state."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, inputs: Tensor) -> Tensor:
        """Return the layer's outputs."""
        out = self.layer(inputs)
        return out if isinstance(out, Tensor) else out[0]


def graphs(layer: nn.Module, inputs: Tensor) -> dict[str, Run]:
    """Return runs of a layer as CUDA graphs, forward alone and with backward."""
    network, graph = FirstOutput(layer), torch.cuda.CUDAGraph()
    with torch.no_grad():
        network(inputs)
        with torch.cuda.graph(graph):
            network(inputs)
    capture: Any = torch.cuda.make_graphed_callables
    captured = capture(network, (torch.randn_like(inputs).requires_grad_(),))
    return {"forward": graph.replay, "backward": lambda: captured(inputs).sum().backward()}


def costs(device: str) -> dict[str, dict[str, dict[str, float]]]:
    """Nanoseconds a number, forward, by the number of steps and of lanes."""
    result: dict[str, dict[str, dict[str, float]]] = {"steps": {}, "lanes": {}}
    for what, sizes in COSTS.items():
        for size in sizes:
            steps, lanes = (size, 2048) if what == "steps" else (512, size)
            f, u, start = (torch.rand(*s, device=device) for s in ((steps, lanes), (steps, lanes), (lanes,)))
            functions = {"real": elementwise, "max-plus": max_plus, "log": log_sum, "gates fused": gated}
            runs: dict[str, Run] = {"triad": beside(device, f, u)}
            runs |= {
                name: (lambda run=run, f=f, u=u, c=start: run(f, u, c)) for name, run in functions.items()
            }
            with torch.no_grad():
                times = interleaved(runs, 9, device)
            result[what][str(size)] = {name: 1e6 * taken / f.numel() for name, taken in times.items()}
    return result


def starting(device: str) -> dict[str, float]:
    """Microseconds of a call with a few numbers: what it takes the CPU to start the kernels."""
    f, u, grad = (torch.rand(4, 64, device=device) for _ in range(3))
    start = torch.rand(64, device=device)
    values = [x.clone().requires_grad_() for x in (f, u, start)]
    calls: dict[str, Run] = {
        "an addition": lambda: torch.add(f, u),
        "forward": lambda: elementwise(f, u, start),
        "with backward": with_backward(elementwise, values, grad),
    }

    def many(call: Run) -> float:
        begun = perf_counter()
        for _ in range(200):
            call()
        torch.cuda.synchronize()
        return 1e6 * (perf_counter() - begun) / 200

    return {name: min(many(call) for _ in range(4)) for name, call in calls.items()}


def few_lanes(device: str) -> dict[str, float]:
    """A long string of few lanes: without the time that a CPU takes to start kernels, as a CUDA graph."""
    steps, lanes = FEW
    f, u, start = (torch.rand(*s, device=device) for s in (FEW, FEW, (lanes,)))
    runs: dict[str, Run] = {}
    for name, run in {"scan": lambda: elementwise(f, u, start), "copy": beside(device, f, u)}.items():
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


def _line(what: str, row: Mapping[str, float]) -> str:
    return f"  {what:12} {row['forward']:8.2f} ms {row['backward']:8.2f} ms with backward"


def main() -> None:
    """Print the tables, and write the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    parser.add_argument("file", nargs="?")
    arguments = parser.parse_args()
    device = arguments.device
    if device == "cpu":
        torch.set_num_threads(1)
    name = torch.cuda.get_device_name() if device != "cpu" else platform.machine()
    choice = backends.chosen(device, torch.float32)
    results: dict[str, Any] = {
        "date": str(date.today()),
        "device": name,
        "torch": torch.__version__,
        "backend": choice.name,
        "shapes": [],
        "costs": costs(device),
    }
    if device != "cpu":
        results["starting"] = starting(device)
        print("microseconds of a call: " + ", ".join(f"{k} {v:.0f}" for k, v in results["starting"].items()))
        results["few lanes"] = few = few_lanes(device)
        print(f"T, N = {FEW}: {few['milliseconds']:.3f} ms, {few['ratio']:.1f} times a copy's")
    print(f"{results['date']}, {name}, torch {torch.__version__}, backend {choice.name}: {choice.why}")
    for shape in SHAPES[device]:
        measured = recurrences(shape, device) | {"layers": layers(shape, device)}
        results["shapes"].append(measured)
        print(f"T, B, D = {shape}: {measured['beside']} takes {measured['triad']:.2f} ms")
        for what, row in measured["recurrences"].items():
            print(f"{_line(what, row)}; {row['share']:.2f} and {row['share_backward']:.2f} of its speed")
        row = measured["two stages"]
        print(f"{_line('two stages', row)}; {row['ratio']:.2f} and {row['ratio_backward']:.2f} times one")
        for what, row in measured["others"].items():
            print(_line(what, row) + f"; {row['ratio']:.0f} times")
        for what, row in measured["published"].items():
            print(_line(what, row) + f"; {row['ratio']:.2f} and {row['ratio_backward']:.2f} times ours")
        for what, row in measured["layers"].items():
            ratios = (
                f"; {row['ratio']:.2f} and {row['ratio_backward']:.2f} times a linear map"
                if "ratio" in row
                else ""
            )
            print(_line(what, row) + ratios)
    if arguments.file:
        Path(arguments.file).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    keep_memory()
    main()
