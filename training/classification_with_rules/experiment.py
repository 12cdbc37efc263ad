"""One run of text classification with rules: sentences, rules and settings in, a result out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from automata.errors import InputError
from neural import checkpoints
from neural.fa_rnn import files
from neural.seeding import seeded
from training.classification_with_rules.data import RuledSentences, load
from training.classification_with_rules.fa_network import FANetwork
from training.classification_with_rules.paper import paper
from training.classification_with_rules.plain_networks import PlainNetwork
from training.classification_with_rules.settings import RuleClassification
from training.classification_with_rules.sources import SOURCES, Source
from training.classification_with_rules.task import RuleTask
from training.classification_with_rules.vectors import AROUND, beside, vectors
from training.data_folder import Data
from training.engine import results
from training.engine.names import NETWORK, RESULT
from training.engine.processes import is_first
from training.engine.progress import Outcome, Progress
from training.engine.run import Where, finished, of_same_data, train
from training.engine.seeds import mixed
from training.rational_recurrences.task import standard_error

KIND = "text classifier with rules"


def run(
    experiment: str,
    settings: RuleClassification,
    where_data: Data,
    where: Where,
    stop: Callable[[], bool] = lambda: False,
    test: bool = True,
) -> dict[str, Any] | Outcome:
    """Train, keep the epoch that is best on the dev part, and measure it; without training sentences, measure
    the untrained network.

    Args:
        experiment: of :data:`~training.classification_with_rules.sources.SOURCES`.
        settings: how.
        where_data: on what.
        where: the run's folder.
        stop: should it stop here?
        test: measure it on the test part, too? Settings are chosen without.

    Returns:
        The result, which is kept in the folder too; or why there is none yet.

    Raises:
        InputError: for data and folders that are none.
        Diverged: the loss is not finite.
    """
    source, done = SOURCES[experiment], finished(where, experiment, settings.to_json())
    data = load(source, where_data, settings.share, settings.seed)
    table, about = _word_vectors(source, data, settings, where_data)
    described = data.described | about
    if done is not None:
        return of_same_data(done, described, where)
    network = build(data, settings, table)
    task = RuleTask(network, settings, data)
    metrics: dict[str, Any] = {}
    measured = ("dev", "test") if test else ("dev",)
    for part in measured:
        metrics |= _beside_rules(task, network, part)
    progress = Progress()
    if settings.share:
        whole = {"experiment": experiment, "data": described}
        ran = train(task, settings, whole, where, f"{experiment} {settings.model}", stop)
        if ran.outcome != "trained":
            return ran.outcome
        progress = ran.loop.progress
    for part in measured:
        metrics |= _measured(task, network, part, source.positive)
    metrics["parameters"] = sum(p.numel() for p in network.parameters())
    more = {"data": described, "history": progress.history}
    said = results.result(
        experiment, settings, progress, metrics, paper(experiment, settings) if test else None, more
    )
    if is_first():
        _keep(network, data, said, where.folder / NETWORK)
        results.write(said, where.folder / RESULT)
    return said


def build(
    data: RuledSentences, settings: RuleClassification, table: Tensor | None
) -> FANetwork | PlainNetwork:
    """The untrained network; ``table`` are word vectors, shape ``(V, D)``."""
    with seeded(mixed(settings.seed, 2)):
        if settings.is_fa:
            return FANetwork(data, settings, table)
        assert table is not None
        return PlainNetwork(settings, table, len(data.labels))


def _word_vectors(
    source: Source, data: RuledSentences, settings: RuleClassification, where: Data
) -> tuple[Tensor | None, dict[str, Any]]:
    """The vectors of the words, and what is said of them; none where the network reads none."""
    if settings.is_fa and (settings.beta == 1 or settings.tensor == "whole"):
        if where.vectors is not None and source.published is None:
            raise InputError("--vectors does not count at beta = 1: --beta below 1 is right")
        return None, {"vectors": None}
    file = where.vectors or beside(where.folder, where.folder / source.folder)
    read = vectors(file, data.words, settings.seed)
    if settings.word_vectors == "random":
        generator = torch.Generator().manual_seed(mixed(settings.seed, 5))
        table = AROUND * torch.randn(read.table.shape, generator=generator)
        return table, {"vectors": "random"}
    return read.table, {"vectors": Path(read.source).name, "words_without_a_vector": read.without}


def _beside_rules(task: RuleTask, network: nn.Module, part: str) -> dict[str, float]:
    """The rule system's accuracy, the untrained network's, and how often both say the same."""
    truth, by_rules = task.parts[part].labels, task.data.by_rules(part)
    said, _ = task.said(network, part)
    return {
        f"rules_{part}_accuracy": float((by_rules == truth).double().mean()),
        f"untrained_{part}_accuracy": float((said == truth).double().mean()),
        f"untrained_{part}_agrees_with_rules": float((said == by_rules).double().mean()),
    }


def _measured(task: RuleTask, network: nn.Module, part: str, positive: str | None) -> dict[str, Any]:
    truth = task.parts[part].labels
    said, loss = task.said(network, part)
    accuracy = float((said == truth).double().mean())
    metrics = {
        f"{part}_accuracy": accuracy,
        f"{part}_standard_error": standard_error(accuracy, len(truth)),
        f"{part}_loss": loss,
    }
    if positive is not None and positive in task.data.labels:
        place = task.data.labels.index(positive)
        both = int(((said == place) & (truth == place)).sum())
        metrics[f"{part}_precision"] = both / max(1, int((said == place).sum()))
        metrics[f"{part}_recall"] = both / max(1, int((truth == place).sum()))
    return metrics


def _keep(network: nn.Module, data: RuledSentences, said: dict[str, Any], path: Path) -> None:
    """Keep the network; one whose rules can be read back as what ``ratproof rules read-back`` reads."""
    about = {name: said[name] for name in ("experiment", "configuration", "metrics")}
    if isinstance(network, FANetwork) and network.settings.is_classifier:
        files.save(network.classifier(data).cpu(), path, about)
        return
    tensors = {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}
    checkpoints.write(path, KIND, about, tensors)
