"""A training task for networks that accept strings, with a curriculum by length and a final phase."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from automata.errors import InputError
from neural.state_regularized.parts import PeepholePart
from training.engine.noise import Noise
from training.engine.rmsprop import rmsprop
from training.engine.seeds import mixed
from training.engine.task import ExampleTask
from training.language_recognition.network import TrainedAcceptor, untrained
from training.language_recognition.settings import Recognition
from training.language_recognition.strings import Strings

LOOKED_AT = 512
"""The number of training strings that are classified to decide whether the curriculum advances."""
AT_ONCE = 1024
OUTPUT_MARGIN = 5.0
LAST_SHARE = 0.02
"""The learning rate at the end of the final phase (the finish), relative to the initial learning rate."""


class RecognitionTask(ExampleTask):
    """A network, and strings for training and for the dev set.

    Args:
        network: the acceptor.
        settings: the settings of the run.
        training, dev: labelled strings.

    Attributes:
        acceptor: the network.
        length: the current maximum length of strings.
        waited: the number of epochs since the curriculum last advanced.
        finishing: the number of epochs of the final phase (the finish) that have begun; 0 during the
            curriculum.
        epoch: the number of finished epochs.
        restarts: the number of restarts with new weights.
        accuracy: the last measured accuracy on the dev set.
        drawn: the last epoch for which batches were drawn, and the maximum length of their strings. A restart
            within the epoch does not change its batches.
    """

    settings: Recognition

    def __init__(
        self, network: TrainedAcceptor, settings: Recognition, training: Strings, dev: Strings
    ) -> None:
        super().__init__(network, settings, training.lengths)
        self.acceptor = network
        self.training, self.dev = training, dev
        self.longest = int(training.lengths[-1])
        self.shortest = float(min(max(settings.shortest, int(training.lengths[0])), self.longest))
        self.length = self.shortest
        self.waited, self.finishing, self.epoch, self.restarts, self.accuracy = 0, 0, 0, 0, 0.0
        self.drawn = -1, self.shortest

    @property
    def finished(self) -> bool:
        """Return whether the final phase of training (the finish) is over."""
        return 0 < self.settings.finish < self.finishing and not self.begins_again

    def batches(self, epoch: int) -> list[Tensor]:
        """Return random training strings up to the current length; half of a batch is in the language."""
        s = self.settings
        generator = torch.Generator().manual_seed(mixed(s.seed, 1, epoch))
        if epoch != self.drawn[0]:  # otherwise a run was resumed within the epoch
            self.drawn = epoch, self.length
        many = self.training.count_up_to(int(self.drawn[1]))
        labels = self.training.labels[:many]
        weights = torch.where(labels, 1 / labels.sum().clamp(min=1), 1 / (~labels).sum().clamp(min=1))
        chosen = torch.multinomial(weights.double(), s.steps * s.batch, replacement=True, generator=generator)
        return list(torch.split(chosen, s.batch))

    def losses(self, network: nn.Module, examples: Tensor, noise: Noise) -> Tensor:
        """Return each string's logistic loss, shape ``(B,)``.

        In the final phase (the finish), add the shortfall of the margins of gates and centroids.
        """
        s, device = self.settings, next(self.network.parameters()).device
        tokens, lengths, labels = (one.to(device) for one in self.training.at(examples.cpu()))
        answer = network(tokens, lengths, noise, margins=self.finishing > 0)
        signed = torch.where(labels, answer.logits, -answer.logits)
        loss = functional.softplus(-signed)
        if self.finishing:
            loss = loss + s.margin * (answer.lacking + functional.relu(OUTPUT_MARGIN - signed))
        part = self.acceptor.cell.part
        if s.recurrent_decay:
            loss = loss + s.recurrent_decay * part.hidden.weight.abs().sum()
        if s.weight_decay and isinstance(part, PeepholePart):
            loss = loss + s.weight_decay * part.peepholes.square().sum()
        return loss

    @property
    def begins_again(self) -> bool:
        """Return whether to restart with new weights.

        A restart is due if the curriculum has not advanced for ``restart_after`` epochs, or if the final
        phase is over and the dev accuracy is too low. There is no restart in the second half of the epochs,
        because the run might then end before the final phase.
        """
        s = self.settings
        if 2 * self.epoch > s.epochs:
            return False
        if self.finishing:
            return self.finishing > s.finish and self.accuracy < s.dev_wanted
        return self.waited >= s.restart_after

    def stepped(self) -> bool:
        """Restart with new weights if a restart is due."""
        if not self.begins_again:
            return False
        self.restarts += 1
        self.length, self.waited, self.finishing = self.shortest, 0, 0
        new = untrained(self.acceptor.acceptor.alphabet, self.settings, self.restarts)
        self.acceptor.load_state_dict(new.state_dict())
        return True

    def measure(self, network: nn.Module) -> tuple[float, dict[str, float]]:
        """Return the dev accuracy, and advance the curriculum."""
        right = self.right(network, self.dev)
        accuracy = float(right.double().mean())
        self.accuracy = accuracy
        metrics = {"dev_accuracy": accuracy, "length": self.length, "finishing": float(self.finishing)}
        self.epoch += 1
        self._advance(network)
        return (float(self.epoch) if self.settings.keep == "last" else accuracy), metrics

    def in_words(self, score: float) -> str:
        """Return the accuracy as text; if the last weights are used, return a note instead."""
        return (
            "not measured; the last weights are used"
            if self.settings.keep == "last"
            else super().in_words(score)
        )

    def optimiser(self) -> torch.optim.Optimizer:
        """Return Adam or RMSProp."""
        s, parameters = self.settings, self.network.parameters()
        if s.optimiser == "adam":
            return torch.optim.Adam(parameters, lr=s.rate)
        return rmsprop(parameters, s.rate)

    def next_rate(self, epoch: int, rate: float) -> float:
        """Return the learning rate, which falls linearly in the final phase (the finish)."""
        s = self.settings
        if not 1 < self.finishing <= s.finish:
            return rate
        return s.rate * (1 - (1 - LAST_SHARE) * (self.finishing - 1) / max(1, s.finish - 1))

    def carried(self) -> dict[str, Tensor]:
        """Return the state of the curriculum."""
        state = (self.length, self.waited, self.finishing, self.epoch, self.restarts, self.accuracy)
        return {
            "curriculum": torch.tensor(state, dtype=torch.float64),
            "drawn": torch.tensor(self.drawn, dtype=torch.float64),
        }

    def carry(self, tensors: dict[str, Tensor]) -> None:
        """Restore the state of the curriculum."""
        kept = tensors["curriculum"]
        if kept.shape != (6,) or not bool(torch.isfinite(kept).all()) or not bool((kept >= 0).all()):
            raise InputError("the state of the curriculum must be six finite non-negative numbers")
        drawn = tensors.get("drawn", torch.tensor([-1.0, self.shortest]))  # older checkpoints lack it
        if drawn.shape != (2,) or not bool(torch.isfinite(drawn).all()):
            raise InputError("the epoch and the length of the drawn batches must be two finite numbers")
        self.drawn = int(drawn[0]), min(float(drawn[1]), float(self.longest))
        length, *counts, self.accuracy = kept.tolist()
        self.length = min(length, float(self.longest))
        self.waited, self.finishing, self.epoch, self.restarts = map(int, counts)

    def right(self, network: nn.Module, strings: Strings, indices: Tensor | None = None) -> Tensor:
        """Return whether each string is classified correctly, shape ``(N,)``.

        If ``indices`` are passed, only the strings at these indices are classified.
        """
        device = next(self.network.parameters()).device
        indices = torch.arange(len(strings)) if indices is None else indices
        answers = []
        with torch.no_grad():
            for some in torch.split(indices, AT_ONCE):
                tokens, lengths, labels = (one.to(device) for one in strings.at(some))
                answers.append((network(tokens, lengths).logits > 0) == labels)
        return torch.cat(answers).cpu()

    def _advance(self, network: nn.Module) -> None:
        """Advance the curriculum if enough strings are correct, or after a long wait.

        After the last length, start the final phase (the finish).
        """
        s = self.settings
        self.waited += 1
        if self.finishing:
            self.finishing += 1
            return
        many = self.training.count_up_to(int(self.length))
        generator = torch.Generator().manual_seed(mixed(s.seed, 2, self.epoch))
        indices = torch.randint(many, (LOOKED_AT,), generator=generator).sort().values
        share = float(self.right(network, self.training, indices).double().mean())
        if share < s.mastered and self.waited < s.stuck:
            return
        self.waited = 0
        if self.length < self.longest:
            self.length = min(float(self.longest), max(self.length * s.growth, self.length + 1))
        elif s.finish:
            self.finishing = 1
