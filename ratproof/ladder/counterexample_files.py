"""Files with counterexamples. A person can read such a file, and any machine can run it again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from automata.aliases import JsonObject
from automata.errors import FormatError, InputError
from automata.io.files import read_text, write_whole
from automata.text.number_text import shorten
from automata.text.printable_text import printable
from automata.wfsa import WFSA
from ratproof.evidence.counterexample import Counterexample, ScriptedCounterexample
from ratproof.evidence.not_run import NotRun
from ratproof.evidence.subjects import forget, is_own, subject_named
from ratproof.evidence.versions import versions
from ratproof.implementations.comparison import Comparison, StringResult, counterexample
from ratproof.implementations.table import SIDES, side_named
from theory.registry import claims

FORMAT = "ratproof counterexample 1"
FIELDS = ("claim", "variant", "comparison", "weights", "string", "unit", "network", "automaton", "bound")
SHOWN = ("string", "unit", "network", "automaton", "bound")
"""The fields that are computed again when a counterexample is run again."""
A_TEXT = (str, "a string")
KINDS: dict[str, tuple[type, str]] = {
    "says": A_TEXT,
    "claim": A_TEXT,
    "variant": A_TEXT,
    "weights": A_TEXT,
    "network": A_TEXT,
    "automaton": A_TEXT,
    "bound": A_TEXT,
    "string": (list, "a list of symbols"),
    "unit": (int, "the index of a unit"),
    "comparison": (dict, "an object"),
    "automata": (list, "a list of automata"),
    "own": (bool, "true or false"),
}
"""The type of each field, and its name in error messages."""
NOT_AS_WRITTEN = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RuntimeError,
    AssertionError,
    MemoryError,
)
"""The exceptions that a comparison may raise if its weights in a file are invalid."""


def keep_script(
    counterexample: ScriptedCounterexample, claims_file: str, folder: Path, kind: str
) -> Path | None:
    """Write the program that reproduces a counterexample to a file in the folder, and return the file's path.

    If there is no program, nothing is written, and the result is ``None``.
    """
    script = counterexample.program(claims_file)
    if not script:
        return None
    path = folder / f"{counterexample.claim}--{counterexample.variant}--{kind}.py"
    write_whole(path, script)
    return path


def keep(
    counterexample: Counterexample, folder: Path, seed: int | None, test: str, kind: str = "sampled"
) -> Path:
    """Write the counterexample to a file in the folder, and return its path.

    The file is named after the claim, the variant and the kind of evidence.
    """
    data = as_kept(counterexample, seed, test)
    path = folder / f"{counterexample.claim}--{counterexample.variant}--{kind}.json"
    write_whole(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    return path


def as_kept(counterexample: Counterexample, seed: int | None, test: str) -> JsonObject:
    """Return the JSON object that the file of a counterexample contains."""
    comparison = load(counterexample.to_json(), "counterexample")
    return {
        "format": FORMAT,
        "says": counterexample.sentence(),
        **counterexample.to_json(),
        **({"own": True} if _hides(counterexample.claim) else {}),
        "automata": [_drawn(automaton) for automaton in comparison.automata()],
        "seed": seed,
        "test": test,
        "versions": versions(),
    }


@dataclass(frozen=True)
class Replayed:
    """A counterexample after it was run again.

    Attributes:
        data: The data of the file.
        comparison: The comparison that runs, with its weights, automata and network.
        compared: The result of the comparison.
    """

    data: JsonObject
    comparison: Comparison
    compared: StringResult

    @property
    def verdict(self) -> str:
        """Return ``refuted`` after a difference, ``unknown`` if nothing was compared, else ``holds``."""
        if self.compared.difference is not None:
            return "refuted"
        return "holds" if self.compared.cases else "unknown"

    def counterexample(self) -> Counterexample:
        """Return the counterexample as it was found again; there must be a difference."""
        return counterexample(self.comparison, self.compared)

    @property
    def string(self) -> list[str]:
        """Return the string up to the first difference, or the whole string if there is none."""
        difference = self.compared.difference
        return list(self.data["string"] if difference is None else self.data["string"][: difference.length])

    def otherwise(self) -> dict[str, str]:
        """Return the descriptive fields of the file that do not match the comparison that ran.

        Each field, such as the sentence or the automata, is returned with its value in the file. These values
        are not used for anything else.
        """
        right: JsonObject = {"weights": self.comparison.weights()}
        if "automata" in self.data:
            right["automata"] = [_drawn(automaton) for automaton in self.comparison.automata()]
        if self.compared.difference is not None:
            now = self.counterexample()
            right |= {"says": now.sentence(), **{name: getattr(now, name) for name in SHOWN}}
        return {
            name: shorten(self.data[name])
            for name, value in right.items()
            if name in self.data and self.data[name] != value
        }


def read(path: str | Path) -> JsonObject:
    """Return a saved counterexample; raise FormatError if the file is not one, or if a field is invalid."""
    text = read_text(path)
    try:
        data = json.loads(text, object_pairs_hook=_once)
    except InputError as error:
        raise FormatError(f"{path}: {error}") from None
    except (ValueError, RecursionError):
        raise FormatError(f"{path}: the file must contain JSON") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FormatError(f"{path}: 'format' must be \"{FORMAT}\", as in every counterexample of ratproof")
    _require_fields(data, str(path))
    return data


def _require_fields(data: JsonObject, where: str) -> None:
    for name in FIELDS:
        if name not in data:
            raise FormatError(f"{where}: field '{name}' is missing")
    for name, (kind, right) in KINDS.items():
        if name in data and type(data[name]) is not kind:
            raise FormatError(f"{where}: '{name}' must be {right}, got {shorten(data[name])}")
    strange = [symbol for symbol in data["string"] if not isinstance(symbol, str)]
    if strange:
        raise FormatError(
            f"{where}: 'string' must be a list of symbols, got the element {shorten(strange[0])}"
        )


def _once(pairs: list[tuple[str, object]]) -> JsonObject:
    """Build an object from JSON fields; raise InputError if a field occurs twice."""
    names = [name for name, _ in pairs]
    twice = (
        next((name for index, name in enumerate(names) if name in names[:index]), None)
        if len(set(names)) < len(names)
        else None
    )
    if twice is not None:
        raise InputError(f"field {shorten(twice)} must not occur twice")
    return dict(pairs)


def load(data: JsonObject, where: str) -> Comparison:
    """Return the comparison of a counterexample.

    The file only contains data. No code in it is run.

    Raises:
        InputError: If the claim or the variant does not exist, or the weights do not match the variant.
    """
    if not isinstance(data["claim"], str):
        raise FormatError(f"{where}: 'claim' must be a string, got {shorten(data['claim'])}")
    try:
        claim = subject_named(data["claim"])
    except InputError as error:
        raise InputError(f"{error}; for your own claim, pass --claims FILE.py") from None
    names = [v.name for v in claim.variants]
    if data["variant"] not in names:
        raise FormatError(
            f"{where}: 'variant' of {claim.name} must be one of {', '.join(names)}, got"
            f" {shorten(data['variant'])}"
        )
    comparison = data["comparison"]
    way = comparison.get("way") if isinstance(comparison, dict) else None
    if not isinstance(way, str) or way not in SIDES:
        raise FormatError(
            f"{where}: 'comparison.way' must be {', '.join(list(SIDES)[:-1])} or"
            f" {list(SIDES)[-1]}, got {shorten(way)}"
        )
    with _naming(where, "'comparison' must be as ratproof writes it"):
        return side_named(way).from_json(claim, claim.variant(data["variant"]), comparison)


def _hides(name: str) -> bool:
    """Return whether a user's claim has the name of a built-in claim, and therefore hides it."""
    return is_own(name) and name in claims()


def _require_claims_file(data: JsonObject, where: str) -> None:
    """Select the claim that a file is about if a user's claim and a built-in claim have the same name.

    Raises:
        InputError: If the file is about a user's claim that is not registered.
    """
    name = data["claim"]
    if data.get("own") and not is_own(name):
        raise InputError(f"{where}: the file is about your own claim {name}; pass --claims FILE.py")
    if not data.get("own") and name in claims():
        forget(name)


def replay(path: str | Path) -> Replayed:
    """Run a saved counterexample again, and return the result.

    Raises:
        InputError: If the file is not a counterexample, or cannot run.
    """
    return run_again(read(path), str(path))


def run_again(data: JsonObject, where: str) -> Replayed:
    """Run a counterexample again, and return the result.

    Args:
        data: The JSON object from the counterexample's file.
        where: The name of the file, or of another source, for error messages.
    """
    _require_fields(data, where)
    _require_claims_file(data, where)
    comparison = load(data, where)
    with _naming(where, "'comparison' must match 'string'"):
        known = set(comparison.automata()[0].index)
        strange = [symbol for symbol in data["string"] if symbol not in known]
        if strange:
            raise FormatError(
                f"{where}: 'string' must have only symbols of the comparison, got {shorten(strange[0])}"
            )
        replayed = Replayed(data, comparison, next(iter(comparison.compare([data["string"]]))))
        replayed.otherwise()  # raises an error if a value cannot be printed
        return replayed


@contextmanager
def _naming(where: str, wrong: str) -> Iterator[None]:
    """Add the names of the file and the field to an error about a file's data."""
    try:
        yield
    except FormatError:
        raise
    except NotRun as reason:
        raise InputError(f"{where}: the counterexample cannot run on this machine: {reason}") from None
    except InputError as error:
        raise FormatError(f"{where}: 'comparison': {error}") from None
    except NOT_AS_WRITTEN as error:
        line = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        raise FormatError(f"{where}: {wrong} ({printable(line):.200})") from None


def _drawn(automaton: WFSA) -> JsonObject:
    from automata.io.json_format import to_json

    return to_json(automaton)
