"""Small runs of the experiments with the command line, for tests."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import safetensors.torch
import torch

from proofs_tests.training.images_and_reviews import write_articles, write_images, write_reviews
from proofs_tests.training.sentences import write_rule_sets, write_sets, write_text
from ratproof import main

SEQUENCE = "--hidden 3 --k 3"
STRINGS = "--units 4 --steps 3 --test-strings 10 --growth 3"
OF: dict[str, tuple[Callable[..., Path] | None, str]] = {
    **dict.fromkeys(("sst2", "cr", "amazon"), (write_sets, "--hidden 5 --any-size")),
    "ptb": (write_text, "--hidden 4 --batch 3 --window 5 --rate 0.1 --any-size"),
    "sms": (write_rule_sets, "--hidden 5 --any-size"),
    "mnist": (write_images, f"--side 4 {SEQUENCE} --any-size"),
    "fashion-mnist": (write_images, f"--side 2 --order permuted {SEQUENCE} --any-size"),
    "imdb": (write_reviews, f"--length 4 --measured-at 2,9 --vocabulary 9 {SEQUENCE} --any-size"),
    "wikipedia": (write_articles, f"--window 5 --batch 3 --vocabulary 9 {SEQUENCE} --any-size"),
    "tomita": (None, "--units 4 --steps 3 --grammar 1"),
    **dict.fromkeys(("parentheses", "palindromes"), (None, f"{STRINGS} --size small")),
}
"""The function that writes the data of each experiment, and the experiment's options."""


def ratproof(line: str, *more: object) -> int:
    """Run a command and return its exit status."""
    return main.run([*line.split(), *map(str, more)])


def train(folder: Path, experiment: str, line: str, *more: object) -> int:
    """Run training in a folder next to its data, and return the exit status."""
    data, (write, options) = folder.parent / "data", OF[experiment]
    if write is not None and not data.exists():
        write(data)
    where = () if write is None else ("--data", data)
    small = f"--batch 8 --epochs 2 --rate 0.01 --no-tensorboard {options} {line}"
    return ratproof(f"train {experiment} {small}", "-o", folder, *where, *more)


def result(folder: Path) -> dict[str, Any]:
    """Return the result of a run, without the values that depend on time."""
    data = json.loads((folder / "result.json").read_text())
    metrics = {name: value for name, value in data["metrics"].items() if not name.endswith("_per_second")}
    return {n: v for n, v in data.items() if n not in ("seconds", "when", "decided")} | {"metrics": metrics}


def same_networks(one: Path, other: Path) -> bool:
    """Return whether two runs have the same weights, bit by bit."""
    a, b = (safetensors.torch.load_file(folder / "network.safetensors") for folder in (one, other))
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)
