"""The base class of the settings of runs, a frozen dataclass to which experiments add fields.

Each field is an option of the command line and an entry of the result.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any, ClassVar, TypeVar, get_type_hints

from automata.errors import InputError
from automata.text.number_text import shorten

S = TypeVar("S", bound="Settings")
_type_hints = cache(get_type_hints)


def setting(
    default: Any, says: str, least: float = -math.inf, most: float = math.inf, one_of: tuple[str, ...] = ()
) -> Any:
    """Return a dataclass field with a help text and a range of values.

    The value is a number from ``least`` to ``most``, or one of the strings ``one_of``.
    """
    return field(default=default, metadata={"says": says, "least": least, "most": most, "one_of": one_of})


@dataclass(frozen=True)
class Settings:
    """The settings that all experiments have.

    Raises :class:`~automata.errors.InputError` if a value is out of range.

    Attributes:
        retired: settings that only older results have. A retired setting had an effect only if another
            setting had a certain value; ``retired`` maps its name to the name and value of the other setting.
    """

    retired: ClassVar[dict[str, tuple[str, Any]]] = {}
    model: str = setting("", "the network")
    seed: int = setting(0, "seed of weights, batches and dropout", 0, 2**31 - 1)
    batch: int = setting(64, "examples in a batch", 1, 1 << 20)
    rate: float = setting(1e-3, "initial learning rate of Adam", 1e-8, 10)
    weight_decay: float = setting(1e-6, "the weight of the squared parameters in the loss", 0, 1)
    clip: float = setting(5.0, "maximum norm of a gradient; larger gradients are scaled down to it", 1e-6)
    epochs: int = setting(500, "maximum number of epochs", 1, 10**6)
    patience: int = setting(30, "stop after this many epochs without improvement on the dev set", 1, 10**6)
    halve_after: int = setting(
        10, "halve the learning rate after this many epochs without improvement on the dev set", 1, 10**6
    )
    precision: str = setting(
        "32-true",
        "precision, as named by Lightning Fabric; tf32 is 32-true with 10-bit products on a GPU",
        one_of=("32-true", "tf32", "64-true", "bf16-mixed"),
    )
    device: str = setting("cpu", "device for torch", one_of=("cpu", "cuda"))

    def __post_init__(self) -> None:
        kind: Any = type(self)
        types = _type_hints(kind)
        for one in dataclasses.fields(self):
            value = getattr(self, one.name)
            object.__setattr__(self, one.name, _checked(one, value, types[one.name]))

    def to_json(self) -> dict[str, Any]:
        """Return all fields by name."""
        return asdict(self)


def from_json(kind: type[S], data: dict[str, Any], where: str) -> S:
    """Return settings of this class with the values in ``data``, and defaults for the other fields.

    Raises :class:`~automata.errors.InputError`, with the prefix ``where``, if a name is not a setting or a
    value is out of range.
    """
    known = [one.name for one in dataclasses.fields(kind)]
    strange = next((name for name in data if name not in known), None)
    if strange is not None:
        raise InputError(f"{where}: a setting must be one of {', '.join(known)}, got {shorten(strange)}")
    try:
        return kind(**data)
    except InputError as error:
        raise error.about(where) from None


OPTIONS = {
    "louder": "noise-growth",
    "softer": "noise-decay",
    "loudest": "max-noise",
    "mastered": "target-accuracy",
    "look_every": "check-every",
}
"""The command-line options of fields whose options do not follow from their names."""


def option(name: str) -> str:
    """Return the command-line option for a field, such as ``--batch-size``."""
    return "--" + OPTIONS.get(name, name).replace("_", "-")


def _checked(one: Any, value: Any, right: type) -> Any:
    meta, name = one.metadata, option(one.name)
    if right is float and type(value) is int:
        value = float(value)
    if type(value) is not right:
        raise InputError(f"{name} must be {_NAMES[right]}, got {shorten(value)}")
    if meta.get("one_of") and value not in meta["one_of"]:
        raise InputError(f"{name} must be {' or '.join(meta['one_of'])}, got {shorten(value)}")
    if right in (int, float) and (value == math.inf or not meta["least"] <= value <= meta["most"]):
        shown = "d" if right is int else "g"
        most = "" if meta["most"] == math.inf else f" to {meta['most']:{shown}}"
        raise InputError(f"{name} must be {_NAMES[right]} from {meta['least']:{shown}}{most}, got {value}")
    return value


_NAMES = {int: "an integer", float: "a number", str: "a word", bool: "true or false"}
