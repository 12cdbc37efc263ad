"""The settings of acceptors of strings (section 4.2 and appendix B, Wang & Niepert 2019)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from training.engine.experiment import Experiment
from training.engine.settings import Settings, setting

MODELS = ("lstm", "lstm-p", "sr-lstm", "sr-lstm-p", "gru", "sr-gru")


@dataclass(frozen=True)
class Recognition(Settings):
    """The settings of a run on strings of a language.

    An epoch is a number of steps on random training strings, up to the current length of the curriculum.
    After the curriculum, a final phase (the finish) may decrease the learning rate and add margins to the
    loss.
    """

    model: str = setting("sr-lstm-p", "the recurrent network", one_of=MODELS)
    size: str = setting(
        "large",
        "size of the training and dev sets of parentheses, as in the paper",
        one_of=("large", "small"),
    )
    grammar: int = setting(1, "which Tomita grammar", 1, 7)
    units: int = setting(100, "d, the size of the hidden state", 1, 4096)
    centroids: int = setting(5, "k, for the models with centroids", 2, 4096)
    batch: int = setting(64, "strings in a batch", 1, 1 << 20)
    optimiser: str = setting(
        "rmsprop", "rmsprop with a smoothing of 0.9, or adam", one_of=("rmsprop", "adam")
    )
    rate: float = setting(0.01, "the initial learning rate", 1e-8, 10)
    weight_decay: float = setting(0.0, "the weight of the squared peepholes in the loss", 0, 1)
    recurrent_decay: float = setting(
        0.0, "the weight of the recurrent weights' absolute values in the loss", 0, 1
    )
    clip: float = setting(1.0, "maximum norm of a gradient; larger gradients are scaled down to it", 1e-6)
    steps: int = setting(100, "steps in an epoch", 1, 1 << 20)
    shortest: int = setting(4, "maximum length of strings at the start of the curriculum", 0, 10**6)
    growth: float = setting(1.15, "factor of the maximum length at each step of the curriculum", 1.01, 100)
    mastered: float = setting(0.99, "accuracy on training strings at which the curriculum takes a step", 0, 1)
    stuck: int = setting(
        10**6, "number of epochs after which the curriculum takes a step in any case", 1, 10**6
    )
    restart_after: int = setting(
        10**6,
        "in the first half of the epochs, restart with new weights after this many epochs without a step of"
        " the curriculum",
        1,
        10**6,
    )
    dev_wanted: float = setting(
        0.0, "also restart if the accuracy on dev strings after the finish is below this", 0, 1
    )
    gate_noise: float = setting(
        0.0, "standard deviation of noise on the gates' pre-activations, in training", 0, 100
    )
    state_noise: float = setting(
        0.0, "standard deviation of noise on the centroids' logits, in training", 0, 100
    )
    finish: int = setting(
        0, "epochs of the finish after the curriculum; the rate falls to 2 %, the loss has margins", 0, 10**6
    )
    # With pre-activation 12, a forget gate loses 6e-6 of a count at each symbol: in 1,000 symbols, a count of
    # 20 loses an eighth. With pre-activation 10, it would lose nine tenths.
    gate_margin: float = setting(
        12.0, "required distance of a gate's pre-activation from 0, in the finish", 0, 1000
    )
    margin: float = setting(0.1, "the weight of margin violations in the loss, in the finish", 0, 100)
    keep: str = setting(
        "best", "save the weights of the best epoch on dev, or of the last epoch", one_of=("best", "last")
    )
    test_strings: int = setting(2000, "strings in each test set", 2, 10**6)


_FIRST = {
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
# Without the decay, gates may depend on irrelevant parts of the state, such as a count. Then the network
# fails on deep strings.
_OURS = _FIRST | {"recurrent_decay": 1e-4, "restart_after": 30, "dev_wanted": 1.0}
_PAPER = {"epochs": 200, "patience": 30, "halve_after": 10**6, "stuck": 5}
_SHORT_CUT = {
    "units": 50,
    "rate": 3e-3,
    "gate_noise": 0.0,
    "state_noise": 0.0,
    "margin": 0.0,
    "weight_decay": 0.0,  # peepholes must read the sums in the cell state
    "mastered": 0.99,
    "stuck": 5,
    "finish": 60,
    "keep": "best",
    "epochs": 200,
}
_TOMITA = {
    "rate": 2e-3,
    "batch": 128,
    "units": 100,
    "centroids": 50,
    "gate_noise": 0.0,
    "state_noise": 0.0,
    "gate_margin": 0.0,
    "shortest": 3,
    "growth": 1.01,
    "mastered": 1.0,
    "weight_decay": 0.0,
    "recurrent_decay": 1e-5,
    "steps": 20,
    "finish": 30,
}
PRESETS: dict[str, dict[str, dict[str, Any]]] = {
    "tomita": {"paper": _PAPER | {"centroids": 50}, "ours": _OURS | _TOMITA},
    "parentheses": {"paper": _PAPER, "first": _FIRST, "ours": _OURS},
    "palindromes": {"paper": _PAPER, "ours": _FIRST | _SHORT_CUT},
    "exchanges": {"paper": _PAPER, "ours": _FIRST | _SHORT_CUT},
}
"""Presets by experiment: values for the settings that the user does not pass.

``paper`` has the values that the paper states. ``ours`` adds noise on gates and states, and a loss for
margins at the end. ``first`` is an earlier version of ``ours``, without restarts and without a loss on
recurrent weights. The presets for palindromes have no noise: the networks learn sums of letters, which need
gates that are not saturated.
"""

NEW_STARTS = """. Except
        with --preset first, training restarts with new weights if the curriculum does not advance, or if the
        network is wrong on a dev string at the end"""


def _experiment(name: str, does: str, order: int, where: str, cost: str) -> Experiment:
    """Return the record of an experiment; if ``does`` is empty, another record defines its command."""
    return Experiment(
        name,
        Recognition,
        PRESETS[name],
        "training.language_recognition.experiment:RecognitionRun",
        does=does,
        says=f"""{does} (Wang & Niepert 2019, section 4.2).

        The network is trained on short strings, and measured on longer ones. --preset paper trains as in the
        paper; ours adds noise on gates and states, and a loss for margins at the
        end{NEW_STARTS if "first" in PRESETS[name] else ""}.
        """,
        example="--model sr-lstm-p --seed 0 -o run",
        order=order,
        paper=f"State-Regularized RNNs, section 4.{where}",
        data="none: strings are drawn",
        cost=f"{cost} on one core",
        models=MODELS,
        options=(),
        preset="ours",
        counts=("test_strings",),
    )


EXPERIMENTS = (
    _experiment("tomita", "", 50, "1", "seconds to minutes a run"),
    _experiment(
        "parentheses",
        "Accept balanced parentheses among letters, at any depth",
        60,
        "2, Tables 1, 2 and 12",
        "most runs 1 to 13 minutes",
    ),
    _experiment(
        "palindromes", "Accept palindromes w w^R", 110, "2, Tables 3 and 11", "most runs 2 to 4 minutes"
    ),
    _experiment(
        "exchanges",
        "Accept palindromes, and reject exchanged letters",
        120,
        "2: palindromes; palindromes with exchanged letters are among the rejected strings; no table",
        "most runs 2 to 4 minutes",
    ),
)
