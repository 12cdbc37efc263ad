"""What ``believe_kernel`` and ``believe_stateful`` say of right kernels and of wrong ones: how many cases of
right kernels were held without a false alarm, and how long it takes until planted mistakes are refuted.

``python bench/kernels.py right --minutes 60 --jobs 2`` goes on with fresh cases of right kernels, in turn,
and ``python bench/kernels.py planted`` plants the mistakes one after another; both write to ``results/``.
Strings have all lengths that users have. What had run is kept when it is stopped.

A case is what Hypothesis draws; a case of ``split`` is two calls, and counts once.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from datetime import date
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from proofs_tests.kernels import chunked, test_believe_kernel, test_sizes_and_calls
from proofs_tests.kernels.orders import ORDERS
from proofs_tests.kernels.recurrent import KERNELS
from proofs_tests.stateful.causal import CausalLM
from ratproof import believe_kernel, believe_stateful, of_causal_model
from ratproof.record.results import Result
from ratproof.runner.user_files import outcome_of
from theory.claim import Claim
from theory.registry import registered

RESULTS = Path(__file__).parent / "results"
EXAMPLES, ROUND = 100, 400
"""Random cases a rung, to find a mistake; and in a round of right kernels, half of them of random lengths."""
WANTED_CASES, WANTED_SECONDS = 10_000, 60
FORMATS = ("float32", "float64")
CHUNKED: dict[str, tuple[str, Callable[..., Any], dict[str, Any]]] = {
    "gla, chunks of 16": ("gla", chunked.gla, {"chunk": 16}),
    "gla, chunks of 64": ("gla", partial(chunked.gla, chunk=64), {"chunk": 64}),
    "delta-rule, chunks of 16": ("delta-rule", chunked.delta, {"chunk": 16}),
    "delta-rule, chunks of 64": ("delta-rule", partial(chunked.delta, chunk=64), {"chunk": 64}),
    "delta-rule, chunks of 16, an inverse": (
        "delta-rule",
        partial(chunked.delta, inverse="explicit"),
        {"chunk": 16, "inverse": "explicit"},
    ),
    "delta-rule, chunks of 16, the WY form": (
        "delta-rule",
        partial(chunked.delta, inverse="two products"),
        {"chunk": 16, "inverse": "explicit"},
    ),
    "gated-delta-rule, chunks of 16": ("gated-delta-rule", chunked.gated_delta, {"chunk": 16}),
    "rwkv-7, chunks of 16": ("rwkv-7", chunked.rwkv_7, {"chunk": 16}),
    "rwkv-7, chunks of 16, an inverse": (
        "rwkv-7",
        partial(chunked.rwkv_7, inverse="explicit"),
        {"chunk": 16, "inverse": "explicit"},
    ),
}


def right_kernels(dtypes: tuple[str, ...] = FORMATS) -> dict[str, Claim]:
    """Each right kernel's claim, in these formats: those of the families' table, those with a step's terms in
    other orders, and those in chunks.
    """
    claims = {
        name: believe_kernel("right", family=name, kernel=kernel, dtypes=dtypes)
        for name, kernel in KERNELS.items()
    }
    for name, (family, kernel) in ORDERS.items():
        claims[f"{family}, {name}"] = believe_kernel("right", family=family, kernel=kernel, dtypes=dtypes)
    for name, (family, kernel, more) in CHUNKED.items():
        more = {"form": "chunked", "dtypes": dtypes, **more}
        claims[name] = believe_kernel("right", family=family, kernel=kernel, **more)
    return claims


def right(minutes: float, seed: int, jobs: int, only: list[str]) -> None:
    """Hold right kernels in turn, the one with the fewest cases first, until each has had enough of them, or
    for so long; a round is in one format, and the next one in the other. What an earlier run with this seed
    did is gone on with; that of another seed is kept beside, as it was written.
    """
    path = RESULTS / "kernels_right.json"
    before = json.loads(path.read_text()) if path.exists() else {}
    rows: dict[str, Any] = before["kernels"] if before.get("seed") == seed else {}
    earlier = before.pop("earlier", []) + ([before] if before.get("seed", seed) != seed else [])
    names, began = list(right_kernels()), time.perf_counter()
    for name in names:
        rows.setdefault(name, fresh_row())
    chosen, running = [name for name in names if name in only or not only], dict[Any, str]()
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        while True:
            late = time.perf_counter() - began > 60 * minutes
            left = [n for n in chosen if cases(rows[n]) < WANTED_CASES and n not in running.values()]
            while left and not late and len(running) < jobs:
                name = min(left, key=lambda name: cases(rows[name]))
                left.remove(name)
                running[pool.submit(one_round, name, seed, rows[name]["rounds"])] = name
            if not running:
                break
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                name = running.pop(done)
                _add(rows[name], *done.result())
                row, alarms = rows[name], len(rows[name]["alarms"])
                print(f"{name}: {cases(row):,} cases, {alarms} alarms, {row['seconds']:.0f} s", flush=True)
                figures = {"wanted": WANTED_CASES, "seed": seed, "examples": ROUND, "kernels": rows}
                _write(path, {**figures, "earlier": earlier})


def one_round(name: str, seed: int, number: int) -> tuple[list[Result], float]:
    """Fresh cases of each length on each rung, and how long they took."""
    torch.set_num_threads(1)
    claim, began = right_kernels((format_of(number),))[name], time.process_time()
    with registered(claim):
        results = outcome_of([claim], "bench", examples=ROUND, seed=1_000 * seed + number).results
    return list(results), time.process_time() - began


def format_of(number: int) -> str:
    """That of a round."""
    return FORMATS[number % len(FORMATS)]


def fresh_row() -> dict[str, Any]:
    """Of a kernel that nothing was asked of yet."""
    nothing = dict.fromkeys(FORMATS, 0)
    return (
        {"cases": nothing, "calls": 0, "rounds": 0, "seconds": 0.0}
        | {name: {} for name in ("shares", "counted", "verdicts")}
        | {"alarms": []}
    )


def cases(row: dict[str, Any]) -> int:
    """In both formats."""
    return sum(row["cases"].values())


def _add(row: dict[str, Any], results: list[Result], seconds: float) -> None:
    format_ = format_of(row["rounds"])
    row["rounds"] += 1
    row["seconds"] = round(row["seconds"] + seconds, 1)
    for result in results:
        row["calls"] += result.cases
        row["cases"][format_] += result.cases // (2 if result.kind == "split" else 1)
        if result.share is not None:  # the largest share of a bound that was used
            row["shares"][result.kind] = max(round(result.share, 4), row["shares"].get(result.kind, 0.0))
        before = row["counted"].get(result.kind, (0, 0))  # numbers whose bound said something, of all
        row["counted"][result.kind] = [a + b for a, b in zip(before, result.facts["numbers"], strict=True)]
        said = f"{result.kind} {result.verdict}"
        row["verdicts"][said] = row["verdicts"].get(said, 0) + 1
        if str(result.verdict) != "holds":
            shown = result.counterexample
            row["alarms"].append(result.why if shown is None else shown.sentence())


def planted_mistakes() -> Iterator[tuple[str, str, Claim]]:
    """Each planted mistake: what it is, the rung that is to see it, and the claim."""
    for mistake, kind in test_believe_kernel.MISTAKES.items():
        kernel = partial(chunked.gla, mistake=mistake)
        claim = believe_kernel("wrong", family="gla", kernel=kernel, form="chunked", chunk=16)
        yield f"gla in chunks: {mistake}", kind, claim
    kernel = partial(chunked.gla, mistake="gradients that end at an edge")
    claim = believe_kernel("wrong", family="gla", kernel=kernel, form="chunked", chunk=16)
    yield "gla in chunks: gradients that end at an edge", "gradient", claim
    kernel = partial(chunked.delta, inverse="first order")
    claim = believe_kernel("wrong", family="delta-rule", kernel=kernel, form="chunked", chunk=16)
    yield "delta-rule in chunks: an inverse of first order", "exact", claim
    changed = test_believe_kernel.changed
    for number, (family, name, change) in enumerate(test_believe_kernel.ARGUMENTS):
        claim = believe_kernel("wrong", family=family, kernel=changed(family, name, change))
        yield f"{family}: another {name} is read ({number})", "sampled", claim
    flowing = test_believe_kernel.flowing
    for number, (family, name, change) in enumerate(test_believe_kernel.FLOWS):
        claim = believe_kernel("wrong", family=family, kernel=flowing(family, name, change))
        yield f"{family}: another gradient of {name} ({number})", "gradient", claim
    for family in test_sizes_and_calls.CORRECTED_OR_NOT:
        for fault, (plant, kind) in test_sizes_and_calls.FAULTS.items():
            claim = believe_kernel("planted", family=family, kernel=plant(KERNELS[family]))
            yield f"{family}: {fault}", kind, claim
    for mistake, law in CACHES.items():
        torch.manual_seed(0)
        model = of_causal_model(CausalLM(mistake))
        yield f"a causal model: {mistake}", law, believe_stateful("wrong", model=model)


CACHES = {
    "a cache that survives": "reuse",
    "padding is read": "padding",
    "positions from 0 in every call": "pieces",
    "positions count padding": "padding",
    "centred over the batch": "batch",
    "the last token of a piece dropped": "pieces",
    "rows taken back": "reorder",
    "values left where they were": "reorder",
    "zeroed and not emptied": "reuse",
}


def planted() -> None:
    """Look for each planted mistake."""
    torch.set_num_threads(1)
    rows = []
    for mistake, kind, claim in planted_mistakes():
        began = time.perf_counter()
        with registered(claim):
            result = outcome_of([claim], "bench", kinds=[kind], examples=EXAMPLES).results[0]
        seconds = round(time.perf_counter() - began, 1)
        shown = "" if result.counterexample is None else result.counterexample.sentence()
        rows.append(
            {"mistake": mistake, "law": kind, "verdict": str(result.verdict), "seconds": seconds}
            | {"cases": result.cases, "counterexample": shown}
        )
        print(f"{mistake}: {kind} {result.verdict} in {seconds:.1f} s", flush=True)
        _write(RESULTS / "kernels_planted.json", {"wanted": WANTED_SECONDS, "mistakes": rows})


def _write(path: Path, figures: dict[str, Any]) -> None:
    machine = f"{platform.system()} {platform.machine()}"
    head = {"date": date.today().isoformat(), "cores": os.cpu_count(), "machine": machine}
    path.write_text(json.dumps({**head, "torch": torch.__version__, **figures}, indent=1) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("right", "planted"))
    parser.add_argument("--minutes", type=float, default=60.0, help="for all right kernels together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--only", action="append", default=[], help="a right kernel by name")
    options = parser.parse_args()
    if options.what == "right":
        right(options.minutes, options.seed, options.jobs, options.only)
    else:
        planted()
