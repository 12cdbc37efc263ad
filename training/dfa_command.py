"""The options ``--cell``, ``--layers`` and ``--certify`` of ``ratproof train dfa``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any

from typer import Option

from automata.errors import InputError
from ratproof.commands.app import CertificateFile
from training.engine.settings import option

CELL_OPTIONS: dict[str, tuple[Any, Any]] = {
    "cell": (
        Annotated[
            str | None,
            Option(
                "--cell",
                help="train an ordinary network with this cell, rnn, gru or lstm, on one-hot vectors",
            ),
        ],
        None,
    ),
    "layers": (
        Annotated[int | None, Option("--layers", min=1, help="with --cell: number of layers (default: 1)")],
        None,
    ),
    "certified": (
        Annotated[
            bool, Option("--certify", help="with --cell: train until a proof for all strings succeeds")
        ],
        False,
    ),
    "certificate": (CertificateFile, None),
}
"""The annotations and defaults of the options for ordinary networks."""
SHARED = {"file", "units", "seed", "minutes", "output", "as_json"}
"""The experiment's options that ``--cell`` supports; with ``--cell``, ``-o`` is a file (``.safetensors``)."""


def with_cells(command: Callable[..., int]) -> Callable[..., int]:
    """Return the experiment's command with additional options for ordinary networks."""
    own = inspect.signature(command).parameters

    def train(**arguments: Any) -> int:
        options = {name: arguments.pop(name) for name in CELL_OPTIONS}
        if options["cell"] is None:
            if any(options.values()):
                raise InputError("--layers, --certify and --certificate require --cell")
            return command(**arguments)
        for name, parameter in own.items():
            if name not in SHARED and arguments[name] != parameter.default:
                raise InputError(
                    f"{'--recipe' if name == 'preset' else option(name)} is not supported with --cell"
                )
        chosen = {name: arguments[name] for name in SHARED}
        from training.dfa_training import train_dfa  # imported here because torch is slow to import

        return train_dfa(**chosen, **options)

    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in CELL_OPTIONS.items()
    ]
    parameters = [*own.values(), *more]
    train.__doc__ = (
        f"{command.__doc__}\n\n"
        "With --cell, an nn.RNN, nn.GRU or nn.LSTM with a linear layer of one output learns the language."
        " The output is positive for accepted strings. Exit status 0: certified, or without --certify correct"
        " on all tested strings, 1: different, 3: unknown."
    )
    train.__signature__ = inspect.Signature(parameters, return_annotation=int)  # type: ignore[attr-defined]
    train.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": int}
    return train
