"""The training loop, which is reproducible even if a run is interrupted.

The steps depend only on the settings, and not on the number of processes. The random numbers of a step depend
only on the seed, the step and the example; those of an epoch depend only on the seed and the epoch. The loop
does not use test examples.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from automata.errors import InputError
from training.engine.noise import Noise
from training.engine.progress import Outcome, Progress
from training.engine.sampler import share_of
from training.engine.settings import Settings
from training.engine.task import Task
from training.engine.threads import one_thread

if TYPE_CHECKING:
    from lightning_fabric import Fabric

MOST_NAMED = 8
"""The maximum number of training examples that an error message lists."""


class Diverged(InputError):
    """Raised if a loss or a gradient is not finite."""


@dataclass(frozen=True)
class TrainingStep:
    """One training step in the log.

    The fields are the step's number and epoch, the mean loss of its examples, the gradient's norm before
    clipping, and the learning rate.
    """

    step: int
    epoch: int
    loss: float
    norm: float
    rate: float


class Loop:
    """A run of training.

    Args:
        task: the network and the data.
        settings: the settings of the run.
        fabric: Lightning Fabric, which manages device, precision and processes.
    """

    def __init__(self, task: Task, settings: Settings, fabric: Fabric) -> None:
        self.task, self.settings, self.fabric = task, settings, fabric
        self.network = task.network
        optimiser = task.optimiser()
        self.module, self.wrapped = fabric.setup(self.network, optimiser)
        self.optimiser = optimiser
        self.scheduler = self._plateaus()
        self.best = _copy(self.network)
        self.mean = _copy(self.network) if task.average else {}
        self.shares = [group["lr"] / settings.rate for group in optimiser.param_groups]
        self.progress = Progress(rate=settings.rate)

    @property
    def done(self) -> bool:
        """Return whether training is done.

        Training is done after the last epoch, after too many epochs without improvement, or if the task is
        finished.
        """
        p, s = self.progress, self.settings
        return p.epoch >= s.epochs or p.epoch - p.best_epoch >= s.patience or self.task.finished

    def run(
        self,
        stop: Callable[[], bool] = lambda: False,
        keep: Callable[[], None] = lambda: None,
        progress: Callable[[TrainingStep], None] = lambda step: None,
        ended: Callable[[], None] = lambda: None,
        seconds: float = math.inf,
        keep_every: float = 30.0,
    ) -> Outcome:
        """Train until ``stop`` returns true, the time is up, or training is :attr:`done`.

        Args:
            stop: a function that returns whether to stop now.
            keep: a function that saves a checkpoint; called between steps.
            progress: a function that is called with each step.
            ended: a function that is called after each epoch.
            seconds: the maximum time, including the time before interruptions.
            keep_every: the seconds between checkpoints.

        Raises :class:`Diverged` if the loss or its gradient is not finite; that step does not change the
        weights.
        """
        p, begun = self.progress, time.monotonic() - self.progress.seconds
        kept = time.monotonic()
        with one_thread():
            while not self.done:
                order = self.task.batches(p.epoch)
                while p.batch < len(order) and not self.task.finished:
                    p.seconds = time.monotonic() - begun
                    interrupted, late = self._agreed(stop(), p.seconds > seconds)
                    if interrupted or late:
                        return "interrupted" if interrupted else "out of time"
                    if time.monotonic() - kept >= keep_every:
                        keep()
                        kept = time.monotonic()
                    progress(self._step(order[p.batch]))
                self._epoch(sum(map(len, order[: p.batch])))
                p.seconds = time.monotonic() - begun
                ended()
        return "trained"

    def _step(self, batch: Tensor) -> TrainingStep:
        p, fabric = self.progress, self.fabric
        if not self.network.training:
            self.module.train()
        mine = share_of(batch, fabric.global_rank, fabric.world_size)
        examples = mine if len(mine) else batch[:1]  # each step needs all processes
        noise = Noise(self.settings.seed, p.step, examples.to(fabric.device))
        losses = self.task.losses(self.module, examples, noise)
        # Fabric averages gradients over the processes; with this factor, the result is the gradient of the
        # mean loss of the batch.
        loss = losses.sum() * ((fabric.world_size if len(mine) else 0) / len(batch))
        self.wrapped.zero_grad()
        fabric.backward(loss)
        length: Any = fabric.clip_gradients(
            self.module, self.wrapped, max_norm=self.settings.clip, error_if_nonfinite=False
        )
        mean = self._mean(loss.detach())
        shown, norm = torch.stack([mean.double(), length.double()]).tolist()  # wait for a GPU only once
        self._require_finite(shown, "loss", batch)
        self._require_finite(norm, "gradient's norm", batch)
        self.wrapped.step()
        self._average()
        step = TrainingStep(p.step, p.epoch + 1, shown, norm, p.rate)
        p.loss += shown * len(batch)
        p.batch, p.step = p.batch + 1, p.step + 1
        if self.task.stepped():
            self._reset()
        return step

    def _epoch(self, examples: int) -> None:
        """Measure the network on the dev set, and update the best weights and the learning rate."""
        p = self.progress
        self.network.eval()
        now = _copy(self.network) if self.mean else {}
        if self.mean:
            self.network.load_state_dict(self.mean)
        with torch.no_grad(), self.fabric.autocast():
            score, metrics = self.fabric.broadcast(self.task.measure(self.network))
        p.epoch += 1
        p.history.append({"epoch": p.epoch, "loss": p.loss / examples, "rate": p.rate, **metrics})
        p.batch, p.loss = 0, 0.0
        if p.best is None or score > p.best:
            p.best, p.best_epoch, self.best = score, p.epoch, _copy(self.network)
        if self.mean:
            self.network.load_state_dict(now)
        self.scheduler.step(score)
        first = float(self.optimiser.param_groups[0]["lr"]) / self.shares[0]
        self.set_rate(self.task.next_rate(p.epoch, first))

    def _reset(self) -> None:
        """After a restart, reset the optimiser, the rates and the best weights, but not the step counts."""
        p = self.progress
        self.optimiser.state.clear()
        self.scheduler = self._plateaus()
        self.set_rate(self.settings.rate)
        self.best = _copy(self.network)
        self.mean = _copy(self.network) if self.mean else {}
        p.best, p.best_epoch = None, p.epoch

    def _plateaus(self) -> torch.optim.lr_scheduler.ReduceLROnPlateau:
        """Return a scheduler that halves the learning rates if the score does not improve."""
        return torch.optim.lr_scheduler.ReduceLROnPlateau(
            self.optimiser, mode="max", factor=0.5, patience=self.settings.halve_after - 1, threshold=0.0
        )

    def set_rate(self, rate: float) -> None:
        """Set each parameter group's learning rate to ``rate`` times the group's share."""
        self.progress.rate = rate
        for group, share in zip(self.optimiser.param_groups, self.shares, strict=True):
            group["lr"] = rate * share

    @torch.no_grad()
    def _average(self) -> None:
        """Update the running mean of the weights, with a smaller decay in the first steps."""
        step = self.progress.step
        decay = min(self.task.average, (1 + step) / (10 + step))
        for name, parameter in self.network.named_parameters() if self.mean else ():
            self.mean[name].lerp_(parameter, 1 - decay)

    def _mean(self, value: Tensor) -> Tensor:
        """Return the mean of the value over all processes."""
        if self.fabric.world_size == 1:
            return value
        mean: Tensor = self.fabric.all_reduce(value, reduce_op="mean")  # type: ignore[assignment]
        return mean

    def _agreed(self, *answers: bool) -> list[bool]:
        """Return, for each condition, whether it is true in any process, so that all stop together."""
        if self.fabric.world_size == 1:
            return list(answers)
        votes = torch.tensor([float(answer) for answer in answers], device=self.fabric.device)
        return [bool(answer) for answer in self._mean(votes)]

    def _require_finite(self, number: float, what: str, batch: Tensor) -> None:
        if math.isfinite(number):
            return
        p = self.progress
        named = ", ".join(map(str, sorted(batch.tolist())[:MOST_NAMED]))
        more = f" and {len(batch) - MOST_NAMED} more" if len(batch) > MOST_NAMED else ""
        raise Diverged(
            f"the {what} is {number} in epoch {p.epoch + 1}, batch {p.batch + 1} (step {p.step};"
            " training examples"
            f" {named}{more})"
        )


def _copy(network: torch.nn.Module) -> dict[str, Tensor]:
    return {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}
