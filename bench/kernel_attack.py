"""A test of ``believe_kernel`` and ``believe_stateful`` with correct kernels and with planted faults.

Correct kernels must have the verdict ``holds``, and planted faults must not. ``python bench/kernel_attack.py
right --examples 200 --names 10`` runs the kernels of :mod:`bench.kernel_forms`, each under that many claim
names, because a claim's name seeds its random cases. ``python bench/kernel_attack.py faults`` runs the faults
of :mod:`bench.kernel_faults`. Each result is appended to a JSON Lines file; a later run with the same sources
skips the results that are there. The exit status is 1 if a correct kernel does not hold or a fault is not
detected.
"""

import argparse
import ast
import functools
import hashlib
import inspect
import json
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from bench import kernel_faults, kernel_forms
from ratproof import believe_kernel, believe_stateful
from ratproof.evidence.results import Result
from ratproof.evidence.subjects import registered
from ratproof.ladder.user_files import outcome_of
from ratproof.laws.kernels.family import FAMILIES, LinearRecurrence

ROOT = Path(__file__).parent.parent
SIZES = {"B": 2, "T": 37, "H": 3, "K": 5, "V": 4, "M": 3, "D": 4, "P": 2, "W": 4}
SUBSTEPS = 3
Row = dict[str, Any]
Task = tuple[str, str, int, int, bool]
"""A task: a list, the name of an entry of this list, a number, a number of random cases, and ``--first``.

The first number is part of the claim's name, which seeds the random cases.
"""


def main() -> int:
    """Run the entries of one of the two lists, and return 1 if a verdict is wrong, else 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("list", choices=("right", "faults"))
    parser.add_argument("--examples", type=int, default=200, help="random cases per kind of evidence")
    parser.add_argument("--names", type=int, default=1, help="number of claim names per correct kernel")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="entries of the list")
    parser.add_argument("--file", type=Path, help="JSON Lines file of the results")
    parser.add_argument("--first", action="store_true", help="stop at the first kind that does not hold")
    options = parser.parse_args()
    path = options.file or Path(__file__).parent / "results" / f"kernel_attack_{options.list}.jsonl"
    known = (
        [*kernel_forms.FORMS, *kernel_faults.MODELS] if options.list == "right" else [*kernel_faults.FAULTS]
    )
    unknown = [name for name in options.only if name not in known]
    if unknown:
        parser.error(f"--only must be among {', '.join(known)}, got {unknown[0]!r}")
    tasks = [
        (options.list, name, number, options.examples, options.first)
        for number in range(options.names if options.list == "right" else 1)
        for name in options.only or known
    ]
    rows = list(_rows(tasks, path, options.jobs))
    wrong = [row for row in rows if row["wrong"]]
    counts = dict(Counter(row["verdict"] for row in rows))
    print(f"{len(rows)} runs, {counts}; wrong verdicts: {len(wrong)}")
    for row in wrong:
        print(f"  {row['name']} ({row['claim']}): {row['verdict']}: {row['says']}")
    return 1 if wrong else 0


def _rows(tasks: list[Task], path: Path, jobs: int) -> Iterator[Row]:
    """Yield the row of each task, from the file if it has one with the current sources.

    The other tasks run in separate processes. Their rows are printed and appended to the file.
    """
    before = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    kept = {tuple(row["task"]): row for row in before if row["sources"] == _sources()}
    for task in tasks:
        if task in kept:
            yield kept[task]
    left = [task for task in tasks if task not in kept]
    if not left:
        return
    path.parent.mkdir(exist_ok=True)
    with (
        ProcessPoolExecutor(jobs, get_context("spawn"), max_tasks_per_child=1) as pool,
        path.open("a", encoding="utf-8") as file,
    ):
        for done in as_completed([pool.submit(_run, task) for task in left]):
            row = done.result()
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            file.flush()
            kinds = ", ".join(f"{kind} {verdict}" for kind, verdict in row["kinds"].items())
            print(
                f"{row['claim']}: {kinds or row['verdict']} ({row['seconds']} s); {row['drawn']}", flush=True
            )
            yield row


def _run(task: Task) -> Row:
    """Verify the entry of a task, and return the row of its verdicts.

    The process must not have run anything else.
    """
    list_, name, number, examples, first = task
    torch.set_num_threads(1)
    torch.manual_seed(0)
    began, drawn = time.perf_counter(), DrawnKernel()
    claim_name = f"{name}-{number}" if list_ == "right" else f"fault-{name}"
    row: Row = {"task": list(task), "sources": _sources(), "name": name, "claim": claim_name}
    try:
        if name in kernel_faults.MODELS and list_ == "right":
            model = kernel_faults.MODELS[name]()
            row["says"] = inspect.getdoc(model) or ""
            claim = believe_stateful(claim_name, model=model)
        elif list_ == "right":
            form = kernel_forms.FORMS[name]
            row["says"] = form.says
            compare_with_loops(form)
            claim = believe_kernel(
                claim_name, family=form.family, kernel=drawn.by(form.kernel), **form.declared
            )
        else:
            fault = kernel_faults.FAULTS[name]
            row["says"] = fault.says
            claim = fault.claim(claim_name, drawn.by)
        kinds, results = claim.variants[0].kinds, list[Result]()
        with registered(claim):
            for some in [[kind] for kind in kinds] if first else [kinds]:
                results += outcome_of([claim], "bench", kinds=some, examples=examples).results
                if any(str(result.verdict) != "holds" for result in results):
                    break
    except Exception:
        row.setdefault("says", "")
        return row | _verdicts(list_, {}) | {
            "why": traceback.format_exc(limit=-3),
            "seconds": round(time.perf_counter() - began, 1),
            "drawn": str(drawn),
        }  # fmt: skip
    shown = {r.kind: r.counterexample.sentence() for r in results if r.counterexample is not None}
    return row | _verdicts(list_, {r.kind: str(r.verdict) for r in results}) | {
        "cases": {r.kind: r.cases for r in results},
        "counterexamples": shown,
        "why": {r.kind: r.why for r in results if r.why},
        "seconds": round(time.perf_counter() - began, 1),
        "drawn": str(drawn),
    }  # fmt: skip


def _verdicts(list_: str, kinds: dict[str, str]) -> Row:
    """Return the fields of a row with the verdict of each kind of evidence, and with the overall verdict.

    The field ``wrong`` states whether the overall verdict is wrong.
    """
    order = ("refuted", "unknown", "holds")
    verdict = next((one for one in order if one in kinds.values()), "raised")
    must = ("holds",) if list_ == "right" else ("refuted", "unknown")
    return {"kinds": kinds, "verdict": verdict, "wrong": verdict not in must}


@functools.cache
def _sources() -> str:
    """Return a digest of the source files on which the verdicts depend.

    The digest covers the syntax trees without docstrings, so a change of the prose keeps the results.
    """
    digest = hashlib.sha256()
    networks = [f"neural/{name}.py" for name in ("any_order", "rounding", "tracked", "seeding")]
    tested = ("bench/kernel_*.py", "ratproof/laws/**/*.py", "ratproof/evidence/**/*.py", *networks)
    for path in sorted(path for pattern in tested for path in ROOT.glob(pattern)):
        digest.update(ast.dump(_without_docstrings(ast.parse(path.read_text()))).encode())
    return digest.hexdigest()[:16]


def _without_docstrings(tree: ast.Module) -> ast.Module:
    """Return the tree with the docstrings of its module, classes, functions and attributes removed."""
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            node.body = [part for part in body if not _is_text(part)]  # type: ignore[attr-defined]
    return tree


def _is_text(statement: ast.stmt) -> bool:
    """Return whether a statement consists only of a string, such as a docstring."""
    match statement:
        case ast.Expr(ast.Constant(str())):
            return True
    return False


class DrawnKernel:
    """A recorder of the number of calls of kernels, and of the largest sizes of their arguments."""

    def __init__(self) -> None:
        self.most: dict[str, int] = {}
        self.calls = 0

    def by(self, kernel: Callable[..., Any]) -> Callable[..., Any]:
        """Return a wrapper of the kernel that records each call."""
        signature = inspect.signature(kernel)

        @functools.wraps(kernel)
        def noted(**arguments: Any) -> Any:
            self.calls += 1
            key, value = arguments.get("q", arguments.get("k")), arguments.get("v")
            if key is not None and value is not None:
                sizes = dict(zip("BTHKV", (*key.shape, value.shape[-1]), strict=True))
            else:
                like = next(x for n, x in arguments.items() if n in ("x", "u"))
                sizes = dict(zip("BTD", like.shape, strict=False))
            for name, size in sizes.items():
                self.most[name] = max(size, self.most.get(name, 0))
            return kernel(**arguments)

        noted.__signature__ = signature  # type: ignore[attr-defined]
        return noted

    def __str__(self) -> str:
        sizes = ", ".join(f"{name} <= {size}" for name, size in self.most.items())
        return f"{self.calls} calls, {sizes}" if self.calls else ""


def compare_with_loops(form: kernel_forms.RightForm) -> None:
    """Raise ValueError if a kernel's results differ from its family's recurrence.

    For a few calls, the function compares the outputs, the last state and the gradients with those of plain
    loops in float64.
    """
    family = FAMILIES[form.family] if isinstance(form.family, str) else form.family
    without = form.declared.get("without", ())
    narrow = form.declared.get("dtypes", ("float64",))[0] not in ("float32", "float64")
    cases: list[tuple[int, tuple[int, ...] | None]] = [(37, None), (1, None)]
    if "empty" not in without:
        cases.append((0, None))
    if "cu_seqlens" not in without and family.packed:
        cases.append((37, (0, 0, 5, 6, 37, 37)))
    for number, (length, offsets) in enumerate(cases):
        torch.manual_seed(number)
        _compare(form, family, length, offsets, torch.bfloat16 if narrow else torch.float64)


def _compare(
    form: kernel_forms.RightForm,
    family: LinearRecurrence,
    length: int,
    offsets: tuple[int, ...] | None,
    dtype: torch.dtype,
) -> None:
    sizes = {**SIZES, "T": length, "B": 1 if offsets else SIZES["B"]}
    sizes["S"] = sizes["T"] * SUBSTEPS
    wide = torch.float32 if dtype == torch.bfloat16 else dtype
    tensors = {}
    for name, letters in family.tensors.items():
        x = torch.randn([sizes[letter] for letter in letters], dtype=torch.float64) / 2
        if name in (family.decay, family.rate) or family.kinds.get(name) == "log-decay":
            x = -x.abs()
        elif name in ("beta", family.step):
            x = x.sigmoid()
        elif family.normalised and name in ("q", "k"):
            x = x.abs() + 0.1
        tensors[name] = x.to(dtype).requires_grad_()
    count = len(offsets) - 1 if offsets else sizes["B"]
    letters = ["H", "K", "V"]
    if family.lanes:
        letters = ["D", *("P" if family.pairs else "W" if family.window else "")]
    shape = [sizes[letter] for letter in letters]
    shape[-1] += family.normalised
    parts = family.state if isinstance(family.state, tuple) else ()
    shapes = [[sizes[letter] for letter in part] for part in parts] or [shape]
    states = [torch.rand(count, *own, dtype=wide, requires_grad=True) for own in shapes]
    state: Any = tuple(states) if parts else states[0]
    options: dict[str, Any] = {"scale": 0.5} if family.scaled else {}
    if family.substeps:
        options[family.substeps] = SUBSTEPS
    for dtype_of_offsets in (torch.int64, torch.int32) if offsets else (None,):
        packed = None if offsets is None else torch.tensor(offsets, dtype=dtype_of_offsets)
        knows = inspect.signature(form.kernel).parameters
        more = {"output_final_state": True, "cu_seqlens": packed}
        if not any(one.kind is one.VAR_KEYWORD for one in knows.values()):
            more = {name: option for name, option in more.items() if name in knows}
        results = _flat(form.kernel(**tensors, **options, initial_state=state, **more))
        right = _flat(kernel_forms.plain(form.family, tensors, options.get("scale"), state, packed))
        weights = [torch.randn_like(x) for x in right]
        leaves = [*tensors.values(), *states]
        compared = list(zip(results, right, strict=True))
        grads = [
            torch.autograd.grad(
                sum((x * w).sum() for x, w in zip(pair, weights, strict=True)), leaves, allow_unused=True
            )
            for pair in ((x.double() for x in results), right)
        ]
        lasts, initials = (len(states) * [name] for name in ("last state", "initial state"))
        names = ["outputs", *lasts, *(f"gradient of {name}" for name in [*tensors, *initials])]
        for a, b in zip(*grads, strict=True):
            zero = torch.zeros(())
            compared.append((zero if a is None else a, zero if b is None else b))
        tolerance = 0.05 if dtype == torch.bfloat16 else 1e-9
        for name, (a, b) in zip(names, compared, strict=True):
            if not torch.allclose(a.double(), b.double(), rtol=tolerance, atol=tolerance * 5):
                off = float((a.double() - b.double()).abs().max())
                raise ValueError(
                    f"{form.name}: {name} differ from the loops by {off} for T = {length}, {offsets}"
                )


def _flat(results: tuple[torch.Tensor, Any]) -> list[torch.Tensor]:
    """Return the outputs and all tensors of the last state in one list."""
    return [results[0], *(results[1] if isinstance(results[1], tuple) else results[1:])]


if __name__ == "__main__":
    sys.exit(main())
