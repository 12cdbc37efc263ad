"""One run of text classification: sentences and settings in, a result out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from automata.errors import InputError
from neural import checkpoints
from training.data_folder import Data
from training.engine import results
from training.engine.names import NETWORK, RESULT
from training.engine.progress import Outcome
from training.engine.run import Where, finished, of_same_data, train
from training.rational_recurrences import data
from training.rational_recurrences.classifier import SentenceClassifier
from training.rational_recurrences.decided import decide
from training.rational_recurrences.sentence_files import Part
from training.rational_recurrences.settings import Classification, paper
from training.rational_recurrences.sources import SOURCES
from training.rational_recurrences.task import ClassificationTask, Encoded, standard_error

KIND = "text classifier"
EXPERIMENTS = tuple(SOURCES)


@dataclass(frozen=True)
class Prepared:
    """What a run needs: the task, the word vectors, the parts with their words' places, and what is said of
    them.
    """

    task: ClassificationTask
    network: SentenceClassifier
    table: Tensor
    parts: dict[str, Encoded]
    about: dict[str, Any]


def run(
    experiment: str,
    settings: Classification,
    sentences: Data,
    where: Where,
    stop: Callable[[], bool] = lambda: False,
    test: bool = True,
) -> dict[str, Any] | Outcome:
    """Train, keep the epoch that is best on the dev part, and measure it.

    Args:
        experiment: ``sst2``, ``subj``, ``cr`` or ``amazon``.
        settings: how.
        sentences: on what.
        where: the run's folder.
        stop: should it stop here?
        test: measure it on the test part, too? Without, the test part is not read, or dropped at once, and
            there is nothing to decide: settings are searched so.

    Returns:
        The result, which is kept in the folder too; or why there is none yet.

    Raises:
        InputError: for data and folders that are none.
        Diverged: the loss is not finite.
    """
    done = finished(where, experiment, settings.to_json())
    ready = prepared(experiment, settings, sentences, test)
    if done is not None:
        return of_same_data(done, ready.about["data"], where)
    ran = train(ready.task, settings, ready.about, where, f"{experiment} {settings.model}", stop)
    if ran.outcome != "trained":
        return ran.outcome
    network, task = ready.network, ready.task
    metrics: dict[str, Any] = {}
    for part in ("dev", "test") if test else ("dev",):
        accuracy, loss = task.measured(network, ready.parts[part])
        error = standard_error(accuracy, len(ready.parts[part].labels))
        metrics |= {f"{part}_accuracy": accuracy, f"{part}_standard_error": error, f"{part}_loss": loss}
    words = int(ready.parts["train"].lengths.sum())
    p = ran.loop.progress
    metrics["words_per_second"] = round(words * p.epoch / p.seconds) if p.seconds else None
    more: dict[str, Any] = {"data": ready.about["data"], "history": p.history}
    if test:
        more["decided"] = decide(network, ready.parts["train"], ready.table)
    said = results.result(
        experiment, settings, p, metrics, paper(experiment, settings.model) if test else None, more
    )
    if ran.loop.fabric.is_global_zero:
        checkpoints.write(
            where.folder / NETWORK,
            KIND,
            {"experiment": experiment, "configuration": settings.to_json(), "metrics": metrics},
            {name: tensor.detach().clone() for name, tensor in network.state_dict().items()},
        )
        results.write(said, where.folder / RESULT)
    return said


def prepared(experiment: str, settings: Classification, sentences: Data, test: bool = True) -> Prepared:
    """Read the data, and make the untrained network."""
    if experiment not in EXPERIMENTS:
        raise InputError(f"{experiment!r:.40} is no set of sentences; there are {', '.join(EXPERIMENTS)}")
    read = data.load(experiment, sentences.folder, sentences.any_size, test)
    words = sorted({word for part in read.values() for sentence in part.words for word in sentence})
    file = sentences.vectors or data.find_vectors(sentences.folder)
    table, without = data.vector_table(file, words, settings.scale)
    index = {word: place for place, word in enumerate(words)}
    parts: dict[str, Encoded] = {name: Encoded(part, index) for name, part in read.items()}
    network = SentenceClassifier(settings, table.shape[1])
    about = {
        "experiment": experiment,
        "data": data.described(experiment, _training_and_dev(read) if not test else read)
        | {"vectors": file.name, "words": len(words), "words_without_a_vector": without},
    }
    return Prepared(
        ClassificationTask(network, parts["train"], parts["dev"], table), network, table, parts, about
    )


def _training_and_dev(parts: dict[str, Part]) -> dict[str, Part]:
    return {name: part for name, part in parts.items() if name != "test"}
