"""One run of language modelling on Wikipedia: text and settings in, a result out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from neural import checkpoints
from training.data_folder import Data
from training.engine import results
from training.engine.names import NETWORK, RESULT
from training.engine.progress import Outcome
from training.engine.run import Where, finished, of_same_data, train
from training.language_modelling.experiment import KIND
from training.language_modelling.task import LanguageTask, perplexity
from training.wikipedia.corpus import load
from training.wikipedia.network import WikipediaModel
from training.wikipedia.settings import WikipediaModelling, paper


class WikipediaTask(LanguageTask):
    """A language model and its text, trained by Adam."""

    def optimiser(self) -> torch.optim.Optimizer:
        """Adam."""
        s = self.settings
        return torch.optim.Adam(self.network.parameters(), lr=s.rate, weight_decay=s.weight_decay)


def run(
    experiment: str,
    settings: WikipediaModelling,
    text: Data,
    where: Where,
    stop: Callable[[], bool] = lambda: False,
    test: bool = True,
) -> dict[str, Any] | Outcome:
    """Train, keep the epoch that is best on the dev part, and measure it on the test part.

    Args:
        experiment: ``wikipedia``.
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
    corpus = load(text.folder, settings.vocabulary, text.any_size)
    about: dict[str, Any] = {"experiment": experiment, "data": corpus.described()}
    if done is not None:
        return of_same_data(done, about["data"], where)
    network = WikipediaModel(settings, len(corpus.words))
    task = WikipediaTask(network, corpus)
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
    more = {"data": about["data"], "history": p.history, "decided": None}
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
