"""A run of language recognition, whose network ``ratproof certify`` can read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from neural.state_regularized import files
from training.engine import results
from training.engine.experiment import ExperimentRun
from training.engine.names import NETWORK, RESULT
from training.engine.progress import Progress
from training.engine.run import RunOptions
from training.language_recognition.cell_counts import counted
from training.language_recognition.languages import DATA_SEED, language
from training.language_recognition.network import TrainedAcceptor, untrained
from training.language_recognition.paper import paper
from training.language_recognition.reach import reach
from training.language_recognition.settings import Recognition
from training.language_recognition.states_along import along
from training.language_recognition.task import RecognitionTask

REACH_SHARE = 20
"""The number of test strings, divided by this, is the number of strings for each depth and length."""


class RecognitionRun(ExperimentRun[Recognition]):
    """A run on random strings of Tomita grammars, parentheses, palindromes or exchanges."""

    task: RecognitionTask

    def read(self) -> dict[str, Any]:
        """Prepare the language; its strings are drawn later."""
        self.strings = language(self.experiment, self.settings)
        return {}

    def build(self) -> RecognitionTask:
        """Return a training task with the untrained network."""
        training, dev = self.strings.training(), self.strings.dev()
        self.described |= {"train": training.described(), "dev": dev.described()}
        return self._task(untrained(self.strings.alphabet, self.settings), training, dev)

    def _task(self, network: TrainedAcceptor, *parts: Any) -> RecognitionTask:
        return RecognitionTask(network, self.settings, *parts)

    def measure(self, progress: Progress) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the metrics of the trained network, and its error rates on each kind of test string.

        For parentheses, the second result also includes the data for figures.
        """
        task, network = self.task, self.task.acceptor
        metrics: dict[str, Any] = {"dev_accuracy": float(task.right(network, task.dev).double().mean())}
        errors: dict[str, dict[str, float]] = {}
        for name, draw in self.strings.tests.items() if self.test else ():
            drawn = draw()
            wrong = ~task.right(network, drawn)
            self.described[name] = drawn.described()
            errors[name] = _shares(wrong, drawn.kinds)
            metrics[f"test_error {name}"] = float(wrong.double().mean())
        more: dict[str, Any] = {"errors": errors} if self.test else {}
        if self.test and self.experiment == "parentheses":
            if "lstm" in self.settings.model:
                more["counter"] = counted(network, self.settings.seed)
            more |= _pictured(task)
        metrics |= {"curriculum_length": task.length, "restarts": task.restarts, "parameters": self.size()}
        return metrics, more

    def paper(self) -> dict[str, Any] | None:
        """Return the paper's figures for this run."""
        return paper(self.experiment, self.settings)

    def finished(self, result: dict[str, Any], where: RunOptions) -> dict[str, Any]:
        """Return the result of a finished run.

        If an older result lacks the data for figures and its network exists, add the data to the result.
        """
        file = where.folder / NETWORK
        if (
            self.experiment == "parentheses"
            and "errors" in result
            and "along" not in result
            and file.exists()
        ):
            acceptor, _ = files.load(file)
            network = TrainedAcceptor(acceptor, self.settings).eval()
            result = result | _pictured(self._task(network, self.strings.training(), self.strings.dev()))
            results.write(result, where.folder / RESULT)
        return result

    def keep(self, path: Path, result: dict[str, Any]) -> None:
        """Write the network to a file in the format of ``ratproof certify``."""
        files.save(self.task.acceptor.acceptor.cpu().eval(), path, self.about(result))

    def title(self, result: dict[str, Any]) -> tuple[str, str]:
        """Return the first line that is printed about a result: the highlighted name, and the other text."""
        name, rest = super().title(result)
        return name, rest.partition(";")[0]

    def lines(self, result: dict[str, Any]) -> Iterator[str]:
        """Yield lines with the progress of the curriculum, the errors, and how well the cell state counts."""
        printed, metrics = (result["paper"] or {}).get("errors", {}), result["metrics"]
        restarts = metrics.get("restarts")
        again = f", after {restarts} restart{'s' * (restarts > 1)}" if restarts else ""
        yield f"  the curriculum reached strings of length {metrics['curriculum_length']:.0f}{again}"
        for name, shares in result["errors"].items():
            size, error = result["data"][name]["strings"], metrics[f"test_error {name}"]
            paper = f"; the paper: {printed[name]:.1%}" if name in printed else ""
            kinds = ", ".join(f"{kind} {share:.1%}" for kind, share in shares.items() if share)
            yield f"  {name}: wrong on {error:.2%} of {size:,}{paper}" + (f" ({kinds})" if kinds else "")
        counter = result.get("counter")
        if counter:
            largest, drift = counter["largest_error"], counter["drift_a_symbol"]
            yield (
                f"  the cell state gives the depth with an R² of {counter['r_squared']:.7f}; at depth 20 and"
                f" length 1,000 its error is at most {largest:.3g}, with a drift of {drift:.1e} per symbol"
            )


def _pictured(task: RecognitionTask) -> dict[str, Any]:
    """Return the data for the figures of a trained network."""
    many, network = max(2, task.settings.test_strings // REACH_SHARE), task.acceptor
    return {
        "reach": reach(lambda some: task.right(network, some), many, DATA_SEED),
        "along": along(network, task.dev),
    }


def _shares(wrong: torch.Tensor, kinds: tuple[str, ...]) -> dict[str, float]:
    """Return the error rate on each kind of string."""
    shares = {}
    for kind in dict.fromkeys(kinds):
        own = torch.tensor([other == kind for other in kinds])
        shares[kind] = float(wrong[own].double().mean())
    return shares
