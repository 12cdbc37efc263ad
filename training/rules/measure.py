"""Measurement of rules that are extracted from trained networks, and decisions about untrained networks.

``python -m training.rules.measure DATA rules/*/fa-rnn/{1-percent,10-percent,all}/seed-*`` adds the missing
results to ``training/results/fa_rnn.json``. DATA is the folder of the published data sets, and ``rules`` is
the folder of the campaign ``training/campaigns/rules.toml``.
"""

from __future__ import annotations

import argparse
import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from automata.io.files import read_text, write_whole
from automata.rules import rule_files
from automata.rules.rule_files import rule_file_in
from automata.rules.rule_set import rule_set
from neural.fa_rnn import files, sentences
from neural.fa_rnn.network import FARNN
from ratproof.certification.fa_rnn import decide_network
from training.classification_with_rules.data import at, drawn_indices
from training.classification_with_rules.sources import SOURCES
from training.engine import results
from training.engine.names import NETWORK, RESULT
from training.machine import machine
from training.rules.read_report import systems, trained_on

KEPT = Path(__file__).parents[1] / "results" / "fa_rnn.json"
FORMAT = 2


def read_back(run: Path, data: Path) -> dict[str, Any]:
    """Return the accuracies of the rule systems that are extracted from the network of a run."""
    start_time = time.perf_counter()
    result, (model, about) = results.read(run / RESULT), files.load(run / NETWORK)
    parts = sentences.read(data / SOURCES[result["experiment"]].folder)
    share, seed = trained_on(about, str(run))
    parts["train"] = at(parts["train"], drawn_indices(len(parts["train"]), share, seed))
    rows, _, _ = systems(model, parts)
    return {
        **_named(result),
        "sentences": len(parts["train"]),
        "systems": [
            {"system": row.system, "dev": row.dev, "test": row.test, "rules": row.rules} for row in rows
        ],
        "seconds": round(time.perf_counter() - start_time, 1),
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def decide(name: str, data: Path) -> dict[str, Any]:
    """Decide whether the untrained float32 network of a data set's rules equals the rules."""
    folder = data / SOURCES[name].folder
    written = rule_files.read(str(rule_file_in(folder)))
    words = sentences.vocabulary(sentences.read(folder))
    start_time = time.perf_counter()
    compiled = rule_set(written, words)
    network = FARNN.of_rules(compiled)
    compiling = time.perf_counter() - start_time
    decision = decide_network(network, written, compiled)
    return {
        "set": name,
        "rules": len(written),
        "words": len(words),
        "states": compiled.automaton.states,
        "rank": network.rank,
        "verdict": decision.verdict,
        "exact": decision.exact,
        "largest": decision.largest,
        "certificates": sum(
            len(answer.certificates) for answers in decision.answers.values() for answer in answers
        ),
        "compile_seconds": round(compiling, 1),
        "seconds": round(time.perf_counter() - start_time - compiling, 1),
    }


def _named(result: dict[str, Any]) -> dict[str, Any]:
    settings = result["configuration"]
    return {"set": result["experiment"], "share": settings["share"], "seed": settings["seed"]}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("runs", type=Path, nargs="*", help="folders with result.json and network.safetensors")
    parser.add_argument("-o", "--output", type=Path, default=KEPT)
    options = parser.parse_args()
    kept: dict[str, Any] = {"format": FORMAT, "decided": [], "read_back": []}
    if options.output.exists():
        kept = json.loads(read_text(options.output))

    def add(group: str, measurement: dict[str, Any]) -> None:
        kept[group].append(measurement)
        kept["machine"] = machine()
        write_whole(options.output, json.dumps(kept, indent=1) + "\n")
        seconds = f"{measurement['seconds']} s"
        print(group, measurement["set"], measurement.get("seed", ""), seconds, flush=True)

    named = [_named(results.read(run / RESULT)) for run in options.runs]
    for name in dict.fromkeys(one["set"] for one in named):
        if name not in [one["set"] for one in kept["decided"]]:
            add("decided", decide(name, options.data))
    for run, which in zip(options.runs, named, strict=True):
        if not any(which.items() <= one.items() for one in kept["read_back"]):
            add("read_back", read_back(run, options.data))


if __name__ == "__main__":
    main()
