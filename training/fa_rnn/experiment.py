"""One experiment: rules and labelled sentences in, a trained classifier and what came of it out."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from automata.errors import FormatError, InputError
from automata.files import write_whole
from automata.rules import rule_files
from automata.rules.rule_files import Labelled
from automata.rules.rule_set import RuleSet, rule_set
from neural.fa_rnn import files, sentences
from neural.fa_rnn.classifier import Classifier
from neural.fa_rnn.sentences import Sentences, accuracy
from training.fa_rnn import checkpoints
from training.fa_rnn.drawn import RuleSentences
from training.fa_rnn.recipe import Recipe, recipe_for
from training.fa_rnn.trainer import Trainer
from training.fa_rnn.vectors import Vectors, find, vectors

RUN, NETWORK, REPORT = "run.safetensors", "network.safetensors", "report.json"


@dataclass(frozen=True)
class Experiment:
    """The settings of a run.

    Attributes:
        data: a folder with train.tsv, dev.tsv and test.tsv.
        rules: the rule file.
        seed: of the sentences that are taken, of weights, batches and noise.
        share: of the training sentences.
        vectors: a file; ``None``: those of :func:`~training.fa_rnn.vectors.find`, where the recipe uses any.
        changes: of the recipe, by name.
        minutes: the most to train.
        folder: for checkpoint, network and report.
    """

    data: Path
    rules: Path
    seed: int
    share: float
    vectors: Path | None
    changes: dict[str, Any]
    minutes: float
    folder: Path


@dataclass(frozen=True)
class Report:
    """The results of a run. Accuracies are shares of sentences; dev_start and test_start are the untrained
    network's.

    Attributes:
        data: the folder's name; rules: the file's.
        sentences: training, dev and test.
        labels: that rules or training sentences have.
        seed, share: as asked; recipe: as it was.
        states, rank: of the network.
        missing: words of rules that no sentence has.
        vectors: the file; without: words that have none of their own.
        default: the label of a sentence that matches none at first, as the dev set had it.
        outcome: trained, out of time or interrupted.
        epochs, best_epoch: done, and kept.
        seconds: of training.
        dev, test, dev_start, test_start: accuracies.
    """

    data: str
    rules: str
    sentences: tuple[int, int, int]
    labels: int
    seed: int
    share: float
    recipe: dict[str, Any]
    states: int
    rank: int
    missing: tuple[str, ...]
    vectors: str | None
    without: int
    default: str | None
    outcome: str
    epochs: int
    best_epoch: int
    seconds: float
    dev: float
    test: float
    dev_start: float
    test_start: float

    def to_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


def run(
    experiment: Experiment,
    resume: bool = False,
    tell: Callable[[str], None] = lambda line: None,
    stop: Callable[[], bool] = lambda: False,
) -> Report:
    """Train, keep the best classifier, and measure it on the test sentences.

    Raises :class:`~automata.errors.InputError` for data, rules or vectors that are none, and for a folder
    that has another run in it.
    """
    folder = experiment.folder
    if not 0 < experiment.minutes < float("inf"):
        raise InputError(f"--minutes is {experiment.minutes}, where a positive number is right")
    beta = experiment.changes.get("beta", 1)
    if not 0 <= beta <= 1:
        raise InputError(f"--beta is {beta}, where a number from 0 to 1 is right")
    if not resume and (folder / RUN).exists():
        raise InputError(
            f"{folder}: has a run in it; --resume goes on with it, another folder (-o) takes a new one"
        )
    if resume and not (folder / RUN).exists():
        raise InputError(f"{folder}: has no run in it to go on with")
    tell("reading")
    written, parts = rule_files.read(str(experiment.rules)), sentences.read(experiment.data)
    words = sentences.vocabulary(parts)
    training = taken(parts["train"], experiment.share, experiment.seed)
    recipe = replace(recipe_for(len(training)), **experiment.changes)
    if any(rule.label is None for rule in written):
        raise InputError(
            f"{experiment.rules}: has a rule without a [label] above it, which says what a match means"
        )
    if experiment.vectors is not None and recipe.beta == 1:
        raise InputError(
            f"vectors do not count at beta = 1, which the recipe for {len(training)} training sentences has:"
            " --beta below 1 is right"
        )
    tell("compiling rules")
    rules = rule_set(written, words)
    word_vectors = _vectors(experiment, recipe, tuple(map(str, rules.automaton.index)))
    if word_vectors is None and recipe.beta != 1:
        raise InputError(
            f"beta is {recipe.beta}, which asks for pretrained vectors, and {experiment.data} has none"
            " (glove*.npz): --vectors FILE names some, --beta 1 does without"
        )
    model, default = start(rules, written, training, parts["dev"], recipe, experiment.seed, word_vectors)
    trainer = Trainer(
        model, recipe, experiment.seed, training, parts["dev"], RuleSentences(rules, training.words)
    )
    task = _task(experiment, recipe, parts, written, default)
    if resume:
        checkpoints.read(trainer, task, folder / RUN)
    outcome = trainer.run(
        experiment.minutes * 60, tell, lambda: checkpoints.write(trainer, task, folder / RUN), stop
    )
    p = trainer.progress
    report = Report(
        data=experiment.data.resolve().name,
        rules=experiment.rules.name,
        sentences=(len(training), len(parts["dev"]), len(parts["test"])),
        labels=len(model.labels),
        seed=experiment.seed,
        share=experiment.share,
        recipe=asdict(recipe),
        states=model.cell.states,
        rank=model.network.rank,
        missing=rules.missing,
        vectors=None if word_vectors is None else Path(word_vectors.source).name,
        without=0 if word_vectors is None else word_vectors.without,
        default=default,
        outcome=outcome,
        epochs=max(0, p.epoch),
        best_epoch=p.best_epoch,
        seconds=round(p.seconds, 1),
        dev=accuracy(trainer.best, parts["dev"]),
        test=accuracy(trainer.best, parts["test"]),
        dev_start=accuracy(trainer.teacher, parts["dev"]),
        test_start=accuracy(trainer.teacher, parts["test"]),
    )
    files.save(trainer.best, folder / NETWORK, {"report": report.to_json()})
    write_whole(folder / REPORT, json.dumps(report.to_json(), indent=1, ensure_ascii=False) + "\n")
    return report


def start(
    rules: RuleSet,
    written: tuple[Labelled, ...],
    training: Sentences,
    dev: Sentences,
    recipe: Recipe,
    seed: int,
    pretrained: Vectors | None,
) -> tuple[Classifier, str | None]:
    """The classifier that says what the rules say; its default label, the most frequent one or none, is the
    better one on the dev set.
    """
    labels = tuple(dict.fromkeys([*(str(label) for label in rules.labels), *sorted(set(training.labels))]))
    ((most, _),) = Counter(training.labels).most_common(1)
    more: dict[str, Any] = (
        {}
        if pretrained is None or recipe.beta == 1
        else {"embeddings": pretrained.table, "beta": recipe.beta, "dropout": recipe.vector_dropout}
    )
    candidates: list[tuple[float, Classifier, str | None]] = []
    for default in (most, None):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = Classifier.of_rules(
                rules,
                labels,
                [str(one.rule) for one in written],
                default,
                noise=recipe.noise,
                extra=recipe.extra,
                **more,
            )
        candidates.append((accuracy(model, dev), model, default))
    _, model, default = max(candidates, key=lambda one: one[0])
    model.dropout.p = recipe.dropout
    return model, default


def taken(part: Sentences, share: float, seed: int) -> Sentences:
    """A share of the sentences, drawn at random; in their order."""
    if not 0 < share <= 1:
        raise InputError(f"--share is {share}, where a number from 0, which is left out, to 1 is right")
    if share == 1:
        return part
    places = sorted(random.Random(seed).sample(range(len(part)), max(1, round(share * len(part)))))
    return Sentences(tuple(part.words[i] for i in places), tuple(part.labels[i] for i in places))


def trained_on(about: dict[str, Any], path: str) -> tuple[float, int]:
    """Share and seed of the sentences that a kept classifier was trained on; all of them, where it does not
    say.

    Raises :class:`~automata.errors.FormatError` where what it says is neither.
    """
    report = about.get("report", {})
    share, seed = (
        (report.get("share", 1.0), report.get("seed", 0)) if isinstance(report, dict) else (None, None)
    )
    if isinstance(share, bool) or not isinstance(share, (int, float)) or type(seed) is not int:
        raise FormatError(
            f"{path}: its report has not the share and the seed of the sentences that it was trained on"
        )
    return share, seed


def _vectors(experiment: Experiment, recipe: Recipe, words: tuple[str, ...]) -> Vectors | None:
    path = experiment.vectors or (find(experiment.data) if recipe.beta != 1 else None)
    return None if path is None or recipe.beta == 1 else vectors(path, words, experiment.seed)


def _task(
    experiment: Experiment,
    recipe: Recipe,
    parts: dict[str, Sentences],
    written: tuple[Labelled, ...],
    default: str | None,
) -> dict[str, Any]:
    """What is trained and how: a run goes on only with the same."""
    said = repr([(name, part.words, part.labels) for name, part in parts.items()]) + repr(
        [(r.label, str(r.rule)) for r in written]
    )
    return {
        "data and rules": hashlib.sha256(said.encode()).hexdigest(),
        "share": experiment.share,
        "seed": experiment.seed,
        "recipe": asdict(recipe),
        "vectors": None if experiment.vectors is None else str(experiment.vectors),
        "default": default,
    }
