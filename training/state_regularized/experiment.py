"""A complete run on a language, from training to certification.

The run draws strings, trains a network, extracts and minimises its automata, compares them with the
language's DFA, and certifies the network.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from automata.errors import FormatError, InputError
from automata.io.files import write_whole
from automata.text.number_text import plural
from automata.text.printable_text import write_string
from neural.state_regularized import files
from ratproof.certification.soft_networks.certify import Certification, certify
from ratproof.commands.terminal import progress
from ratproof.process.exit_statuses import INTERRUPTED, NO, YES
from training.engine import results
from training.engine.experiment import ExperimentRun
from training.engine.names import NETWORK, RESULT
from training.engine.processes import one_process
from training.engine.progress import Outcome
from training.engine.run import RunOptions, finished, train
from training.state_regularized import strings
from training.state_regularized.batches import accuracy
from training.state_regularized.comparison import compared
from training.state_regularized.extracted import extracted
from training.state_regularized.languages import RegularLanguage, language_of
from training.state_regularized.settings import CERTIFICATE, Recipe, recipe_of
from training.state_regularized.tables import can_be_shown, is_learned
from training.state_regularized.task import LearningTask

STOPPED: tuple[Outcome, ...] = ("interrupted", "out of time")


class LanguageRun(ExperimentRun[Recipe]):
    """A run on a language.

    The automata are compared even if ``test`` is false, because they are not used to choose settings. The
    network is certified even if training stopped early.
    """

    def called(self, preset: str) -> str:
        """Return the default name of the run's folder: language, recipe and seed."""
        return f"{language_of(self.settings, self.data.folder).name}-{preset}-{self.settings.seed}"

    def run(self, where: RunOptions, stop: Callable[[], bool] = lambda: False) -> dict[str, Any]:
        """Train and certify; see :func:`learn`."""
        return learn(self.experiment, self.settings, self.data.folder, where, stop)

    def status(self, result: dict[str, Any]) -> int:
        """Return the exit status of a command with this result."""
        if result["outcome"] == "interrupted":
            return INTERRUPTED
        return YES if result["outcome"] == "trained" and result["accepts_exactly"] else NO

    def title(self, result: dict[str, Any]) -> tuple[str, str]:
        """Return the first line that is printed about a result: the highlighted name, and the other text."""
        (drawn, drawn_yes), (held, held_yes) = result["strings"]["training"], result["strings"]["validation"]
        counts = f"{drawn} strings ({drawn_yes} accepted) to train and {held} ({held_yes}) to validate"
        return result["language"], (
            f": {result['states']} states; {counts}; seed {result['seed']}, recipe {result['recipe']}"
        )

    def lines(self, result: dict[str, Any]) -> Iterator[str]:
        """Yield lines about the training, the extracted automaton and the certificate."""
        counts = ", ".join(plural(result[f"{name}s"], name) for name in ("iteration", "restart"))
        accuracies = f"accuracy: {result['training']:.1%} training, {result['validation']:.1%} validation"
        yield f"  {result['outcome']} ({result['seconds']:.1f} s, {counts}); {accuracies}"
        yield f"  hard automaton (temperature to 0): {_described(result['hard'])}"
        yield f"  soft automaton (temperature 1, proved): {_described(result['soft'])}"
        words = {
            "certified": "the soft network follows its hard automaton, on all strings",
            "different": "the soft network is not its hard automaton",
            "unknown": "no: the behaviour of the soft network on all strings is unknown",
        }
        yield f"  certified: {words[result['certified']]}"
        if result["accepts_exactly"]:
            yield "  so the soft network accepts exactly the language, at any length: proved"

    def last_lines(self, result: dict[str, Any], folder: Path) -> str:
        """Return the last lines that a run prints: the folder, and how to continue an unfinished run."""
        more = " and a larger --minutes" if result["outcome"] == "out of time" else ""
        hint = (
            f"\n  to continue: the same command with --resume{more}" if result["outcome"] in STOPPED else ""
        )
        return super().last_lines(result, folder) + hint


def _described(automaton: dict[str, Any] | None) -> str:
    if automaton is None:
        return "none"
    states = f"minimal DFA of {plural(automaton['states'], 'state')}"
    if "automaton_states" in automaton:  # older results do not have this field
        states = f"{plural(automaton['automaton_states'], 'state')}, {states}"
    if automaton["difference"] is None:
        return f"{states}, accepts exactly the language (decided)"
    return f"{states}, differs from the language first on {write_string(automaton['difference'])}"


def learn(
    experiment: str, settings: Recipe, data: Path, where: RunOptions, stop: Callable[[], bool] = lambda: False
) -> dict[str, Any]:
    """Train a network and certify it.

    If training stops before its end, the network is certified, but no result file is written.

    Args:
        experiment: ``tomita``, ``nested`` or ``dfa``.
        settings: the settings of the run.
        data: the folder of the automaton's file, if the settings name a file.
        where: the run's folder.
        stop: a function that returns whether to stop now.

    Returns:
        A result, which contains the items of :func:`~training.state_regularized.comparison.compared`
        and :func:`~training.state_regularized.extracted.extracted`, and also these fields:

        - ``language``, ``dfa`` and ``states``: the language's name, its minimal DFA, and the number of states
          of this DFA.
        - ``outcome``: ``trained``, ``out of iterations``, ``out of time`` or ``interrupted``.
        - ``training`` and ``validation``: the accuracies on the training set and on the validation set.
        - ``strings``: for each set, the number of strings, and the number of accepted strings.
        - ``restarts`` and ``iterations``: the numbers of restarts and of iterations.
        - ``certifying``: the time of certification in seconds.

    Raises:
        InputError: If the language contains all strings or none, or a folder is invalid.
        Diverged: If the loss is not finite.
    """
    one_process(experiment)
    language = language_of(settings, data)
    table = _table(language)
    done = finished(where, experiment, settings.to_json())
    if done is not None:
        if not (is_learned(done) and can_be_shown(done)):
            raise FormatError(
                f"{where.folder / RESULT}: the file must be the result of a run that learned a language"
            )
        if done.get("dfa") != table:
            raise InputError(
                f"{where.folder / RESULT}: the file must be a run on the same automaton, got another one;"
                " use another folder (-o)"
            )
        return done
    with progress(f"train {language.name}") as report_progress:
        report_progress("drawing strings")
        drawn = strings.draw(language, settings.seed, settings.near_misses)
        task = LearningTask(language.alphabet, settings, *drawn)
    about = {"experiment": experiment, "language": language.name, "dfa": table}
    ran = train(task, settings, about, where, f"train {language.name}", stop)
    learned, network = task.progress, task.acceptor.eval()
    begun = time.monotonic()
    with progress(f"train {language.name}") as report_progress:
        report_progress("extracting, comparing and certifying")
        answer = certify(
            network, progress=lambda done, of: report_progress(f"certifying: node {done + 1} of {of}")
        )
        comparison = compared(answer, language)
        words = [tuple(language.alphabet[token] for token in word) for part in drawn for word in part.tokens]
        automata = extracted(answer, language.dfa, words)
    outcome = ran.outcome if ran.outcome in STOPPED or learned.done else "out of iterations"
    right = {"training": accuracy(network, task.training), "validation": accuracy(network, task.validation)}
    metrics = {
        **{f"{name}_accuracy": share for name, share in right.items()},
        **{name: float(comparison[name]) for name in ("exact", "accepts_exactly")},
        "boxes": comparison["boxes"],
        "restarts": learned.restarts,
        "iterations": learned.iterations,
        "parameters": sum(parameter.numel() for parameter in network.parameters()),
    }
    more = {
        "language": language.name,
        "dfa": table,
        "states": language.dfa.states,
        "recipe": recipe_of(settings),
        "units": settings.units,
        "centroids": settings.centroids,
        "outcome": outcome,
        **right,
        **comparison,
        **automata,
        "certifying": round(time.monotonic() - begun, 2),
        "restarts": learned.restarts,
        "iterations": learned.iterations,
        "strings": {name: [len(part), part.accepted] for name, part in zip(right, drawn, strict=True)},
        "network": NETWORK,  # the file is in the same folder as the result
    }
    # the paper has no figure for such a run
    result = results.result(experiment, settings, ran.loop.progress, metrics, None, more)
    result["seconds"] = round(ran.loop.progress.seconds, 2)
    about_network = {name: value for name, value in result.items() if name not in ("network", "machine")}
    files.save(network, where.folder / NETWORK, {"trained": about_network})
    _keep_certificate(answer, where.folder)
    if outcome not in STOPPED:
        results.write(result, where.folder / RESULT)
    return result


def _table(language: RegularLanguage) -> dict[str, Any]:
    """Return the language's DFA as a JSON object."""
    dfa = language.dfa
    return {
        "alphabet": list(dfa.alphabet),
        "table": [list(row) for row in dfa.table],
        "final": sorted(dfa.final),
    }


def _keep_certificate(answer: Certification, folder: Path) -> None:
    """Write the certificate next to the network, or remove an earlier run's certificate if there is none."""
    path = folder / CERTIFICATE
    if answer.nodes is None:
        path.unlink(missing_ok=True)
    else:
        write_whole(path, json.dumps(answer.certificate(), ensure_ascii=False) + "\n")
