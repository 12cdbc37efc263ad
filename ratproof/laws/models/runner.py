"""The laws of a user's model with a state, each as an assertion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import torch

from ratproof.laws.models.declared import Declared
from ratproof.laws.models.rungs import hold


def rungs_of(declared: Declared, laws: tuple[str, ...]) -> Mapping[str, Callable[[], None]]:
    """Return an assertion for each of these laws."""
    return {law: partial(show, declared, law) for law in laws}


def show(declared: Declared, law: str) -> None:
    """Assert a law of a model."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the calls are small, and many
    try:
        hold(law, declared)
    finally:
        torch.set_num_threads(threads)
