"""The command line's ``train tomita``, ``nested`` and ``dfa``: which language, how a network learns it, and
where the run is kept.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from automata.errors import InputError
from automata.io.printable_text import write_string
from ratproof.commands.app import AsJson
from ratproof.commands.terminal import console, headed
from ratproof.process.exit_statuses import INTERRUPTED, NO, YES
from ratproof.process.interruptions import interruptions
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_folder
from training.engine.names import NAMES
from training.engine.options import with_settings
from training.run_options import KeepEvery, LogEvery, Resume
from training.state_regularized.settings import PRESETS, SR_GRU, FromFile, Nested, TomitaGrammar

OTHERS = ("lstm", "lstm-p", "gru", "sr-lstm", "sr-lstm-p")

RecipeName = Annotated[
    str,
    typer.Option(
        "--recipe",
        help=f"the settings that no option names: {', '.join(PRESETS)}; clusters for larger automata",
    ),
]
Minutes = Annotated[float, typer.Option("--minutes", help="the most to train")]
Folder = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--output",
        metavar="RUN",
        help="a folder for checkpoint, logs, network and result (default: trained/LANGUAGE-RECIPE-SEED)",
    ),
]
# no recipe is a matter of hours, and TensorBoard takes longer to import than a small network to learn
TensorBoard = Annotated[bool, typer.Option("--tensorboard/--no-tensorboard", help="log for TensorBoard, too")]


@with_settings(TomitaGrammar)
def tomita(
    recipe: RecipeName = "ours",
    minutes: Minutes = 10.0,
    keep_every: KeepEvery = 30.0,
    log_every: LogEvery = 10,
    tensorboard: TensorBoard = False,
    output: Folder = None,
    resume: Resume = False,
    as_json: AsJson = False,
    *,
    given: dict[str, Any],
) -> int:
    """Learn a Tomita grammar (Wang & Niepert 2019, section 4.1).

    An SR-GRU has recipes of its own, and starts anew where it is stuck; other models (lstm, lstm-p, gru,
    sr-lstm, sr-lstm-p) are trained on the same strings by the recipe of parentheses without its noise.
    """
    from neural.unrolled import one_of

    if "grammar" not in given:
        raise InputError("--grammar is missing: a number from 1 to 7 is right")
    how: dict[str, Any] = {
        "keep_every": keep_every,
        "log_every": log_every,
        "tensorboard": tensorboard,
        "resume": resume,
    }
    model = one_of("--model", given.get("model", SR_GRU), (SR_GRU, *OTHERS))
    if model == SR_GRU:
        return _train("tomita", Path(), given, recipe, minutes, output, as_json, **how)
    from training.data_folder import Data
    from training.language_recognition.commands import show as show_errors
    from training.language_recognition.settings import PRESETS as LIKE_PARENTHESES
    from training.run_command import in_folder

    one_of("--recipe", recipe, tuple(LIKE_PARENTHESES["tomita"]))
    data = Data(Path())
    return in_folder("tomita", recipe, given, data, output, as_json, show_errors, minutes=minutes, **how)


@with_settings(Nested)
def nested(
    recipe: RecipeName = "clusters",
    minutes: Minutes = 10.0,
    keep_every: KeepEvery = 30.0,
    log_every: LogEvery = 10,
    tensorboard: TensorBoard = False,
    output: Folder = None,
    resume: Resume = False,
    as_json: AsJson = False,
    *,
    given: dict[str, Any],
) -> int:
    """Learn balanced parentheses up to a depth, with a letter between them (Figure 1)."""
    how: dict[str, Any] = {
        "keep_every": keep_every,
        "log_every": log_every,
        "tensorboard": tensorboard,
        "resume": resume,
    }
    return _train("nested", Path(), given, recipe, minutes, output, as_json, **how)


@with_settings(FromFile, but=("file",))
def dfa(
    automaton: Annotated[str, typer.Argument(metavar="FILE", help="a boolean automaton, .json or .att")],
    recipe: RecipeName = "clusters",
    minutes: Minutes = 10.0,
    keep_every: KeepEvery = 30.0,
    log_every: LogEvery = 10,
    tensorboard: TensorBoard = False,
    output: Folder = None,
    resume: Resume = False,
    as_json: AsJson = False,
    *,
    given: dict[str, Any],
) -> int:
    """Learn the language of an automaton in a file."""
    place = Path(automaton)
    given = {**given, "file": place.name}
    how: dict[str, Any] = {
        "keep_every": keep_every,
        "log_every": log_every,
        "tensorboard": tensorboard,
        "resume": resume,
    }
    return _train("dfa", place.parent, given, recipe, minutes, output, as_json, **how)


def _train(
    experiment: str,
    data: Path,
    given: dict[str, Any],
    recipe: str,
    minutes: float,
    output: str | None,
    as_json: bool,
    **how: Any,
) -> int:
    """Run it, print what came of it, and return the exit status.

    Args:
        experiment: its name.
        data: the folder with the automaton's file, where there is one.
        given: settings, besides the recipe's.
        recipe: the name of the others.
        minutes: the most to train.
        output: the folder's name.
        as_json: print the result as JSON?
        how: the rest of :class:`~training.engine.run.Where`.
    """
    from neural.unrolled import one_of
    from training.engine.loop import Diverged
    from training.engine.run import Where
    from training.experiments import settings_for
    from training.run_command import diverged
    from training.state_regularized.experiment import CERTIFICATE, language_of, learn
    from training.state_regularized.settings import Recipe

    one_of("--recipe", recipe, tuple(PRESETS))
    settings = settings_for(experiment, recipe, {"model": SR_GRU, **given}, experiment)
    assert isinstance(settings, Recipe)
    name = f"{language_of(settings, data).name}-{recipe}-{settings.seed}"
    folder = Path(output) if output is not None else Path("trained") / name
    if minutes == math.inf:
        raise InputError("--minutes is inf, where a positive number is right")
    where = Where(folder, minutes=minutes, **how)
    reads = (data / settings.file,) if isinstance(settings, FromFile) else ()
    require_folder("-o", folder, (*NAMES, CERTIFICATE), reads)
    try:
        with interruptions(terminations=True) as stop:
            said = learn(experiment, settings, data, where, stop)
    except Diverged as error:
        return diverged(error, folder)
    print_json(said) if as_json else show(said, folder)
    if said["outcome"] == "interrupted":
        return INTERRUPTED
    return YES if said["outcome"] == "trained" and said["accepts_exactly"] else NO


def show(said: dict[str, Any], folder: Path) -> None:
    """Print a result."""
    out = console()
    (drawn, drawn_yes), (held, held_yes) = said["strings"]["training"], said["strings"]["validation"]
    counts = f"{drawn} strings ({drawn_yes} accepted) to train and {held} ({held_yes}) to validate"
    out.print(
        headed(
            said["language"],
            f": {said['states']} states; {counts}; seed {said['seed']}, recipe {said['recipe']}",
        )
    )
    spent = f"{said['seconds']:.1f} s, {said['iterations']} iterations, {said['restarts']} restarts"
    right = f"right on {said['training']:.1%} and on {said['validation']:.1%}"
    out.print(f"  {said['outcome']} ({spent}); {right}")
    out.print(f"  hard automaton (temperature to 0): {_described(said['hard'])}")
    out.print(f"  soft automaton (temperature 1, proved): {_described(said['soft'])}")
    words = {
        "certified": "the soft network follows its hard automaton, on all strings",
        "different": "the soft network is not its hard automaton",
        "unknown": "no: it is not known what the soft network does on all strings",
    }
    out.print(f"  certified: {words[said['certified']]}")
    if said["accepts_exactly"]:
        out.print("  so the soft network accepts exactly the language, at any length: proved")
    out.print(f"  kept in {folder}", soft_wrap=True)
    if said["outcome"] in ("out of time", "interrupted"):
        more = " and a larger --minutes" if said["outcome"] == "out of time" else ""
        out.print(f"  to go on: the same command with --resume{more}")


def _described(automaton: dict[str, Any] | None) -> str:
    if automaton is None:
        return "none"
    states = f"{automaton['states']} state{'s' * (automaton['states'] != 1)}"
    if automaton["difference"] is None:
        return f"{states}, accepts exactly the language (decided)"
    return f"{states}, differs from the language first on {write_string(automaton['difference'])}"
