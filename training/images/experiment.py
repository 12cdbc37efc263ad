"""One run on images: files and settings in, a result out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from neural import checkpoints
from training.data_folder import Data
from training.engine import results
from training.engine.names import NETWORK, RESULT
from training.engine.progress import Outcome
from training.engine.run import Where, finished, of_same_data, train
from training.images.files import LABELS, Pixels, load
from training.images.prototypes import prototypes
from training.images.settings import PixelByPixel, paper
from training.sequences.network import SequenceClassifier
from training.sequences.task import SequenceTask, figures

KIND = "image classifier"


def run(
    experiment: str,
    settings: PixelByPixel,
    files: Data,
    where: Where,
    stop: Callable[[], bool] = lambda: False,
    test: bool = True,
) -> dict[str, Any] | Outcome:
    """Train, keep the epoch that is best on the dev part, and measure it.

    Args:
        experiment: ``mnist`` or ``fashion-mnist``.
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
    images = load(experiment, files.folder, files.any_size, test)
    if settings.images:
        images["train"] = images["train"].part(0, settings.images)
    about: dict[str, Any] = {
        "experiment": experiment,
        "data": {name: one.described() for name, one in images.items()}
        | {"split": "the set's own test part; dev: the end of the training file"},
    }
    if done is not None:
        return of_same_data(done, about["data"], where)
    parts = {name: Pixels(one, settings.side, settings.order) for name, one in images.items()}
    network = SequenceClassifier(settings, 1, LABELS)
    task = SequenceTask(network, settings, parts["train"], parts["dev"])
    ran = train(task, settings, about, where, f"{experiment} {settings.model}", stop)
    if ran.outcome != "trained":
        return ran.outcome
    p = ran.loop.progress
    metrics: dict[str, Any] = dict(
        figures(task, network, {name: part for name, part in parts.items() if name != "train"})
    )
    steps = int(parts["train"].lengths.sum())
    metrics["steps_per_second"] = round(steps * p.epoch / p.seconds) if p.seconds else None
    metrics["parameters"] = sum(tensor.numel() for tensor in network.parameters())
    more: dict[str, Any] = {"data": about["data"], "history": p.history}
    if test and settings.regularized:
        more["prototypes"] = prototypes(task, network, parts["test"], settings.order)
    said = results.result(
        experiment, settings, p, metrics, paper(experiment, settings) if test else None, more
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
