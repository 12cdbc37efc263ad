"""Language modelling as the engine trains it: an example is a column of the text in one window, and the
state goes from one window to the next.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from automata.errors import InputError
from training.engine.noise import Noise
from training.language_modelling.corpus import LanguageCorpus, columns
from training.language_modelling.graphed import GraphedWindow, window_losses
from training.language_modelling.network import LanguageModel, State

COLUMNS = 1
"""Of which dimension of a state the columns are."""
AT_ONCE = {"cpu": 512, "cuda": 8192}
"""Words that are read at once on dev and test, by the device."""
GRAPHED = ("32-true", "tf32")
"""Precisions in which windows run as CUDA graphs: the others cast weights in each step."""


def perplexity(loss: float) -> float:
    """Of a mean cross-entropy in nats: finite for every finite loss, so that JSON can keep it."""
    return math.exp(min(loss, 700.0))


class LanguageTask:
    """A language model and its text.

    Args:
        network: the model.
        corpus: the text.
    """

    carries = True
    finished = False
    average = 0.0

    def __init__(self, network: LanguageModel, corpus: LanguageCorpus) -> None:
        self.network: nn.Module = network
        self.settings, self.corpus = network.settings, corpus
        self.words, self.following = columns(corpus.parts["train"], self.settings.batch)
        self.windows = -(-len(self.words) // self.settings.window)
        self.state: State | None = None
        self.graphed = GraphedWindow(network)

    def batches(self, epoch: int) -> list[Tensor]:
        """Window after window, each with all columns; an example's number is window * columns + column."""
        count = self.settings.batch
        return [torch.arange(count) + count * window for window in range(self.windows)]

    def losses(self, network: nn.Module, examples: Tensor, noise: Noise) -> Tensor:
        """Cross-entropies, summed over the window's words, shape ``(B,)``."""
        count, steps = self.settings.batch, self.settings.window
        window, chosen = int(examples[0]) // count, examples % count
        there, device = slice(window * steps, (window + 1) * steps), noise.examples.device
        ids, following = (x[there][:, chosen].to(device) for x in (self.words, self.following))
        state = self._of_columns(chosen) if window else self._start(len(chosen))
        if self._is_graphed(network, ids) and state is not None:
            losses, after = self.graphed((ids, following, noise.step_key, noise.examples), state)
        else:
            scores, after = network(ids, state, noise)
            losses = window_losses(scores, following)
        ends = window == self.windows - 1  # the next epoch begins anew: a run that is kept there has no state
        self.state = None if ends else [tuple(tensor.detach() for tensor in layer) for layer in after]
        return losses

    def _is_graphed(self, network: nn.Module, ids: Tensor) -> bool:
        """Return whether this is a whole window of all columns, on a GPU."""
        s = self.settings
        whole = ids.shape == (s.window, s.batch)
        return ids.is_cuda and whole and s.precision in GRAPHED and network.training

    def _of_columns(self, chosen: Tensor) -> State | None:
        """What is carried for these columns: of a kept run it is there for all, whoever goes on with it."""
        if self.state is None or len(chosen) == self.state[0][0].shape[COLUMNS]:
            return self.state
        return [tuple(t.index_select(COLUMNS, chosen.to(t.device)) for t in layer) for layer in self.state]

    @torch.no_grad()
    def _start(self, count: int) -> State:
        """The state after the end of a sentence, as the authors' program begins."""
        device = next(self.network.parameters()).device
        state: State = self.network(torch.zeros(1, count, dtype=torch.long, device=device), None)[1]
        return state

    def measure(self, network: nn.Module) -> tuple[float, dict[str, float]]:
        """Perplexity on the dev part; the score is its logarithm, turned round."""
        loss = self.loss(network, "dev")
        return -loss, {"dev_perplexity": perplexity(loss)}

    def stepped(self) -> bool:
        """No step is followed by a new start."""
        return False

    def in_words(self, score: float) -> str:
        """The perplexity that it stands for."""
        return f"perplexity {perplexity(-score):.1f}"

    @torch.no_grad()
    def loss(self, network: nn.Module, part: str) -> float:
        """The mean cross-entropy of a part's words, read from its first to its last."""
        device = next(network.parameters()).device
        words, following = (x.to(device) for x in columns(self.corpus.parts[part], 1))
        state, total = self._start(1), 0.0
        count = AT_ONCE[device.type]
        for at in range(0, len(words), count):
            scores, state = network(words[at : at + count], state)
            total += float(
                functional.cross_entropy(scores[:, 0], following[at : at + count, 0], reduction="sum")
            )
        return total / len(words)

    def optimiser(self) -> torch.optim.Optimizer:
        """Stochastic gradient descent."""
        s = self.settings
        return torch.optim.SGD(self.network.parameters(), lr=s.rate, weight_decay=s.weight_decay)

    def next_rate(self, epoch: int, rate: float) -> float:
        """A little less, after some epochs."""
        return rate * self.settings.decay if epoch >= self.settings.decay_after else rate

    def carried(self) -> dict[str, Tensor]:
        """The state of each layer."""
        return {
            f"{layer}.{part}": tensor
            for layer, tensors in enumerate(self.state or [])
            for part, tensor in enumerate(tensors)
        }

    def carry(self, tensors: dict[str, Tensor]) -> None:
        """Take the state of each layer.

        Raises :class:`~automata.errors.InputError` for one of another network.
        """
        if not tensors:
            self.state = None
            return
        like = self._start(self.settings.batch)
        right = {f"{layer}.{part}": t for layer, parts in enumerate(like) for part, t in enumerate(parts)}
        if {name: (t.shape, t.dtype) for name, t in tensors.items()} != {
            name: (t.shape, t.dtype) for name, t in right.items()
        }:
            raise InputError("the state that is carried is not that of this network")
        self.state = [
            tuple(tensors[f"{layer}.{part}"].to(t.device) for part, t in enumerate(parts))
            for layer, parts in enumerate(like)
        ]
