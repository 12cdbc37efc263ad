"""A training task for a network that learns a language.

After each step, the task decides whether to use longer strings, whether to restart, and whether training is
done. The decisions depend on training and validation strings, and on whether the boxes close
(:mod:`training.state_regularized.settings`), but not on the language's automaton. The same seed gives the
same steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from automata.errors import InputError
from automata.text.number_text import plural
from neural.seeding import seeded
from neural.state_regularized.acceptor import Acceptor
from ratproof.certification.soft_networks.boxes import count_closed_boxes
from ratproof.certification.soft_networks.numbers import numbers_of
from training.engine.noise import Noise
from training.engine.rmsprop import rmsprop
from training.engine.seeds import mixed
from training.engine.task import ExampleTask
from training.state_regularized.batches import BatchRows, evaluate, mistakes
from training.state_regularized.clusters import alone, means, put_centroids, some_states
from training.state_regularized.settings import Recipe
from training.state_regularized.strings import LabelledStrings
from training.state_regularized.training_state import TrainingState, state_of

LOOKS = 3
"""With ``Recipe.review``, all strings are checked every ``LOOKS * look_every`` iterations."""


class LearningTask(ExampleTask):
    """A network and the strings from which it learns, for training in one process.

    Args:
        alphabet: the symbols.
        settings: the settings of the run.
        training, validation: labelled strings.

    Attributes:
        acceptor: the network.
        progress: the state of training.
        chosen: the indices of the strings in the next batch, longest string first. Each step overwrites this
            tensor with indices from the generator that also draws the noise.
    """

    carries = True
    settings: Recipe

    def __init__(
        self,
        alphabet: tuple[str, ...],
        settings: Recipe,
        training: LabelledStrings,
        validation: LabelledStrings,
    ) -> None:
        self.alphabet = alphabet
        self.training, self.validation = BatchRows(training), BatchRows(validation)
        self.acceptor = untrained(alphabet, settings, _seed(settings, 0))
        super().__init__(self.acceptor, settings, self.training.lengths)
        self.lengths_by_level = levels(self.training.lengths.tolist(), settings.shortest)
        self.generator = torch.Generator().manual_seed(mixed(settings.seed, 1))
        self.progress = TrainingState(noise=settings.noises[0])
        self.right = 0.0
        self.chosen = torch.zeros(settings.batch, dtype=torch.long)
        self._choose()

    @property
    def finished(self) -> bool:
        """Return whether training is done."""
        return self.progress.done

    @property
    def finishing(self) -> bool:
        """Return whether training is in its final phase: all strings are correct, but no boxes are closed."""
        return self.progress.level == len(self.lengths_by_level)

    @property
    def length(self) -> int:
        """Return the current maximum length of training strings."""
        return self.lengths_by_level[min(self.progress.level, len(self.lengths_by_level) - 1)]

    def batches(self, epoch: int) -> list[Tensor]:
        """Return one batch per iteration; all are the same tensor, which each iteration overwrites."""
        return [self.chosen] * self.settings.steps

    def losses(self, network: nn.Module, examples: Tensor, noise: Noise) -> Tensor:
        """Return each string's logistic loss, shape ``(B,)``.

        In the final phase, add a loss for small gaps between the two largest logits of the centroids.
        """
        s, rows, p = self.settings, self.training, self.progress
        right = rows.labels[examples]
        weights = (
            _class_weights(rows.labels[: rows.count_up_to(self.length)])[right.long()] if s.weighted else None
        )
        if s.clusters:
            logits, lacking = alone(self.acceptor, rows, examples, p.noise, self.generator).logits, None
        else:
            logits, gaps = evaluate(self.acceptor, rows, examples, p.noise, self.generator)
            lacking = torch.relu(s.margin - gaps) if self.finishing and s.penalty > 0 else None
        losses = functional.binary_cross_entropy_with_logits(logits, right.float(), weights, reduction="none")
        self.right = float(((logits.detach() > 0) == right).double().mean())
        if lacking is None:
            return losses
        # The start token's gap has the same weight as all other gaps together, because every string begins
        # with it, and its box must also close.
        return losses + s.penalty * (lacking[0] + (lacking[1:].mean() if len(lacking) > 1 else 0))

    def stepped(self) -> bool:
        """Prepare the next iteration, and return whether it is a restart."""
        s, p = self.settings, self.progress
        p.iterations += 1
        p.since += 1
        look = p.since % s.look_every == 0
        if self.finishing:
            if s.clusters:
                self._adjust_noise()
            if p.since % (s.cluster_every if s.clusters else s.look_every) == 0:
                self._end()
        elif (self.right == 1 and (look or p.since % 2 == 0)) or (
            s.review and p.since % (LOOKS * s.look_every) == 0
        ):
            self._advance()
        patience = s.restart_finish_after if self.finishing else s.restart_after
        again = not p.done and p.since >= patience
        if again:
            self._start_again()
        self._choose()
        return again

    def measure(self, network: nn.Module) -> tuple[float, dict[str, float]]:
        """Return the number of iterations as the score, and the progress of the curriculum."""
        p = self.progress
        metrics = {"length": float(self.length), "batch_right": self.right, "noise": p.noise}
        return float(p.iterations), {**metrics, "restarts": float(p.restarts)}

    def in_words(self, score: float) -> str:
        """Return the progress of the curriculum as text; the score is ignored."""
        at = "finish" if self.finishing else f"length {self.length}"
        return f"not measured; {at}, {plural(self.progress.restarts, 'restart')}"

    def optimiser(self) -> torch.optim.Optimizer:
        """Return Adam or RMSProp."""
        s, parameters = self.settings, self.network.parameters()
        if s.optimiser == "adam":
            return torch.optim.Adam(parameters, lr=s.rate, weight_decay=s.weight_decay, fused=True)
        return rmsprop(parameters, s.rate, s.weight_decay, s.smoothing)

    def carried(self) -> dict[str, Tensor]:
        """Return the state of training, the next batch, and the state of the generator."""
        return {**self.progress.tensors(), "chosen": self.chosen, "generator": self.generator.get_state()}

    def carry(self, tensors: dict[str, Tensor]) -> None:
        """Restore the state of training."""
        chosen, many = tensors["chosen"], len(self.training.lengths)
        learned = state_of(tensors, len(self.lengths_by_level), many)
        if chosen.shape != self.chosen.shape or chosen.dtype != torch.long:
            raise InputError("the next batch must have the size of the settings")
        if bool(((chosen < 0) | (chosen >= many) | (chosen.diff(prepend=chosen[:1]) > 0)).any()):
            raise InputError(f"the next batch must be indices of {many} strings in decreasing order")
        self.generator.set_state(tensors["generator"])
        self.chosen.copy_(chosen)
        self.progress = learned

    def _choose(self) -> None:
        """Choose the next batch: random strings, and some strings that were wrong at the last check.

        The indices are in decreasing order, because strings are sorted by length, and the longest string must
        come first.
        """
        size, generator = self.settings.batch, self.generator
        chosen = torch.randint(self.training.count_up_to(self.length), (size,), generator=generator)
        wrong, some = self.progress.wrong, int(self.settings.review * size)
        if wrong and some:
            chosen[:some] = torch.tensor(wrong)[torch.randint(len(wrong), (some,), generator=generator)]
        self.chosen.copy_(chosen.sort(descending=True).values)

    def _advance(self) -> None:
        """Advance the curriculum while all strings of the current length are classified correctly.

        End training after the last level if the recipe has no final phase (the finish).
        """
        p, level = self.progress, self.progress.level
        while not self.finishing and self._all_correct(self.length):
            p.level, p.since = p.level + 1, 0
        if p.level > level and self.finishing and not self.settings.finishes:
            self._end()

    def _adjust_noise(self) -> None:
        """Increase the noise if enough of the batch was classified correctly, otherwise decrease it."""
        s, p = self.settings, self.progress
        if self.right >= s.mastered:
            p.noise = min(s.loudest, p.noise * s.louder)
        else:
            p.noise = max(s.noises[p.restarts % len(s.noises)], p.noise * s.softer)

    def _all_correct(self, length: int) -> bool:
        """Return whether all training strings up to a length are correct; store the indices of the others."""
        answer = alone if self.settings.clusters else evaluate
        self.progress.wrong = mistakes(self.acceptor, self.training, length, answer)
        return not self.progress.wrong

    def _end(self) -> None:
        """End training if all training and validation strings are classified correctly.

        If the recipe has a final phase, the network's boxes must also be closed.
        """
        s, p = self.settings, self.progress
        right = self._all_correct(self.length) and (not s.clusters or self._correct_with_centroids())
        right = right and not mistakes(self.acceptor, self.validation)
        boxes = count_closed_boxes(numbers_of(self.acceptor), s.tries) if right and s.finishes else None
        if right and (boxes is not None or not s.finishes):
            p.done, p.boxes = True, boxes
        elif not s.finishes:
            p.level = 0  # some strings are wrong, so training continues

    def _correct_with_centroids(self) -> bool:
        """Return whether centroids at cluster means classify all strings correctly.

        The numbers of clusters are tried in increasing order. If no number is sufficient, store the strings
        that are wrong with the best number, for review.
        """
        least: list[int] | None = None
        for centroids in means(
            some_states(self.acceptor, self.training, self.generator), self.settings.centroids
        ):
            put_centroids(self.acceptor, centroids, self.settings.norm or 1.0, self.generator)
            wrong = mistakes(self.acceptor, self.training)
            if not wrong:
                return True
            least = wrong if least is None or len(wrong) < len(least) else least
        self.progress.wrong = least or []
        return False

    def _start_again(self) -> None:
        """Restart with a new network, which depends on the seed and the number of restarts."""
        s, p = self.settings, self.progress
        p.history.append([p.iterations, p.level])
        p.restarts, p.since, p.level, p.wrong = p.restarts + 1, 0, 0, []
        p.noise = s.noises[p.restarts % len(s.noises)]
        new = untrained(self.alphabet, s, _seed(s, p.restarts))
        self.acceptor.load_state_dict(new.state_dict())


def levels(lengths: Sequence[int], shortest: int) -> list[int]:
    """Return the maximum length of training strings at each level of the curriculum.

    The first level has the strings of up to ``shortest`` symbols.

    >>> levels([0, 1, 3, 4, 6], shortest=3), levels([2, 5], shortest=1)
    ([3, 4, 6], [2, 5])
    """
    short = [length for length in lengths if length <= shortest]
    return sorted({max(short, default=min(lengths)), *(length for length in lengths if length > shortest)})


def untrained(alphabet: tuple[str, ...], settings: Recipe, seed: int) -> Acceptor:
    """Return the initial SR-GRU (equations 2 and 5), with temperature 1 and start and end tokens."""
    units = settings.units
    with seeded(seed):
        network = Acceptor(alphabet, settings.model, units, settings.centroids)
        part = network.cells[0].part
        with torch.no_grad():
            if settings.norm:
                network.cells[0].component.centroids.normal_(0, settings.norm / units**0.5)
            if settings.spread:
                part.input.weight.normal_(0, settings.spread)
                for gate in torch.split(part.hidden.weight, units):
                    nn.init.orthogonal_(gate)
    return network


def _seed(settings: Recipe, starts: int) -> int:
    return mixed(settings.seed, 2, starts)


def _class_weights(labels: Tensor) -> Tensor:
    """Return weights for rejected and for accepted strings that give both classes equal influence."""
    share = labels.double().mean().clamp(1 / (2 * len(labels)), 1 - 1 / (2 * len(labels)))
    return torch.stack([0.5 / (1 - share), 0.5 / share]).float()
