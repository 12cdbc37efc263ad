"""The settings of text classification with rules (Jiang et al. 2020, sections 4 and 5)."""

from __future__ import annotations

from dataclasses import dataclass

from automata.errors import InputError
from training.engine.settings import Settings, setting

FA = ("fa-rnn", "fa-gru", "bifa-rnn", "bifa-gru")
PLAIN = ("cnn", "dan", "rnn", "lstm", "gru", "birnn", "bilstm", "bigru")
ENHANCED = ("bigru+i", "bigru+o", "bigru+io", "bigru+pr", "bigru+kd")
TAUGHT_MODELS = ("bigru+pr", "bigru+kd")
"""Those that imitate the rules."""
MODELS = FA + PLAIN + ENHANCED


@dataclass(frozen=True)
class RuleClassification(Settings):
    """A run of text classification with rules. The defaults are what the authors' program has, for ATIS;
    what it leaves open is one of the paper's choices.
    """

    model: str = setting("fa-rnn", "the network", one_of=MODELS)
    share: float = setting(
        1.0, "of the training sentences, drawn with the seed; 0: the untrained network is measured", 0, 1
    )
    batch: int = setting(200, "examples in a batch", 1, 1 << 20)
    rate: float = setting(7e-4, "Adam's learning rate at first", 1e-8, 10)
    weight_decay: float = setting(0.0, "the weight of the squared parameters in the loss", 0, 1)
    epochs: int = setting(40, "at most", 1, 10**6)
    patience: int = setting(40, "stop after so many epochs that were no better on the dev set", 1, 10**6)
    schedule: str = setting(
        "plateau", "of the learning rate: halved where the dev set is no better, or a cosine",
        one_of=("plateau", "cosine"),
    )  # fmt: skip
    recurrence_share: float = setting(
        1.0, "the recurrence's learning rate, as a share of that of the layers above it", 0, 100
    )
    average: float = setting(
        0.0, "the decay of a running mean of the weights, which is measured and kept; 0: none", 0, 0.99999
    )
    balance: float = setting(
        0.0, "a sentence counts as its label's number of sentences to the power of minus this", 0, 1
    )
    dropout: float = setting(0.0, "of the sentence's last state", 0, 0.95)
    vector_dropout: float = setting(0.0, "of the word vectors", 0, 0.95)
    word_vectors: str = setting(
        "pretrained", "GloVe's, or random ones (Table 6: Rand E_w)", one_of=("pretrained", "random")
    )
    hidden: int = setting(100, "units where it is no FA-RNN; the paper: 50, 100, 150 or 200", 1, 4096)
    beta: float = setting(0.9, "of equation 6: 1 is rules alone, without word vectors", 0, 1)
    extra: int = setting(0, "K', states besides the rules'", 0, 4096)
    drawn: int = setting(0, "sentences drawn from the rules for each epoch, with the rules' labels", 0, 10**6)
    activation: str = setting(
        "none", "between the two layers of section 3.5: none, or matches clamped to at most 1",
        one_of=("none", "clamp"),
    )  # fmt: skip
    scoring: str = setting(
        "forward", "sums, or maxima (Table 6: V), over paths", one_of=("forward", "viterbi")
    )
    tensor: str = setting(
        "decomposed", "equation 6, or equation 4 (Table 6: O)", one_of=("decomposed", "whole")
    )
    weights: str = setting("rules", "at first, or random (Table 6: Rand)", one_of=("rules", "random"))
    word_features: str = setting(
        "kept", "E_R: kept as the rules have it, or trained (Table 6: Train E_R)", one_of=("kept", "trained")
    )
    imitation: float = setting(0.5, "+kd, +pr: the weight of the rules' labels in the loss", 0, 1)
    confidence: float = setting(6.0, "+kd, +pr: the logit of a label whose rules match", 0, 100)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tensor == "whole" and (self.model != "fa-rnn" or self.beta != 1 or self.extra):
            raise InputError("--tensor whole is equation 4: --model fa-rnn, --beta 1 and --extra 0 are right")
        if self.scoring == "viterbi" and self.model != "fa-rnn":
            raise InputError("--scoring viterbi is for --model fa-rnn, as in Table 6")
        if self.drawn and self.model not in FA:
            raise InputError(f"--drawn is for {', '.join(FA)}, which know the rules before training")

    @property
    def is_fa(self) -> bool:
        """Is it an FA-RNN?"""
        return self.model in FA

    @property
    def is_classifier(self) -> bool:
        """Is the network a linear layer on the states of a recurrence that began as the rules, which can be
        read back as rules?
        """
        plain = {"activation": "none", "scoring": "forward", "tensor": "decomposed", "weights": "rules"}
        return self.model == "fa-rnn" and all(getattr(self, name) == right for name, right in plain.items())
