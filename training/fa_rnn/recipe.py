"""How FA-RNN classifiers are trained. Jiang et al. 2020 tune theirs for each set; these are two for all: few
sentences, or many.

What mattered on ATIS (dev accuracy, section 4.4's amounts of data;
``python -m training.fa_rnn.measure`` has the figures): pretrained vectors where there is much data, with
dropout on them and on h_N, a running mean of the weights, and rare labels that count more than frequent ones;
with 1 % of the data a recurrence that moves ten times slower than the readout, no vectors, and sentences
drawn from the rules, without which labels that the few sentences do not show are forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass

FEW = 500
"""Fewer training sentences are few."""


@dataclass(frozen=True)
class Recipe:
    """How to train.

    Attributes:
        beta: of equation 6; below 1 it asks for pretrained vectors.
        rate: Adam's learning rate for the recurrence (D_1, D_2, G). It falls as 0.01 + (1 + cos) / 2, over as
            many steps as the training sentences of all epochs make; those of drawn sentences count, too, so
            that the least rate is reached before the last epoch.
        readout_rate: for the readout.
        batch: sentences.
        epochs: at most.
        patience: epochs without a better dev set after which it stops.
        mean: the decay of the running mean of the weights, which is what is measured and kept.
        drawn: sentences drawn from the rules for each epoch; the untrained network says what they are.
        dropout: on h_N; vector_dropout: on the pretrained vectors.
        clip: the largest norm of a gradient.
        noise: the standard deviation of what is added to the readout at first.
        extra: K', more states.
        balance: a sentence counts as its label's number of training sentences to the power of minus this: 0,
            all count alike.
    """

    beta: float
    rate: float
    readout_rate: float
    batch: int
    epochs: int
    patience: int
    mean: float
    drawn: int
    dropout: float = 0.2
    vector_dropout: float = 0.2
    clip: float = 5.0
    noise: float = 1e-3
    extra: int = 0
    balance: float = 0.0


MANY_SENTENCES = Recipe(
    beta=0.9,
    rate=1e-3,
    readout_rate=1e-3,
    batch=32,
    epochs=30,
    patience=12,
    mean=0.99,
    drawn=400,
    balance=0.3,
)
FEW_SENTENCES = Recipe(
    beta=1.0, rate=1e-4, readout_rate=1e-3, batch=8, epochs=60, patience=15, mean=0.9, drawn=100
)


def recipe_for(sentences: int) -> Recipe:
    """The recipe for that many training sentences."""
    return FEW_SENTENCES if sentences < FEW else MANY_SENTENCES
