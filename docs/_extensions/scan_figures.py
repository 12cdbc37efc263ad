"""The tables of the page on speed about the elementwise recurrences, from what ``bench/scan.py`` wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from page_text import plain, table
from speed_figures import FOLDER, GREY, constants, drawn

HEAD = ("what", "forward", "with backward", "compared", "with backward", "wanted")


def pages(bench: Path) -> dict[str, str]:
    """The tables, by path: of a CPU and of a GPU, or that nothing was measured there.

    Args:
        bench: the folder with ``scan.py`` and ``results``.
    """
    wanted = constants(bench / "scan.py")["WANTED"]
    files = {device: bench / "results" / f"scan_{device}.json" for device in ("cpu", "cuda")}
    made = {f"{FOLDER}/scan-{device}.txt": _device(file, wanted[device]) for device, file in files.items()}
    costs = json.loads(files["cpu"].read_text(encoding="utf-8"))["costs"]
    for what in ("steps", "lanes"):
        made[f"{FOLDER}/scan-{what}.svg"] = _plot(costs[what], what)
    return made


def _plot(costs: dict[str, dict[str, float]], what: str) -> str:
    """Nanoseconds a number against the number of steps, or of lanes: a line for each recurrence."""

    def draw(axes: Axes) -> None:
        sizes = [int(size) for size in costs]
        for name, marker in zip(next(iter(costs.values())), "os^Dv", strict=False):
            plain_one = name == "triad"
            line = [row[name] for row in costs.values()]
            colour = {"color": GREY} if plain_one else {}
            axes.loglog(sizes, line, "--" if plain_one else f"{marker}-", label=name, **colour)
        axes.legend(frameon=False)
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes], fontsize=8)
        axes.set_xlabel(what)
        axes.set_ylabel("nanoseconds a number")

    return drawn(draw)


def _device(file: Path, wanted: dict[str, Any]) -> str:
    if not file.exists():
        return "Not measured.\n"
    results = json.loads(file.read_text(encoding="utf-8"))
    head = (
        f"Measured on {results['date']} on {plain(results['device'])}, with"
        f" torch {plain(results['torch'])}, by the backend {plain(results['backend'])}.\n"
    )
    said = (
        [_few(results["few lanes"], wanted), _starting(results["starting"])] if "starting" in results else []
    )
    return "\n".join([head, *(_shape(shape, wanted) for shape in results["shapes"]), *said])


def _few(few: dict[str, float], wanted: dict[str, Any]) -> str:
    return (
        f"{few['steps']:,} steps of {few['lanes']} lanes take {few['milliseconds']:.3f} ms,"
        f" {few['ratio']:.1f} times as long as a copy of as many bytes (wanted: at most"
        f" {wanted['few lanes']}).\n"
    )


def _starting(took: dict[str, float]) -> str:
    return (
        f"What the CPU takes for a call: {took['forward']:.0f} µs forward, and {took['with backward']:.0f} µs"
        f" with backward; an addition takes {took['an addition']:.0f}.\n"
    )


def _shape(measured: dict[str, Any], wanted: dict[str, Any]) -> str:
    steps, batch, size = measured["shape"]
    forward, backward = wanted["recurrence"]
    rows = [
        [
            f"over {plain(name)}" if name != "gates fused" else name,
            *_times(row),
            f"{row['share']:.2f} of {measured['beside']}'s speed",
            f"{row['share_backward']:.2f}",
            f"{forward} and {backward} or more",
        ]
        for name, row in measured["recurrences"].items()
    ]
    row = measured["two stages"]
    rows.append(
        [
            "two stages, gates fused",
            *_times(row),
            f"{row['ratio']:.2f} times one",
            f"{row['ratio_backward']:.2f}",
            f"{wanted['two stages']} or less",
        ]
    )
    for name, row in measured.get("others", {}).items():
        what = {"autograd": "a loop, and autograd", "associative": "`associative_scan`"}[name]
        ratio = f"{row['ratio']:.0f} times the time"
        rows.append([what, *_times(row), "", ratio, f"{wanted[name]} times or more"])
    for name, row in measured.get("published", {}).items():
        ratios = f"{row['ratio']:.2f} times ours", f"{row['ratio_backward']:.2f}"
        rows.append([plain(name), *_times(row), *ratios, "reported"])
    most, most_backward = wanted["layer"]
    for name, row in measured["layers"].items():
        if "ratio" in row:
            ratios = f"{row['ratio']:.2f} times a linear map", f"{row['ratio_backward']:.2f}"
            rows.append(
                [f"a layer of {plain(name)}", *_times(row), *ratios, f"{most} and {most_backward} or less"]
            )
        else:
            rows.append([f"`{name}`", *_times(row), "", "", ""])
    head = f"T = {steps}, B = {batch}, D = {size}; {measured['beside']} takes {measured['triad']:.2f} ms:\n"
    return f"{head}\n{table(HEAD, rows, css='speed')}"


def _times(row: dict[str, float]) -> tuple[str, str]:
    return f"{row['forward']:.2f} ms", f"{row['backward']:.2f} ms"
