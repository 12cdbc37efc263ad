"""Records of experiments: each record defines the experiment's command and its entries in lists and tables.

A record refers to the class of the experiment's runs, which reads the data, builds the network, and computes
the metrics.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from automata.errors import InputError
from automata.text.number_text import plural
from ratproof.commands.terminal import console, headed
from ratproof.process.exit_statuses import YES
from training.data_folder import Data
from training.engine.names import NETWORK, RESULT
from training.engine.progress import Outcome, Progress
from training.engine.settings import Settings

if TYPE_CHECKING:
    from torch import nn

    from training.engine.run import RunOptions
    from training.engine.task import Task

S = TypeVar("S", bound=Settings)
GLOVE = "GloVe vectors in glove/ (https://nlp.stanford.edu/projects/glove/)"
"""The text about word vectors in ``train --list``."""


@dataclass(frozen=True)
class Experiment:
    """The record of an experiment: its settings, its command, and its texts in lists.

    Each folder of ``training`` defines its records in ``settings.py``, in a tuple ``EXPERIMENTS``.

    Attributes:
        name: the name in results and on the command line.
        settings: the class of its settings.
        presets: for each preset's name, the values of the settings that a user does not pass.
        run: the name ``module:class`` of its subclass of :class:`ExperimentRun`, which is imported on use.
        only_model: the only model of this record, if the experiment has another record for other models.
        does, says, example: the command's short help, its help, and the options of its example; an experiment
            without ``does`` has no command.
        order: its position in ``train --list`` and in ``train --help``.
        paper, data, cost, models: the texts in ``train --list``; an experiment without ``paper`` is not
            listed.
        options: the options of the command among ``data``, ``vectors``, ``rules`` and ``any_size``.
        holds: the contents of the folder of ``--data``.
        file: the help of the argument for a file that replaces ``--data``.
        required: settings without a default.
        preset: the default preset; with ``choose``, a description of the choice.
        choose: a function that chooses the preset from the data and the user's settings.
        recipes: the end of the help text of ``--recipe``; if not empty, ``--recipe`` replaces ``--preset``.
        minutes, tensorboard: the defaults of these options.
        folder: the help text of ``-o``.
        files: names of the additional files that a run writes.
        searched: whether a campaign can search its settings.
        examples: the plural noun for the examples, such as ``sentences``.
        scale: the settings that show whether a run is smaller than the paper's run.
        counts: the settings that show it if they are smaller than their default, such as a number of strings.
        sizes: the published number of examples, or of tokens, of each split; a run with ``--any-size`` may
            have fewer.
    """

    name: str
    settings: type[Settings]
    presets: dict[str, dict[str, Any]]
    run: str
    only_model: str = ""
    does: str = ""
    says: str = ""
    example: str = ""
    order: int = 99
    paper: str = ""
    data: str = ""
    cost: str = ""
    models: tuple[str, ...] = ()
    options: tuple[str, ...] = ("data", "any_size")
    holds: str = ""
    file: str = ""
    required: tuple[str, ...] = ()
    preset: str = "paper"
    choose: Callable[[Data, dict[str, Any]], str] | None = None
    recipes: str = ""
    minutes: float | None = None
    tensorboard: bool = True
    folder: str = "a folder (default: trained/SET-MODEL-SEED)"
    files: tuple[str, ...] = ()
    searched: bool = False
    examples: str = "sentences"
    scale: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    sizes: dict[str, int] = field(default_factory=dict)

    @property
    def command(self) -> str:
        """Return the command that runs the experiment."""
        return f"train {self.name}"

    def to_json(self) -> dict[str, Any]:
        """Return the experiment's entry in ``train --list --json``."""
        names = ("name", "paper", "data", "cost", "command")
        return {name: getattr(self, name) for name in names} | {"models": list(self.models), "runs": True}

    def start(self, settings: Settings, data: Data, test: bool = True) -> ExperimentRun[Any]:
        """Return a new run with these settings and data; see :class:`ExperimentRun`."""
        run: ExperimentRun[Any] = pkgutil.resolve_name(self.run)(self.name, settings, data, test)
        return run


@dataclass
class ExperimentRun(Generic[S]):
    """A run of an experiment; subclasses read the data, build the task, and measure the trained network.

    Attributes:
        experiment: the name of the experiment.
        settings: the settings of the run.
        data: the location of the data.
        test: whether to measure on the test set as well; false in a hyperparameter search.
        described: the description of the data in a result.
        task: the network and the data.
        kind: the kind of network that is written into the network's file, such as ``language model``.
    """

    experiment: str
    settings: S
    data: Data
    test: bool = True
    described: dict[str, Any] = field(default_factory=dict, init=False)
    kind = ""
    task: Any = field(default=None, init=False)

    def read(self) -> dict[str, Any]:
        """Read the data; return their description for a result."""
        raise NotImplementedError

    def build(self) -> Task:
        """Return a training task with the untrained network."""
        raise NotImplementedError

    def measure(self, progress: Progress) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the metrics of the trained network, and further entries of its result."""
        raise NotImplementedError

    def paper(self) -> dict[str, Any] | None:
        """Return the paper's figures for these settings, or ``None``."""
        return None

    def lines(self, result: dict[str, Any]) -> Iterator[Any]:
        """Yield the lines to print between a result's title and its folder."""
        raise NotImplementedError

    def title(self, result: dict[str, Any]) -> tuple[str, str]:
        """Return the first line that is printed about a result: the highlighted name, and the other text."""
        best = f"epoch {result['best_epoch']} was best on the dev set"
        epochs = f"{plural(result['epochs'], 'epoch')}, {result['seconds']:.0f} s; {best}"
        return f"{result['experiment']} {result['model']}", f", seed {result['seed']}: {epochs}"

    def called(self, preset: str) -> str:
        """Return the default name of the run's folder."""
        return f"{self.experiment}-{self.settings.model}-{self.settings.seed}"

    def last_lines(self, result: dict[str, Any], folder: Path) -> str:
        """Return the last lines that a run prints, which contain the folder."""
        return f"  saved in {folder}"

    def about(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return the description to store in the network's file."""
        return {name: result[name] for name in ("experiment", "configuration", "metrics")}

    def status(self, result: dict[str, Any]) -> int:
        """Return the exit status of a command with this result."""
        return YES

    @property
    def network(self) -> nn.Module:
        """Return the network that is trained."""
        network: nn.Module = self.task.network
        return network

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the splits that are measured."""
        return ("dev", "test") if self.test else ("dev",)

    @property
    def trains(self) -> bool:
        """Return whether the run trains the network, or only measures it."""
        return True

    def run(self, where: RunOptions, stop: Callable[[], bool] = lambda: False) -> dict[str, Any] | Outcome:
        """Train the network, save the network of the best epoch on the dev set, and measure this network.

        Args:
            where: the run's folder.
            stop: a function that returns whether to stop now.

        Returns:
            The result, which is also saved in the folder, or the outcome if training has not finished.

        Raises:
            InputError: If the data or the folder is invalid, or the folder has a result without the test set.
            Diverged: If the loss is not finite.
        """
        from training.engine import results
        from training.engine.processes import is_first
        from training.engine.run import finished, train

        s = self.settings
        done = finished(where, self.experiment, s.to_json())
        self.described = self.read()
        if done is not None:
            if not all(any(part in name for name in done["metrics"]) for part in self.parts):
                raise InputError(
                    f"{where.folder / RESULT}: the result must have metrics on the test set, which its run"
                    " did not use; use another folder (-o)"
                )
            return self.finished(done, where)
        self.task, progress = self.build(), Progress()
        if self.trains:
            about = {"experiment": self.experiment, "data": self.described}
            ran = train(self.task, s, about, where, f"{self.experiment} {s.model}", stop)
            if ran.outcome != "trained":
                return ran.outcome
            progress = ran.loop.progress
        metrics, more = self.measure(progress)
        more = {"data": self.described, "history": progress.history, **more}
        paper = self.paper() if self.test else None
        result = results.result(self.experiment, s, progress, metrics, paper, more)
        if is_first():
            self.keep(where.folder / NETWORK, result)
            results.write(result, where.folder / RESULT)
        return result

    def finished(self, result: dict[str, Any], where: RunOptions) -> dict[str, Any]:
        """Return the result of a finished run; raise InputError if it has different data."""
        from training.engine.run import require_same_data

        return require_same_data(result, self.described, where)

    def keep(self, path: Path, result: dict[str, Any]) -> None:
        """Write the network to a file."""
        from neural import checkpoints

        tensors = {name: tensor.detach().clone() for name, tensor in self.network.state_dict().items()}
        checkpoints.write(path, self.kind, self.about(result), tensors)

    def size(self) -> int:
        """Return the number of parameters."""
        return sum(tensor.numel() for tensor in self.network.parameters())

    def show(self, result: dict[str, Any], folder: Path) -> None:
        """Print a result."""
        out = console()
        for line in (headed(*self.title(result)), *self.lines(result), self.last_lines(result, folder)):
            out.print(line, soft_wrap=True)


def per_second(count: int, progress: Progress) -> int | None:
    """Return the number of processed items per second of training, for ``count`` items per epoch."""
    return round(count * progress.epoch / progress.seconds) if progress.seconds else None


def accuracy_line(
    result: dict[str, Any], part: str, examples: str, comparison: str = "", cut: str = ""
) -> str:
    """Format the accuracy on a split as one line; ``cut`` notes a truncation of the examples."""
    name = part.partition("_")[0]
    accuracy, error = result["metrics"][f"{part}_accuracy"], result["metrics"][f"{part}_standard_error"]
    count = f"{result['data'][name]['sentences']:,}"
    return (
        f"  accuracy on {count} {name} {examples}{cut}: {accuracy:.1%} ± {error:.1%} (standard error)"
        f"{comparison}"
    )
