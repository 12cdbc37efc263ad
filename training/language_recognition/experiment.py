"""One run on a language: settings in, a result out, and a network that ``ratproof certify`` reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from neural.state_regularized import files
from training.data_folder import Data
from training.engine import results
from training.engine.names import NETWORK, RESULT
from training.engine.progress import Outcome
from training.engine.run import Where, finished, train
from training.language_recognition.cell_counts import counted
from training.language_recognition.languages import DATA_SEED, Language, language
from training.language_recognition.network import TrainedAcceptor, untrained
from training.language_recognition.paper import paper
from training.language_recognition.reach import reach
from training.language_recognition.settings import Recognition
from training.language_recognition.states_along import along
from training.language_recognition.task import RecognitionTask

REACH_SHARE = 20
"""For each depth and length by itself there is one string for so many of a test set."""


def run(
    experiment: str,
    settings: Recognition,
    data: Data,
    where: Where,
    stop: Callable[[], bool] = lambda: False,
    test: bool = True,
) -> dict[str, Any] | Outcome:
    """Train, and measure on each test set.

    Args:
        experiment: ``tomita``, ``parentheses``, ``palindromes`` or ``exchanges``.
        settings: how.
        data: none are read.
        where: the run's folder.
        stop: should it stop here?
        test: measure it on the test sets, too? Settings are chosen without; no test string is drawn then.

    Returns:
        The result, which is kept in the folder too; or why there is none yet.

    Raises:
        InputError: for folders that are none.
        Diverged: the loss is not finite.
    """
    done = finished(where, experiment, settings.to_json())
    strings = language(experiment, settings)
    if done is not None:
        return _with_pictures(done, experiment, settings, where, strings)
    training, dev = strings.training(), strings.dev()
    network = untrained(strings.alphabet, settings)
    task = RecognitionTask(network, settings, training, dev)
    described = {"train": training.described(), "dev": dev.described()}
    about = {"experiment": experiment, "data": described}
    ran = train(task, settings, about, where, f"{experiment} {settings.model}", stop)
    if ran.outcome != "trained":
        return ran.outcome
    metrics: dict[str, Any] = {"dev_accuracy": float(task.right(network, dev).double().mean())}
    errors: dict[str, dict[str, float]] = {}
    for name, draw in strings.tests.items() if test else ():
        drawn = draw()
        wrong = ~task.right(network, drawn)
        described[name] = drawn.described()
        errors[name] = _shares(wrong, drawn.kinds)
        metrics[f"test_error {name}"] = float(wrong.double().mean())
    more: dict[str, Any] = {"data": described, "history": ran.loop.progress.history}
    if test:
        more["errors"] = errors
    if test and experiment == "parentheses":
        if "lstm" in settings.model:
            more["counter"] = counted(network, settings.seed)
        more |= _pictured(task, network)
    metrics |= {"curriculum_length": task.length, "restarts": task.restarts}
    metrics["parameters"] = sum(p.numel() for p in network.parameters())
    beside = paper(experiment, settings) if test else None
    said = results.result(experiment, settings, ran.loop.progress, metrics, beside, more)
    if ran.loop.fabric.is_global_zero:
        about_network = {"experiment": experiment, "configuration": settings.to_json(), "metrics": metrics}
        files.save(network.acceptor.cpu().eval(), where.folder / NETWORK, about_network)
        results.write(said, where.folder / RESULT)
    return said


def _pictured(task: RecognitionTask, network: TrainedAcceptor) -> dict[str, Any]:
    """What pictures are drawn from."""
    many = max(2, task.settings.test_strings // REACH_SHARE)
    far = reach(lambda some: task.right(network, some), many, DATA_SEED)
    return {"reach": far, "along": along(network, task.dev)}


def _with_pictures(
    done: dict[str, Any], experiment: str, settings: Recognition, where: Where, strings: Language
) -> dict[str, Any]:
    """The result of a run that is done; one from before results had what pictures are drawn from gets it, if
    the network is there.
    """
    file = where.folder / NETWORK
    if experiment != "parentheses" or "errors" not in done or "along" in done or not file.exists():
        return done
    acceptor, _ = files.load(file)
    network = TrainedAcceptor(acceptor, settings).eval()
    task = RecognitionTask(network, settings, strings.training(), strings.dev())
    said = done | _pictured(task, network)
    results.write(said, where.folder / RESULT)
    return said


def _shares(wrong: torch.Tensor, kinds: tuple[str, ...]) -> dict[str, float]:
    """The share of wrong answers on each kind of strings."""
    shares = {}
    for kind in dict.fromkeys(kinds):
        own = torch.tensor([other == kind for other in kinds])
        shares[kind] = float(wrong[own].double().mean())
    return shares
