"""One experiment from end to end: draw strings, train, extract, minimise, compare with the language's own
DFA, certify, report.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from automata.dfa import DFA
from automata.errors import InputError
from automata.files import write_whole
from neural.state_regularized import files as network_files
from neural.unrolled import one_of
from ratproof.papers.certification.certify import Certification, accepting, certify
from training.state_regularized import checkpoints, strings
from training.state_regularized.batches import accuracy
from training.state_regularized.languages import Language
from training.state_regularized.recipe import RECIPES, Recipe, recipe
from training.state_regularized.trainer import Outcome, Trainer

CHECKPOINT, NETWORK, REPORT = "checkpoint.safetensors", "network.safetensors", "report.json"
CERTIFICATE = "certificate.json"
NAMES = (CHECKPOINT, NETWORK, REPORT, CERTIFICATE)


@dataclass(frozen=True)
class Experiment:
    """What to train and how.

    Attributes:
        language: what is to be learned.
        seed: of data, weights, batches and noise.
        units, centroids: the network's size.
        recipe_name: ``"ours"``, ``"clusters"`` or ``"paper"``.
        minutes: the most to train, those before an interruption counted.
        folder: where checkpoint, network and report go.
    """

    language: Language
    seed: int = 0
    units: int = 100
    centroids: int = 50
    recipe_name: str = "ours"
    minutes: float = 10.0
    folder: Path | None = None

    @property
    def recipe(self) -> Recipe:
        """How it is trained."""
        return recipe(self.recipe_name, self.units)

    def __post_init__(self) -> None:
        one_of("--recipe", self.recipe_name, tuple(RECIPES))
        if self.units < 1 or self.centroids < 2:
            raise InputError(
                f"{self.units} units and {self.centroids} centroids, where at least 1 and at least 2 are"
                " right"
            )
        if not 0 < self.minutes < float("inf"):
            raise InputError(f"--minutes is {self.minutes}, where a positive number is right")

    @property
    def task(self) -> dict[str, Any]:
        """What a checkpoint must agree with to go on."""
        dfa = self.language.dfa
        language = {
            "alphabet": list(dfa.alphabet),
            "table": [list(row) for row in dfa.table],
            "final": sorted(dfa.final),
        }
        how = asdict(self.recipe)
        how["noise"] = list(how["noise"])
        return {
            "language": self.language.name,
            "dfa": language,
            "seed": self.seed,
            "units": self.units,
            "centroids": self.centroids,
            "recipe": how,
        }


@dataclass(frozen=True)
class Comparison:
    """An automaton beside the language's: decided, not sampled.

    Attributes:
        states: of the least DFA.
        difference: the shortlex-least string on which they differ, ``None``: they accept the same strings.
    """

    states: int
    difference: list[str] | None

    @classmethod
    def of(cls, automaton: DFA | None, language: Language) -> Comparison | None:
        """The comparison; ``None`` where there is no automaton."""
        if automaton is None:
            return None
        word = automaton.shortest_difference(language.dfa)
        return cls(automaton.minimal().states, None if word is None else list(word))


@dataclass(frozen=True)
class Report:
    """What came of it.

    Attributes:
        language, seed, units, centroids, recipe: of the experiment.
        states: of the language's least DFA.
        outcome: trained, out of time or interrupted.
        training, validation: accuracy.
        hard: the automaton for temperature -> 0, compared; ``None`` where strings come to a tie.
        soft: the automaton that the soft network follows at its own temperature, proved; ``None`` where no
            boxes are proved to close.
        certified: does the soft network follow its hard automaton on all strings? ``certified``,
            ``different`` or ``unknown``.
        boxes: how many were proved to close.
        certifying: the seconds of extracting and proving.
        seconds, restarts, iterations, strings, accepted: of the training.
        network: the file of the trained network.
    """

    language: str
    seed: int
    units: int
    centroids: int
    recipe: str
    states: int
    outcome: Outcome
    training: float
    validation: float
    hard: Comparison | None
    soft: Comparison | None
    certified: str
    boxes: int | None
    certifying: float
    seconds: float
    restarts: int
    iterations: int
    strings: dict[str, list[int]]
    network: str | None

    @property
    def exact(self) -> bool:
        """Is the hard automaton's language the one that was to be learned?"""
        return self.hard is not None and self.hard.difference is None

    @property
    def accepts_exactly(self) -> bool:
        """Is it proved that the soft network accepts exactly the language, on all strings?"""
        return self.soft is not None and self.soft.difference is None

    def to_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return {**asdict(self), "exact": self.exact, "accepts_exactly": self.accepts_exactly}


def run(
    experiment: Experiment,
    resume: bool = False,
    tell: Callable[[str], None] = lambda line: None,
    stop: Callable[[], bool] = lambda: False,
) -> Report:
    """Run an experiment.

    Args:
        experiment: what and how.
        resume: go on with the checkpoint in its folder.
        tell: called now and then with the progress.
        stop: should it stop, and keep what there is?

    Raises:
        InputError: the folder holds a run and ``resume`` is not set; or it is, and there is none, or
            another one.
    """
    begun = time.monotonic()
    language, seed = experiment.language, experiment.seed
    how = experiment.recipe
    path = None if experiment.folder is None else experiment.folder / CHECKPOINT
    if path is not None and path.exists() and not resume:
        raise InputError(
            f"{path}: is there already: --resume goes on with it, and another folder (-o) starts anew"
        )
    tell("drawing strings")
    training, validation = strings.draw(language, seed, how.near_misses)
    trainer = Trainer(
        language.alphabet, experiment.units, experiment.centroids, how, seed, training, validation
    )
    if resume:
        if path is None:
            raise InputError("--resume needs the folder of the run (-o)")
        checkpoints.read(trainer, experiment.task, path)

    def keep() -> None:
        if path is not None:
            checkpoints.write(trainer, experiment.task, path)

    keep()  # so that a folder that cannot be written is known now
    outcome = trainer.run(experiment.minutes * 60, tell, keep, stop)
    keep()
    network = trainer.network.eval()
    file = None if experiment.folder is None else experiment.folder / NETWORK
    tell("extracting, comparing and certifying")
    begun = time.monotonic()
    answer = certify(network, tell=lambda done, of: tell(f"certifying: node {done + 1} of {of}"))
    hard = answer.hard.machine()
    report = Report(
        language.name,
        seed,
        experiment.units,
        experiment.centroids,
        how.name,
        language.dfa.states,
        outcome,
        accuracy(network, trainer.training),
        accuracy(network, trainer.validation),
        Comparison.of(None if hard is None else accepting(hard), language),
        Comparison.of(answer.language, language),
        answer.verdict,
        None if answer.nodes is None else len(answer.nodes),
        round(time.monotonic() - begun, 2),
        round(trainer.progress.seconds, 2),
        trainer.progress.restarts,
        trainer.progress.iterations,
        {
            "training": [len(training), training.accepted],
            "validation": [len(validation), validation.accepted],
        },
        None if file is None else str(file),
    )
    tell(f"done in {time.monotonic() - begun:.1f} s")
    if experiment.folder is not None and file is not None:
        network_files.save(
            network, file, {"trained": {k: v for k, v in report.to_json().items() if k != "network"}}
        )
        _keep_certificate(answer, experiment.folder)
        write_whole(
            experiment.folder / REPORT, json.dumps(report.to_json(), ensure_ascii=False, indent=1) + "\n"
        )
    return report


def _keep_certificate(answer: Certification, folder: Path) -> None:
    """The certificate beside the network; none of an earlier run is left where there is none now."""
    path = folder / CERTIFICATE
    if answer.nodes is None:
        path.unlink(missing_ok=True)
    else:
        write_whole(path, json.dumps(answer.certificate(), ensure_ascii=False) + "\n")
