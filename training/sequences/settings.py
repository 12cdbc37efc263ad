"""The settings of the classification of long sequences (section 4.3 and appendix B, Wang & Niepert 2019)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from automata.errors import InputError
from training.engine.settings import Settings, setting

MODELS = ("lstm", "lstm-p", "sr-lstm", "sr-lstm-p", "gru", "sr-gru")
MEMORYLESS = ("gru", "sr-gru")
HEADS = ("h", "c", "h-c", "max-h")


@dataclass(frozen=True)
class SequenceClassification(Settings):
    """The settings of a run; the defaults are those of Wang & Niepert 2019, appendix B, if it states them."""

    retired: ClassVar[dict[str, tuple[str, Any]]] = {"momentum": ("optimiser", "rmsprop")}
    model: str = setting("sr-lstm-p", "the recurrent network", one_of=MODELS)
    rate: float = setting(0.01, "initial learning rate; the paper: 0.01", 1e-8, 10)
    weight_decay: float = setting(0.0, "the weight of the squared parameters in the loss", 0, 1)
    epochs: int = setting(100, "maximum number of epochs", 1, 10**6)
    patience: int = setting(10, "stop after this many epochs without improvement on the dev set", 1, 10**6)
    optimiser: str = setting("rmsprop", "optimiser", one_of=("rmsprop", "adam"))
    smoothing: float = setting(0.9, "alpha of rmsprop; the paper: a momentum of 0.9", 0, 0.999)
    hidden: int = setting(256, "d, the units of each layer", 1, 8192)
    layers: int = setting(1, "recurrent layers", 1, 16)
    k: int = setting(10, "centroids of a state-regularized model; the paper: 2 to 100", 2, 10**4)
    temperature: float = setting(1.0, "tau of a state-regularized model; the paper: 1", 1e-9, 1e9)
    forget_bias: float = setting(
        0.0, "initial bias of the gate that retains the state: f of an LSTM, z of a GRU", -100, 100
    )
    head: str = setting(
        "h-c",
        "the classifier's input: the last h, the last c, both, or each unit's largest h; c of all layers is"
        " used, and a GRU has none",
        one_of=HEADS,
    )
    dropout: float = setting(0.0, "dropout of the classifier's input; the paper: none", 0, 0.95)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.head == "c" and self.model in MEMORYLESS:
            raise InputError(
                f"--head must be h, h-c or max-h for a {self.model}, which has no cell state, got c"
            )

    @property
    def regularized(self) -> bool:
        """Return whether the model has centroids."""
        return self.model.startswith("sr-")
