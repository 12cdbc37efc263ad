"""One run on reviews: files and settings in, a result out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from neural import checkpoints
from training.data_folder import Data
from training.engine import results
from training.engine.names import NETWORK, RESULT
from training.engine.progress import Outcome
from training.engine.run import Where, finished, of_same_data, train
from training.rational_recurrences.data import find_vectors, vector_table
from training.reviews.files import SPLIT, Encoded, load, vocabulary
from training.reviews.network import ReviewClassifier
from training.reviews.settings import Sentiment, paper
from training.reviews.words import words
from training.sequences.task import SequenceTask, figures

KIND = "review classifier"


def run(
    experiment: str,
    settings: Sentiment,
    files: Data,
    where: Where,
    stop: Callable[[], bool] = lambda: False,
    test: bool = True,
) -> dict[str, Any] | Outcome:
    """Train, keep the epoch that is best on the dev part, and measure it.

    Args:
        experiment: ``imdb``.
        settings: how.
        files: on what.
        where: the run's folder.
        stop: should it stop here?
        test: measure it on the test part, too? Without, the test part is not read: recipes are chosen so.

    Returns:
        The result, which is kept in the folder too; or why there is none yet.

    Raises:
        InputError: for data and folders that are none.
        Diverged: the loss is not finite.
    """
    done = finished(where, experiment, settings.to_json())
    s, read = settings, load(files.folder, files.any_size, test)
    index = vocabulary(read["train"], s.vocabulary)
    table, said_of = _vectors(s, files, index)
    data = {name: one.described() for name, one in read.items()} | {"split": SPLIT, **said_of}
    if done is not None:
        return of_same_data(done, data, where)

    def encoded(part: str, length: int) -> Encoded:
        return Encoded(read[part], index, length, s.tokens)

    parts = {name: encoded(name, s.length) for name in read}
    network = ReviewClassifier(s, table, len(index) + 3)
    task = SequenceTask(network, s, parts["train"], parts["dev"])
    about = {"experiment": experiment, "data": data}
    ran = train(task, s, about, where, f"{experiment} {s.model}", stop)
    if ran.outcome != "trained":
        return ran.outcome
    p = ran.loop.progress
    measured = {name: part for name, part in parts.items() if name != "train"}
    if test:
        for length in s.lengths:
            measured |= {f"{name}_{length}": encoded(name, length) for name in ("train", "test")}
    metrics: dict[str, Any] = dict(figures(task, network, measured))
    steps = int(parts["train"].lengths.sum())
    metrics["steps_per_second"] = round(steps * p.epoch / p.seconds) if p.seconds else None
    metrics["parameters"] = sum(tensor.numel() for tensor in network.parameters())
    more: dict[str, Any] = {"data": data, "history": p.history}
    if test and s.regularized:
        more["words"] = words(task, network, parts["test"], index)
    said = results.result(experiment, s, p, metrics, paper(s) if test else None, more)
    if ran.loop.fabric.is_global_zero:
        checkpoints.write(
            where.folder / NETWORK,
            KIND,
            {
                "experiment": experiment,
                "configuration": s.to_json(),
                "metrics": metrics,
                "words": list(index),
            },
            {name: tensor.detach().clone() for name, tensor in network.state_dict().items()},
        )
        results.write(said, where.folder / RESULT)
    return said


def _vectors(s: Sentiment, files: Data, index: dict[str, int]) -> tuple[Tensor | None, dict[str, Any]]:
    """GloVe's vectors of the words, with three rows before them; and what the result says of them."""
    said: dict[str, Any] = {"words": len(index)}
    if s.embedding == "learned":
        return None, said
    file = files.vectors or find_vectors(files.folder)
    table, without = vector_table(file, list(index), s.scale)
    said |= {"vectors": file.name, "words_without_a_vector": without}
    return torch.cat([table.mean(dim=0, keepdim=True).expand(3, -1), table]), said
