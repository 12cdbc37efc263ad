"""The settings of acceptors of strings (section 4.2 and appendix B, Wang & Niepert 2019)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from training.engine.settings import Settings, setting

MODELS = ("lstm", "lstm-p", "sr-lstm", "sr-lstm-p", "gru", "sr-gru")


@dataclass(frozen=True)
class Recognition(Settings):
    """A run on strings of a language. An epoch is a number of steps, each on random training strings that are
    no longer than the curriculum has come.
    """

    model: str = setting("sr-lstm-p", "the recurrent network", one_of=MODELS)
    size: str = setting(
        "large",
        "of the training and dev sets of parentheses, as the paper has them",
        one_of=("large", "small"),
    )
    units: int = setting(100, "d, the size of the hidden state", 1, 4096)
    centroids: int = setting(5, "k, of the models that have any", 2, 4096)
    batch: int = setting(64, "strings in a batch", 1, 1 << 20)
    optimiser: str = setting(
        "rmsprop", "with a smoothing of 0.9 (rmsprop), or adam", one_of=("rmsprop", "adam")
    )
    rate: float = setting(0.01, "the learning rate at first", 1e-8, 10)
    weight_decay: float = setting(0.0, "the weight of the squared peepholes in the loss", 0, 1)
    clip: float = setting(1.0, "the largest norm of a gradient; longer ones are scaled to it", 1e-6)
    steps: int = setting(100, "in an epoch", 1, 1 << 20)
    shortest: int = setting(4, "the curriculum begins with strings up to that length", 0, 10**6)
    growth: float = setting(1.15, "a step of the curriculum makes strings so many times longer", 1.01, 100)
    mastered: float = setting(
        0.99, "a step of the curriculum comes when so large a share of training strings is right", 0, 1
    )
    stuck: int = setting(10**6, "a step of the curriculum comes after so many epochs in any case", 1, 10**6)
    gate_noise: float = setting(
        0.0, "standard deviation of noise on what the gates' functions read, in training", 0, 100
    )
    state_noise: float = setting(
        0.0, "standard deviation of noise on the centroids' logits, in training", 0, 100
    )
    finish: int = setting(
        0, "epochs after the curriculum, in which the rate falls to 2 % and margins are asked for", 0, 10**6
    )
    margin: float = setting(0.1, "the weight of what margins lack, in the finish", 0, 100)
    keep: str = setting(
        "best", "the weights of the epoch that is best on dev, or the last", one_of=("best", "last")
    )
    test_strings: int = setting(2000, "in each test set", 2, 10**6)


_OURS = {
    "units": 20,
    "optimiser": "adam",
    "rate": 5e-3,
    "gate_noise": 1.0,
    "state_noise": 1.0,
    "weight_decay": 0.02,
    "mastered": 0.999,
    "finish": 20,
    "keep": "last",
    "epochs": 400,
    "patience": 10**6,
    "halve_after": 10**6,
}
_PAPER = {"epochs": 200, "patience": 30, "halve_after": 10**6, "stuck": 5}
PRESETS: dict[str, dict[str, Any]] = {"paper": _PAPER, "ours": _OURS}
"""Named values, for the fields that a command line leaves open: the paper's, as far as it says them, and ours
(noise on gates and states, then margins).
"""
