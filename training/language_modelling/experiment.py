"""One run of language modelling: text and settings in, a result out."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import torch

from neural import checkpoints
from training.data_folder import Data
from training.engine import results
from training.engine.names import NETWORK, RESULT
from training.engine.progress import Outcome
from training.engine.run import Where, finished, of_same_data, train
from training.engine.seeds import mixed
from training.language_modelling.corpus import load
from training.language_modelling.network import LanguageModel
from training.language_modelling.settings import LanguageModelling, paper
from training.language_modelling.task import LanguageTask, perplexity
from training.rational_recurrences.decided import SYMBOLS, decide_layers, some

KIND = "language model"


def run(
    experiment: str,
    settings: LanguageModelling,
    text: Data,
    where: Where,
    stop: Callable[[], bool] = lambda: False,
    test: bool = True,
) -> dict[str, Any] | Outcome:
    """Train, keep the epoch that is best on the dev part, and measure it on the test part.

    Args:
        experiment: ``ptb``.
        settings: how.
        text: on what.
        where: the run's folder.
        stop: should it stop here?
        test: measure it on the test part, too? Settings are chosen without.

    Returns:
        The result, which is kept in the folder too; or why there is none yet.

    Raises:
        InputError: for text and folders that are none.
        Diverged: the loss is not finite.
    """
    done = finished(where, experiment, settings.to_json())
    corpus = load(text.folder, text.any_size)
    about: dict[str, Any] = {"experiment": experiment, "data": corpus.described()}
    if done is not None:
        return of_same_data(done, about["data"], where)
    network = LanguageModel(settings, len(corpus.words))
    task = LanguageTask(network, corpus)
    ran = train(task, settings, about, where, f"{experiment} {settings.model}", stop)
    if ran.outcome != "trained":
        return ran.outcome
    p = ran.loop.progress
    metrics: dict[str, Any] = {
        f"{part}_perplexity": perplexity(task.loss(network, part))
        for part in (("dev", "test") if test else ("dev",))
    }
    metrics["tokens_per_second"] = round(task.words.numel() * p.epoch / p.seconds) if p.seconds else None
    metrics["parameters"] = sum(tensor.numel() for tensor in network.parameters())
    more = {"data": about["data"], "history": p.history, "decided": decide(network, task)}
    said = results.result(experiment, settings, p, metrics, paper(settings) if test else None, more)
    if ran.loop.fabric.is_global_zero:
        checkpoints.write(
            where.folder / NETWORK,
            KIND,
            {"experiment": experiment, "configuration": settings.to_json(), "words": list(corpus.words)},
            {name: tensor.detach().clone() for name, tensor in network.state_dict().items()},
        )
        results.write(said, where.folder / RESULT)
    return said


@torch.no_grad()
def decide(network: LanguageModel, task: LanguageTask) -> dict[str, Any] | None:
    """Decide all units of a rational model: over words of the training part, and over vectors that a layer
    put out for it.
    """
    rng = random.Random(mixed(network.settings.seed, 3))
    some_words = task.words[: 4 * SYMBOLS, :4].to(next(network.parameters()).device)
    vectors = [some(torch.unique(read.flatten(0, 1), dim=0), rng) for read in network.inputs(some_words)]
    return decide_layers(network.settings.model, list(network.layers), vectors, rng)
