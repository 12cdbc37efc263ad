"""Forward of a batch of strings under a dense automaton, by the networks' kernels, beside the NumPy
semantics: 256 strings of length 64, 8 symbols, one thread.

``python bench/matrix_scan.py [--device cuda] [FILE]``. In each row the runs take turns, and times are
medians. For the real semiring one matrix product with as many multiplications stands beside it, which is what
bounds it. NumPy is in float64, as the same kernel is in the column beside it; networks are in float32.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scan import interleaved

from automata import batch
from automata.semirings import LOG, MAX_PLUS, MAX_TIMES, REAL
from automata.wfsa import WFSA
from neural.scan import backends, matrix_scan, use

STRINGS, LENGTH, SYMBOLS = 256, 64, "abcdefgh"
STATES = (16, 32, 64, 128, 256)
SEMIRINGS = {"real": REAL, "max_plus": MAX_PLUS, "max_times": MAX_TIMES, "log": LOG}
SLOW = 4
"""What takes seconds runs so often."""


def measured(states: int, name: str, device: str) -> dict[str, float]:
    """Milliseconds."""
    rng = np.random.default_rng(states)
    tables = rng.random((len(SYMBOLS), states, states)) + 0.5
    tables = tables / states if name == "real" else tables / tables.max() if name == "max_times" else tables
    semiring = SEMIRINGS[name]
    read = rng.integers(0, len(SYMBOLS), (LENGTH, STRINGS))
    few = 16 if name == "log" else STRINGS  # NumPy's logarithms of sums take minutes for all
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
        def run() -> object:
            values = leaves if gradients else (matrices, start)
            with torch.set_grad_enabled(gradients):
                result = matrix_scan(values[0], symbols, values[1], None, name)
            return torch.autograd.grad(result, leaves, weights) if gradients else result

        def forced() -> object:
            with use(backend):
                return run()

        return run if backend is None else forced

    rows = torch.rand(LENGTH * STRINGS, states, device=device)
    runs = {
        "kernel": by(None),
        "with backward": by(None, gradients=True),
        "kernel in float64": lambda: matrix_scan(wide[0], symbols, wide[1], None, name),
    }
    if name == "real":
        runs["matrix product"] = lambda: rows @ matrices[0]
    times = interleaved(runs, 9, device)
    slow = {"numpy": lambda: batch.scores(automaton, strings), "torch": by("torch")}
    times |= interleaved(slow, SLOW, device)
    return {**times, "numpy": times["numpy"] * STRINGS / few}


def main() -> None:
    """Print a table, and write the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    parser.add_argument("file", nargs="?")
    arguments = parser.parse_args()
    device = arguments.device
    torch.set_num_threads(1)
    name = torch.cuda.get_device_name() if device != "cpu" else platform.machine()
    results: dict[str, Any] = {
        "date": str(date.today()),
        "device": name,
        "torch": torch.__version__,
        "backend": backends.chosen(device, torch.float32).name,
        "strings": STRINGS,
        "length": LENGTH,
        "symbols": len(SYMBOLS),
        "rows": [],
    }
    print(f"{results['date']}, {name}, torch {torch.__version__}, backend {results['backend']}; milliseconds")
    for semiring in SEMIRINGS:
        for states in STATES:
            row = measured(states, semiring, device)
            results["rows"].append({"semiring": semiring, "states": states, **row})
            print(
                f"  {semiring:10} {states:4}: "
                + ", ".join(f"{what} {took:.2f}" for what, took in row.items()),
                flush=True,
            )
    if arguments.file:
        Path(arguments.file).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
