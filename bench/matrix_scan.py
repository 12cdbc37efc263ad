"""Benchmark of the Forward algorithm for a batch of strings and a dense automaton.

``python bench/matrix_scan.py [--device cuda] [FILE]`` prints a table of the times of our kernels and of
NumPy, and writes the figures to FILE as JSON. There are 256 strings of length 64, 8 symbols, and one thread.
The compared runs of a row alternate, and times are medians. For the real semiring, the lower bound is one
matrix product with the same number of multiplications. NumPy computes in float64. Our kernels compute in
float32, as in networks, except in the column "kernel in float64".

On a GPU, times are GPU times, and there are more rows:

- the kernels in bfloat16, and the loops of torch with the backward pass;
- recurrences with a separate matrix for each step of each string, 1 GiB in total, compared with a copy of the
  same number of bytes;
- a single string, in which each step waits for the previous one.
"""

from collections.abc import Callable
from contextlib import nullcontext
from itertools import product
from typing import Any

import numpy as np
import torch
from timing import interleaved, on_device, show, write
from torch import Tensor

from automata import batch
from automata.semirings import LOG, MAX_PLUS, MAX_TIMES, REAL
from automata.wfsa import WFSA
from neural.scan import matrix_scan, use
from neural.scan.matrices import operators

STRINGS, LENGTH, SYMBOLS = 256, 64, "abcdefgh"
STATES = (16, 32, 64, 128, 256)
SEMIRINGS = {"real": REAL, "max_plus": MAX_PLUS, "max_times": MAX_TIMES, "log": LOG}
OWN = 2**28
"""The total number of matrix entries in the rows in which each step of each string has its own matrix."""
LONG, LOOP = 10_000, 1000
"""The length of the string in the rows with a single string, and of the prefix that loops of torch read."""
SLOW = 4
"""The number of repetitions for runs that take seconds."""


def scanning(
    values: list[Tensor], symbols: Tensor, semiring: str, backend: str | None, weights: Tensor | None = None
) -> Callable[[], object]:
    """Return a function that runs ``matrix_scan`` with the named backend, or the default if it is ``None``.

    If ``weights``, the gradient of the states, is given, the function also runs the backward pass.
    """

    def run() -> object:
        with torch.set_grad_enabled(weights is not None), use(backend) if backend else nullcontext():
            result = matrix_scan(values[0], symbols, values[1], None, semiring)
            return result if weights is None else torch.autograd.grad(result, values, weights)

    return run


def own_matrices(states: int, device: str) -> dict[str, float]:
    """Measure the kernel with a separate matrix for each step of each string.

    Return the milliseconds of the kernel and of a copy of as many bytes, and the share of the copy's
    bandwidth that the kernel reaches. The backward pass reads the matrices again, and writes their gradients.
    """
    strings = max(1, OWN // (LENGTH * states**2))
    number = LENGTH * strings
    symbols = torch.arange(number, device=device).reshape(LENGTH, strings)
    matrices = torch.rand(number, states, states, device=device) / states
    values = [matrices.requires_grad_(), torch.rand(strings, states, device=device).requires_grad_()]
    weights = torch.rand(LENGTH, strings, states, device=device)
    source, target = (torch.empty(matrices.numel() // 2, device=device) for _ in range(2))
    runs = {
        "copy": lambda: target.copy_(source),
        "kernel": scanning(values, symbols, "real", None),
        "with backward": scanning(values, symbols, "real", None, weights),
    }
    times = interleaved(runs, 9, device)
    shares = times["copy"] / times["kernel"], 3 * times["copy"] / times["with backward"]
    row = {"states": states, "strings": strings, "bytes": 4 * matrices.numel(), **times}
    return {**row, "share": shares[0], "share with backward": shares[1]}


def one_string(states: int, name: str, device: str) -> dict[str, float]:
    """Return the microseconds per step on a single long string, for the kernel and for the loops of torch."""
    symbols = torch.randint(0, len(SYMBOLS), (LONG, 1), device=device)
    values = [torch.rand(len(SYMBOLS), states, states, device=device) / states]
    values.append(torch.rand(1, states, device=device))
    runs = {"kernel": scanning(values, symbols, name, None)}
    loop = {"torch": scanning(values, symbols[:LOOP], name, "torch")}
    times = {"kernel": interleaved(runs, 5, device)["kernel"] / LONG}
    times["torch"] = interleaved(loop, 1, device)["torch"] / LOOP
    return {what: 1000 * took for what, took in times.items()}


def measured(states: int, name: str, device: str) -> dict[str, float]:
    """Return the milliseconds of each implementation for an automaton with this many states."""
    rng = np.random.default_rng(states)
    tables = rng.random((len(SYMBOLS), states, states)) + 0.5
    tables = tables / states if name == "real" else tables / tables.max() if name == "max_times" else tables
    semiring = SEMIRINGS[name]
    read = rng.integers(0, len(SYMBOLS), (LENGTH, STRINGS))
    few = 16 if name == "log" else STRINGS  # NumPy's log-sums take minutes for all strings
    strings = ["".join(SYMBOLS[k] for k in read[:, b]) for b in range(few)]
    initial, final = rng.random(states), rng.random(states)
    automaton = WFSA(semiring, initial, final, dict(zip(SYMBOLS, tables, strict=True)))
    symbols = torch.tensor(read, device=device)
    wide = [torch.tensor(x, device=device) for x in (tables, np.tile(initial, (STRINGS, 1)))]
    matrices, start = (x.float() for x in wide)
    last = matrix_scan(wide[0], symbols, wide[1], None, name)[-1].cpu().numpy()
    scores = semiring.sum(semiring.times(last, final), axis=1)
    assert np.allclose(np.asarray(scores[:few], float), np.asarray(batch.scores(automaton, strings), float))

    weights = torch.rand(LENGTH, STRINGS, states, device=device)
    leaves = [x.clone().requires_grad_() for x in (matrices, start)]

    def by(backend: str | None, gradients: bool = False) -> Callable[[], object]:
        tensors = leaves if gradients else [matrices, start]
        return scanning(tensors, symbols, name, backend, weights if gradients else None)

    rows = torch.rand(LENGTH * STRINGS, states, device=device)
    runs = {
        "kernel": by(None),
        "with backward": by(None, gradients=True),
        "kernel in float64": lambda: matrix_scan(wide[0], symbols, wide[1], None, name),
    }
    if name == "real":
        runs["matrix product"] = lambda: rows @ matrices[0]
    slow = {"torch": by("torch")}
    if device != "cpu":
        narrow = [x.bfloat16() for x in (matrices, start)]
        runs["in bfloat16"] = scanning(narrow, symbols, name, None)
        slow["torch with backward"] = by("torch", gradients=True)
    times = interleaved(runs, 9, device)
    times |= interleaved(slow, SLOW, device)
    times |= interleaved({"numpy": lambda: batch.scores(automaton, strings)}, SLOW, "cpu")
    return {**times, "numpy": times["numpy"] * STRINGS / few}


def main() -> None:
    """Print a table, and write the figures."""
    device, about, file = on_device()
    torch.set_num_threads(1)
    results: dict[str, Any] = {
        **about,
        "backend": operators.chosen(device, torch.float32).name,
        "strings": STRINGS,
        "length": LENGTH,
        "symbols": len(SYMBOLS),
        "rows": [],
    }
    show("milliseconds", results)
    for semiring, states in product(SEMIRINGS, STATES):
        row = {"semiring": semiring, "states": states, **measured(states, semiring, device)}
        results["rows"].append(row)
        show("  ", row)
    if device != "cpu":
        results |= {"own": [], "one string": [], "length of one string": LONG}
        for states in STATES:
            results["own"].append(row := own_matrices(states, device))
            show("  a matrix for each step", row)
        for semiring, states in product(SEMIRINGS, STATES):
            row = {"semiring": semiring, "states": states, **one_string(states, semiring, device)}
            results["one string"].append(row)
            show("  one string, microseconds a step", row)
    write(results, file)


if __name__ == "__main__":
    main()
