"""Kept counterexamples: one readable file each, which runs again anywhere."""

from __future__ import annotations

import json
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from automata.errors import FormatError, InputError
from automata.files import read_text, write_whole
from ratproof.comparisons import Compared, Comparison, Exact, WithOpenFst
from ratproof.disagreement import Counterexample
from ratproof.fa_rnn_runs import OfFARNN
from ratproof.networks import OfNetwork
from ratproof.sampled_runs import SampledRuns
from theory.registry import claim_named

FORMAT = "ratproof counterexample 1"
FIELDS = ("claim", "variant", "comparison", "weights", "string", "unit", "network", "automaton", "bound")


def keep(found: Counterexample, folder: Path, seed: int | None, test: str, kind: str = "sampled") -> Path:
    """Write the counterexample into the folder; the file's name says claim, variant and kind of evidence."""
    comparison = load(found.to_json(), "counterexample")
    data = {
        "format": FORMAT,
        "says": found.sentence(),
        **found.to_json(),
        "automata": [_drawn(automaton) for automaton in comparison.automata()],
        "seed": seed,
        "test": test,
        "versions": versions(),
    }
    path = folder / f"{found.claim}--{found.variant}--{kind}.json"
    write_whole(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    return path


def read(path: str | Path) -> dict[str, Any]:
    """A kept counterexample; :class:`~automata.errors.FormatError` where the file is none."""
    text = read_text(path)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise FormatError(f"{path}: is no JSON, where a counterexample that ratproof kept is right") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FormatError(f'{path}: is no kept counterexample, whose field format is "{FORMAT}"')
    for name in FIELDS:
        if name not in data:
            raise FormatError(f"{path}: field {name} is missing")
    if not isinstance(data["string"], list) or not all(isinstance(s, str) for s in data["string"]):
        raise FormatError(f"{path}: field string is no list of symbols")
    return data


def load(data: dict[str, Any], where: str) -> Comparison:
    """The comparison that a counterexample came from. Weights are data: nothing in the file is run."""
    if not isinstance(data["claim"], str):
        raise FormatError(f"{where}: field claim is no name")
    try:
        claim = claim_named(data["claim"])
    except InputError as error:
        raise InputError(f"{error}; a claim of your own is known with --claims FILE.py") from None
    names = [v.name for v in claim.variants]
    if data["variant"] not in names:
        raise FormatError(f"{where}: {claim.name} has no variant {data['variant']!r}; it has {', '.join(names)}")
    ways: dict[str, type[Exact]] = {"exact": Exact, "openfst": WithOpenFst}
    comparison = data["comparison"]
    try:
        way = comparison["way"]
        if way == "network":
            return OfNetwork.from_json(claim.name, data["variant"], comparison)
        if way == SampledRuns.way:
            return SampledRuns.from_json(claim.name, data["variant"], comparison)
        if way == OfFARNN.way:
            return OfFARNN.from_json(claim.name, data["variant"], comparison)
        network = claim.variant(data["variant"]).network
        if way == "module" and network is not None:
            made: Comparison = network(claim.name, data["variant"])
            return made
        if way in ways:
            return ways[way](claim.name, data["variant"], claim.case.from_json(comparison["case"]))
    except InputError as error:
        raise FormatError(f"{where}: field comparison: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise FormatError(f"{where}: field comparison is not as ratproof writes it ({type(error).__name__}: {error})") from None
    raise FormatError(
        f"{where}: field comparison.way is {way!r}, where exact, openfst, network, sampled-runs, fa-rnn or module is right"
    )


def replay(path: str | Path) -> tuple[dict[str, Any], Compared]:
    """Run a kept counterexample again: the file's data, and what comparing its string shows now."""
    data = read(path)
    comparison = load(data, str(path))
    try:
        known = set(comparison.automata()[0].index)
        strange = [symbol for symbol in data["string"] if symbol not in known]
        if strange:
            raise FormatError(f"{path}: field string has {strange[0]!r}, for which the comparison has no weights")
        return data, next(iter(comparison.compare([data["string"]])))
    except InputError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, OverflowError, RuntimeError, ZeroDivisionError) as error:
        line = str(error).splitlines()[0] if str(error) else ""
        raise FormatError(f"{path}: field comparison does not fit the string ({type(error).__name__}: {line})") from None


def versions() -> dict[str, str]:
    """What a result depends on."""
    names = ("ratproof", "numpy", "torch", "hypothesis", "pynini")
    found = {"python": platform.python_version()}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def _drawn(automaton: Any) -> dict[str, Any]:
    from automata.json_format import to_json

    return to_json(automaton)
