"""The command line's ``train tomita``, ``nested`` and ``dfa``: which language, how large a network,
where to keep it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from automata.printable_text import write_string
from ratproof.commands.app import AsJson
from ratproof.commands.terminal import console, headed, progress
from ratproof.process.exit_statuses import INTERRUPTED, NO, YES
from ratproof.process.interruptions import interruptions
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_folder

if TYPE_CHECKING:
    from training.state_regularized.experiments import Comparison, Report
    from training.state_regularized.languages import Language

SR_GRU = "sr-gru"
OTHERS = ("lstm", "gru", "sr-lstm", "sr-lstm-p")

Seed = Annotated[
    int, typer.Option("--seed", min=0, help="of strings, weights and noise; the same seed, the same network")
]
Units = Annotated[int, typer.Option("--units", min=1, max=4096, help="d, the size of the hidden state")]
Centroids = Annotated[
    int, typer.Option("--centroids", min=2, max=4096, help="k, the most states that it can have")
]
RecipeName = Annotated[
    str, typer.Option("--recipe", help="ours; clusters, for larger automata; or the paper's")
]
Minutes = Annotated[float, typer.Option("--minutes", help="the most to train")]
Folder = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--output",
        help="a folder for checkpoint, network and report (default: trained/LANGUAGE-RECIPE-SEED)",
    ),
]
Resume = Annotated[bool, typer.Option("--resume", help="go on with the run that is in the folder")]


def tomita(
    grammar: Annotated[int, typer.Option("--grammar", help="1 to 7")],
    model: Annotated[
        str, typer.Option("--model", help=f"{SR_GRU}, whose automaton is certified; or {', '.join(OTHERS)}")
    ] = SR_GRU,
    seed: Seed = 0,
    units: Units = 100,
    centroids: Centroids = 50,
    recipe: RecipeName = "ours",
    minutes: Minutes = 10.0,
    output: Folder = None,
    resume: Resume = False,
    as_json: AsJson = False,
) -> int:
    """Learn a Tomita grammar (Wang & Niepert 2019, section 4.1).

    An SR-GRU has recipes of its own, and starts anew where it is stuck; other models are trained on the same
    strings by the recipe of parentheses.
    """
    from neural.unrolled import one_of

    if model != SR_GRU:
        return _by_the_engine(
            grammar, one_of("--model", model, (SR_GRU, *OTHERS)), seed, minutes, output, resume, as_json
        )
    from training.state_regularized.languages import grammar as language

    return _train(language(grammar), seed, units, centroids, recipe, minutes, output, resume, as_json)


def _by_the_engine(
    grammar: int, model: str, seed: int, minutes: float, output: str | None, resume: bool, as_json: bool
) -> int:
    from training.experiments import Data
    from training.language_recognition.commands import show as show_errors
    from training.run_command import in_folder

    given = {"grammar": grammar, "model": model, "seed": seed}
    data = Data(Path())
    return in_folder(
        "tomita", "ours", given, data, output, as_json, show_errors, minutes=minutes, resume=resume
    )


def nested(
    depth: Annotated[
        int, typer.Option("--depth", max=100, help="the most parentheses that are open at once")
    ] = 4,
    seed: Seed = 0,
    units: Units = 100,
    centroids: Centroids = 50,
    recipe: RecipeName = "clusters",
    minutes: Minutes = 10.0,
    output: Folder = None,
    resume: Resume = False,
    as_json: AsJson = False,
) -> int:
    """Learn balanced parentheses up to a depth, with a letter between them (Figure 1)."""
    from training.state_regularized.languages import balanced

    return _train(balanced(depth), seed, units, centroids, recipe, minutes, output, resume, as_json)


def dfa(
    file: Annotated[str, typer.Argument(metavar="FILE", help="a boolean automaton, .json or .att")],
    seed: Seed = 0,
    units: Units = 100,
    centroids: Centroids = 50,
    recipe: RecipeName = "clusters",
    minutes: Minutes = 10.0,
    output: Folder = None,
    resume: Resume = False,
    as_json: AsJson = False,
) -> int:
    """Learn the language of an automaton in a file."""
    from training.state_regularized.languages import from_file

    return _train(from_file(file), seed, units, centroids, recipe, minutes, output, resume, as_json, file)


def _train(
    language: Language,
    seed: int,
    units: int,
    centroids: int,
    recipe: str,
    minutes: float,
    output: str | None,
    resume: bool,
    as_json: bool,
    file: str | None = None,
) -> int:
    from training.state_regularized.experiments import NAMES, Experiment, run

    folder = Path(output) if output is not None else Path("trained") / f"{language.name}-{recipe}-{seed}"
    require_folder("-o", folder, NAMES, reads=(file,))
    experiment = Experiment(language, seed, units, centroids, recipe, minutes, folder)
    with interruptions() as stop, progress(f"train {language.name}") as tell:
        report = run(experiment, resume, tell, stop)
    if as_json:
        print_json(report.to_json())
    else:
        show(report, folder)
    if report.outcome == "interrupted":
        return INTERRUPTED
    return YES if report.outcome == "trained" and report.accepts_exactly else NO


def show(report: Report, folder: Path) -> None:
    """Print the results."""
    out = console()
    (drawn, drawn_yes), (held, held_yes) = report.strings["training"], report.strings["validation"]
    counts = f"{drawn} strings ({drawn_yes} accepted) to train and {held} ({held_yes}) to validate"
    out.print(
        headed(
            report.language, f": {report.states} states; {counts}; seed {report.seed}, recipe {report.recipe}"
        )
    )
    spent = f"{report.seconds:.1f} s, {report.iterations} iterations, {report.restarts} restarts"
    out.print(f"  {report.outcome} ({spent}); right on {report.training:.1%} and on {report.validation:.1%}")
    out.print(f"  hard automaton (temperature to 0): {_described(report.hard)}")
    out.print(f"  soft automaton (temperature 1, proved): {_described(report.soft)}")
    said = {
        "certified": "the soft network follows its hard automaton, on all strings",
        "different": "the soft network is not its hard automaton",
        "unknown": "no: it is not known what the soft network does on all strings",
    }
    out.print(f"  certified: {said[report.certified]}")
    if report.accepts_exactly:
        out.print("  so the soft network accepts exactly the language, at any length: proved")
    out.print(f"  kept in {folder}", soft_wrap=True)
    if report.outcome != "trained":
        more = " and a larger --minutes" if report.outcome == "out of time" else ""
        out.print(f"  to go on: the same command with --resume{more}")


def _described(automaton: Comparison | None) -> str:
    if automaton is None:
        return "none"
    states = f"{automaton.states} state{'s' * (automaton.states != 1)}"
    if automaton.difference is None:
        return f"{states}, accepts exactly the language (decided)"
    return f"{states}, differs from the language first on {write_string(automaton.difference)}"
