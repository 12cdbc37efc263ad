"""Construction of the command-line command of an experiment.

The command has an option for each field of the experiment's settings, and the options that all experiments
share.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from automata.errors import InputError
from automata.extras import require_extra
from ratproof.commands.app import AsJson
from ratproof.commands.terminal import console
from ratproof.process.exit_statuses import INTERRUPTED, NO
from ratproof.process.interruptions import interruptions
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_folder
from training.data_folder import Data
from training.engine.experiment import Experiment
from training.engine.names import NAMES
from training.engine.options import options_of
from training.experiment_list import record_of

AnySize = Annotated[
    bool, typer.Option("--any-size", help="accept files whose sizes differ from the published sizes")
]
Vectors = Annotated[
    str | None, typer.Option("--vectors", metavar="FILE", help="word vectors (default: glove* in DIR/glove)")
]


def data_option(holds: str) -> Any:
    """Return the option ``--data``, whose help describes the folder's contents."""
    return typer.Option("--data", metavar="DIR", envvar="RATPROOF_DATA", help=f"the folder with {holds}")


def experiment_command(record: Experiment) -> Callable[..., int]:
    """Return the command that runs an experiment in a folder."""
    settings = options_of(record.settings, but=("file",))
    names = [parameter.name for parameter in settings]

    def train(**arguments: Any) -> int:
        options = {name: arguments.pop(name) for name in names}
        return _train(record, {name: one for name, one in options.items() if one is not None}, **arguments)

    parameters = [*_run_options(record), *settings]
    train.__doc__ = record.says
    train.__signature__ = inspect.Signature(parameters, return_annotation=int)  # type: ignore[attr-defined]
    train.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": int}
    return train


def _run_options(record: Experiment) -> Iterator[inspect.Parameter]:
    """Yield the options that are not settings."""
    names = ", ".join(record.presets)
    preset = typer.Option(
        "--preset", help=f"values for all settings that you do not pass: {names} (default: {record.preset})"
    )
    if record.recipes:
        preset = typer.Option(
            "--recipe", help=f"values for all settings that you do not pass: {names}{record.recipes}"
        )
    options: dict[str, tuple[Any, Any]] = {
        "file": (Annotated[str, typer.Argument(metavar="FILE", help=record.file)], inspect.Parameter.empty),
        "data": (Annotated[str, data_option(record.holds)], inspect.Parameter.empty),
        "rules": (
            Annotated[
                str | None,
                typer.Option(
                    "--rules",
                    metavar="FILE",
                    help="rules under [label] headers (default: the .config in DIR)",
                ),
            ],
            None,
        ),
        "preset": (Annotated[str | None, preset], record.preset if record.recipes else None),
        "vectors": (Vectors, None),
        "any_size": (AnySize, False),
        "minutes": (
            Annotated[float | None, typer.Option("--minutes", help="maximum training time")],
            record.minutes,
        ),
        "keep_every": (
            Annotated[float, typer.Option("--keep-every", help="seconds between checkpoints")],
            30.0,
        ),
        "log_every": (
            Annotated[int, typer.Option("--log-every", help="steps between lines of steps.csv")],
            10,
        ),
        "tensorboard": (
            Annotated[bool, typer.Option("--tensorboard/--no-tensorboard", help="write TensorBoard logs")],
            record.tensorboard,
        ),
        "output": (
            Annotated[str | None, typer.Option("-o", "--output", metavar="RUN", help=record.folder)],
            None,
        ),
        "resume": (Annotated[bool, typer.Option("--resume", help="continue the run in the folder")], False),
        "as_json": (AsJson, False),
    }
    absent = {"file", "data", "rules", "vectors", "any_size"} - {*record.options, "file" * bool(record.file)}
    for name, (annotation, default) in options.items():
        if name not in absent:
            yield inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
            )


def _train(
    record: Experiment,
    options: dict[str, Any],
    *,
    preset: str | None,
    minutes: float | None,
    output: str | None,
    as_json: bool,
    file: str | None = None,
    data: str = "",
    vectors: str | None = None,
    rules: str | None = None,
    any_size: bool = False,
    **how: Any,
) -> int:
    """Run the experiment, print its result, and return the exit status."""
    require_extra("training", f"train {record.name}")
    from training.engine.freed_memory import freed_memory_kept
    from training.engine.loop import Diverged
    from training.engine.processes import are_several, is_first, leave_group
    from training.engine.run import RunOptions
    from training.experiments import settings_for

    sources = Data(Path(data), _path(vectors), any_size, _path(rules))
    if file is not None:
        sources, options = Data(Path(file).parent), {**options, "file": Path(file).name}
    if preset is None:
        preset = record.preset if record.choose is None else record.choose(sources, options)
    options = {"model": record.only_model, **options} if record.only_model else options
    record = record_of(record.name, str(options.get("model"))) or record
    called = "--recipe" if record.recipes else "preset"
    settings = settings_for(record.name, preset, options, record.name, called)
    run = record.start(settings, sources)
    name = run.called(preset)
    folder = Path(output) if output is not None else Path("trained") / name
    if record.minutes is not None and minutes == math.inf:
        raise InputError("--minutes must be a finite number, got inf")
    where = RunOptions(folder, minutes=math.inf if minutes is None else minutes, **how)
    reads = (sources.vectors, sources.rules, None if file is None else Path(file))
    require_folder("-o", folder, (*NAMES, *record.files), reads=reads)
    try:
        with interruptions(terminations=True, several=are_several()) as stop, freed_memory_kept():
            result = run.run(where, stop)
    except Diverged as error:
        if is_first() and as_json:
            print_json({"outcome": "diverged", "folder": str(folder)})
        says = f"ratproof: {error}; the last checkpoint is in {folder}; try a smaller --rate"
        console(error=True).print(says, soft_wrap=True)
        return NO
    if isinstance(result, dict):
        if is_first():
            print_json(result) if as_json else run.show(result, folder)
        return run.status(result)
    leave_group()  # the program exits after this
    if is_first() and as_json:
        print_json({"outcome": result, "folder": str(folder)})
    elif is_first():
        more = " and a larger --minutes" if result == "out of time" else ""
        hint = f"the same command with --resume{more} continues the run"
        console().print(f"{name}: {result}; saved in {folder}; {hint}", soft_wrap=True)
    return INTERRUPTED if result == "interrupted" else NO


def _path(name: str | None) -> Path | None:
    return None if name is None else Path(name)
