"""One run of text classification with rules: sentences, rules and settings in, a result out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from neural import checkpoints
from neural.fa_rnn import files
from training.classification_with_rules.data import RuledSentences, load
from training.classification_with_rules.fa_network import FANetwork
from training.classification_with_rules.paper import paper
from training.classification_with_rules.plain_networks import PlainNetwork
from training.classification_with_rules.settings import RuleClassification
from training.classification_with_rules.sources import SOURCES
from training.classification_with_rules.task import RuleTask
from training.engine import results
from training.engine.names import RESULT
from training.engine.processes import is_first
from training.engine.progress import Outcome, Progress
from training.engine.run import Where, finished, train
from training.engine.seeds import mixed
from training.fa_rnn.vectors import AROUND, vectors
from training.rational_recurrences.data import find_vectors
from training.rational_recurrences.task import standard_error

NETWORK = "network.safetensors"
KIND = "text classifier with rules"


@dataclass(frozen=True)
class Files:
    """Where sentences, rules and word vectors are.

    Attributes:
        folder: with the folders of :data:`~training.classification_with_rules.sources.SOURCES`.
        vectors: a file of word vectors; ``None``: the one in ``folder/glove``.
        any_size: also of files that have other sizes than the published ones.
    """

    folder: Path
    vectors: Path | None = None
    any_size: bool = False


def run(
    experiment: str,
    settings: RuleClassification,
    where_data: Files,
    where: Where,
    stop: Callable[[], bool] = lambda: False,
    test: bool = True,
) -> dict[str, Any] | Outcome:
    """Train, keep the epoch that is best on the dev part, and measure it; without training sentences, measure
    the untrained network.

    Args:
        experiment: ``atis``, ``qc`` or ``sms``.
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
    done = finished(where, settings.to_json())
    if done is not None:
        return done
    data = load(experiment, where_data.folder, settings.share, settings.seed, where_data.any_size)
    table, about = _word_vectors(data, settings, where_data)
    network = build(data, settings, table)
    task = RuleTask(network, settings, data)
    metrics: dict[str, Any] = {}
    measured = ("dev", "test") if test else ("dev",)
    for part in measured:
        metrics |= _beside_rules(task, network, part)
    progress = Progress()
    if settings.share:
        described = {"experiment": experiment, "data": data.described | about}
        ran = train(task, settings, described, where, f"{experiment} {settings.model}", stop)
        if ran.outcome != "trained":
            return ran.outcome
        progress = ran.loop.progress
    for part in measured:
        metrics |= _measured(task, network, part, SOURCES[experiment].positive)
    metrics["parameters"] = sum(p.numel() for p in network.parameters())
    more = {"data": data.described | about, "history": progress.history}
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
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(mixed(settings.seed, 2))
        if settings.is_fa:
            return FANetwork(data, settings, table)
        assert table is not None
        return PlainNetwork(settings, table, len(data.labels))


def _word_vectors(
    data: RuledSentences, settings: RuleClassification, where: Files
) -> tuple[Tensor | None, dict[str, Any]]:
    """The vectors of the words, and what is said of them; none where the network reads none."""
    if settings.is_fa and (settings.beta == 1 or settings.tensor == "whole"):
        return None, {"vectors": None}
    file = where.vectors or find_vectors(where.folder)
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
    settings = said["configuration"]
    about = {name: said[name] for name in ("experiment", "configuration", "metrics")}
    if (
        isinstance(network, FANetwork)
        and settings["model"] == "fa-rnn"
        and settings["activation"] == "none"
        and settings["scoring"] == "forward"
        and settings["tensor"] == "decomposed"
        and settings["weights"] == "rules"
    ):
        files.save(network.classifier(data).cpu(), path, about)
        return
    tensors = {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}
    checkpoints.write(path, KIND, about, tensors)
