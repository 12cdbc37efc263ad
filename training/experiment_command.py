"""The command of an experiment: its options are the fields of its settings, and what all runs are told."""

# no postponed annotations: those of the options name what the command is made with
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from ratproof.commands.app import AsJson
from training.data_folder import Data
from training.engine.options import with_settings
from training.engine.settings import Settings
from training.run_command import in_folder
from training.run_options import (
    AnySize,
    KeepEvery,
    LogEvery,
    Minutes,
    Resume,
    RuleFile,
    RunFolder,
    TensorBoard,
    Vectors,
    data_option,
)

ABSENT: dict[str, Any] = {"data": "", "vectors": None, "rules": None, "any_size": False}
"""Options on data, and what stands for one that an experiment does not have."""


def experiment_command(
    experiment: str,
    kind: type[Settings],
    presets: Iterable[str],
    show: Callable[[dict[str, Any], Path], None],
    says: str,
    *,
    holds: str = "",
    options: tuple[str, ...] = ("data", "any_size"),
    preset: str = "paper",
    choose: Callable[[Data, dict[str, Any]], str] | None = None,
    called: Callable[[Data], str] = lambda data: "",
) -> Callable[..., int]:
    """The command that runs an experiment in a folder.

    Args:
        experiment: its name.
        kind: of its settings.
        presets: their names.
        show: prints a result for people.
        says: the command's help.
        holds: what the folder of ``--data`` holds.
        options: which of :data:`ABSENT` it has.
        preset: what is taken where none is named; with ``choose``, how that chooses, in words.
        choose: chooses it, from data and the settings that were named.
        called: what the run's folder is called, besides model and seed, where no other is named: by default
            as the experiment.
    """
    default, names = preset, ", ".join(presets)
    without = {name: value for name, value in ABSENT.items() if name not in options}

    @with_settings(kind, without)
    def train(
        data: Annotated[str, data_option(holds)],
        rules: RuleFile = None,
        preset: Annotated[
            str | None,
            typer.Option("--preset", help=f"the settings that no option names: {names} (default: {default})"),
        ] = None,
        vectors: Vectors = None,
        any_size: AnySize = False,
        minutes: Minutes = None,
        keep_every: KeepEvery = 30.0,
        log_every: LogEvery = 10,
        tensorboard: TensorBoard = True,
        output: RunFolder = None,
        resume: Resume = False,
        as_json: AsJson = False,
        *,
        given: dict[str, Any],
    ) -> int:
        where = Data(Path(data), _path(vectors), any_size, _path(rules))
        if preset is None:
            preset = default if choose is None else choose(where, given)
        return in_folder(
            experiment,
            preset,
            given,
            where,
            output,
            as_json,
            show,
            called=called(where) or experiment,
            minutes=minutes,
            resume=resume,
            keep_every=keep_every,
            log_every=log_every,
            tensorboard=tensorboard,
        )

    train.__doc__ = says
    return train


def _path(name: str | None) -> Path | None:
    return None if name is None else Path(name)
