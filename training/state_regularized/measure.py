"""Measure the experiments: languages and seeds, one after another, into one file; what the file has already
is left out.

``python -m training.state_regularized.measure`` writes ``training/results/tomita.json``, all grammars;
``--recipe paper`` writes ``tomita-paper.json`` beside it. ``--parentheses 4 --dfas FILE ...`` measures those
languages, with the recipes that ``ratproof train`` takes for them, into ``learned.json``.
"""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from automata.errors import FormatError
from automata.files import read_text, write_whole
from training.machine import machine
from training.state_regularized.experiments import Experiment, run
from training.state_regularized.languages import Language, balanced, from_file, grammar
from training.state_regularized.recipe import RECIPES

RESULTS = Path(__file__).parents[1] / "results"
FORMAT = "training results 1"


def measure(
    path: Path,
    languages: list[tuple[Language, str]],
    seeds: list[int],
    units: int,
    centroids: int,
    minutes: float,
) -> None:
    """Run what the file lacks, each language with its recipe; after each run the file is written whole."""
    kept = read(path)
    runs: list[dict[str, Any]] = kept["runs"]
    for language, recipe in languages:
        for seed in seeds:
            key = {
                "language": language.name,
                "seed": seed,
                "units": units,
                "centroids": centroids,
                "recipe": recipe,
            }
            if any(all(one[name] == value for name, value in key.items()) for one in runs):
                continue
            report = run(Experiment(language, seed, units, centroids, recipe, minutes))
            runs.append({**report.to_json(), "when": datetime.now(UTC).isoformat(timespec="seconds")})
            write_whole(
                path, json.dumps({"format": FORMAT, "machine": machine(), "runs": runs}, indent=1) + "\n"
            )
            print(
                f"{language.name} seed {seed}: {report.outcome}, {report.seconds:.1f} s, {report.restarts}"
                f" restarts, exact {report.exact}, {report.certified}, accepts exactly"
                f" {report.accepts_exactly}",
                flush=True,
            )


def read(path: Path) -> dict[str, Any]:
    """The results in a file; none where there is no file.

    Raises :class:`~automata.errors.FormatError` where it is something else.
    """
    if not path.exists():
        return {"runs": []}
    try:
        results = json.loads(read_text(path))
    except ValueError as error:
        raise FormatError(f"{path}: is no JSON ({error})") from None
    if (
        not isinstance(results, dict)
        or results.get("format") != FORMAT
        or not isinstance(results.get("runs"), list)
    ):
        raise FormatError(f'{path}: holds no results: format "{FORMAT}" is right')
    return results


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--grammars", type=int, nargs="*")
    parser.add_argument("--parentheses", type=int, nargs="*", default=[], help="depths")
    parser.add_argument("--dfas", nargs="*", default=[], help="boolean automata in files")
    parser.add_argument("--seeds", type=int, nargs="*", default=list(range(5)))
    parser.add_argument("--units", type=int, default=100)
    parser.add_argument("--centroids", type=int, default=50)
    parser.add_argument("--recipe", choices=tuple(RECIPES))
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    larger = [balanced(depth) for depth in options.parentheses] + [from_file(file) for file in options.dfas]
    others = [(language, "clusters") for language in larger]
    grammars = options.grammars if options.grammars is not None else [] if others else list(range(1, 8))
    languages = [(grammar(number), "ours") for number in grammars] + others
    if options.recipe:
        languages = [(language, options.recipe) for language, _ in languages]
    name = ("learned" if others else "tomita") + ("-paper.json" if options.recipe == "paper" else ".json")
    measure(
        options.output or RESULTS / name,
        languages,
        options.seeds,
        options.units,
        options.centroids,
        options.minutes,
    )


if __name__ == "__main__":
    main()
