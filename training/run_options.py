"""The options that all commands which train in a folder have."""

from __future__ import annotations

from typing import Annotated, Any

import typer

AnySize = Annotated[
    bool, typer.Option("--any-size", help="take files of other sizes than the published ones, too")
]
Vectors = Annotated[
    str | None, typer.Option("--vectors", metavar="FILE", help="word vectors (default: glove* in DIR/glove)")
]
RuleFile = Annotated[
    str | None,
    typer.Option("--rules", metavar="FILE", help="rules under [label] headers (default: the .config in DIR)"),
]
Minutes = Annotated[float | None, typer.Option("--minutes", help="the most to train")]
KeepEvery = Annotated[float, typer.Option("--keep-every", help="seconds between checkpoints")]
LogEvery = Annotated[int, typer.Option("--log-every", help="steps between lines of steps.csv")]
TensorBoard = Annotated[bool, typer.Option("--tensorboard/--no-tensorboard", help="log for TensorBoard, too")]
RunFolder = Annotated[
    str | None,
    typer.Option("-o", "--output", metavar="RUN", help="a folder (default: trained/SET-MODEL-SEED)"),
]
Resume = Annotated[bool, typer.Option("--resume", help="go on with the run that is in the folder")]


def data_option(holds: str) -> Any:
    """The option ``--data``, of a folder that holds what is said."""
    return typer.Option("--data", metavar="DIR", envvar="RATPROOF_DATA", help=f"the folder with {holds}")
