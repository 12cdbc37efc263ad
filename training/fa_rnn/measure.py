"""Measure FA-RNNs on labelled sentences: training, reading back, and deciding the untrained network, into one
file.

``python -m training.fa_rnn.measure DATA --set QC=TREC --shares 1 0.01 --seeds 0 1 --vectors FILE`` runs what
``training/results/fa_rnn.json`` lacks; DATA holds a folder for each set.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from automata.files import write_whole
from automata.rules import rule_files
from automata.rules.rule_files import rule_file_in
from automata.rules.rule_set import rule_set
from neural.fa_rnn import files, sentences
from neural.fa_rnn.network import FARNN
from ratproof.papers.fa_rnn import decide_network
from training.fa_rnn.experiment import NETWORK, Experiment, run, taken
from training.fa_rnn.read_report import report
from training.fa_rnn.recipe import FEW
from training.machine import machine
from training.state_regularized.measure import FORMAT, RESULTS, read


def measure(
    path: Path, name: str, data: Path, share: float, seed: int, vectors: Path | None, back: bool
) -> None:
    """One run, where the file lacks it; the file is written whole."""
    kept = read(path)
    runs: list[dict[str, Any]] = kept["runs"]
    if any((one["set"], one["share"], one["seed"]) == (name, share, seed) for one in runs):
        return
    few = len(taken(sentences.read(data)["train"], share, seed)) < FEW  # whose recipe does without vectors
    vectors = None if few else vectors
    with tempfile.TemporaryDirectory() as folder:
        result = run(Experiment(data, rule_file_in(data), seed, share, vectors, {}, 10, Path(folder)))
        row: dict[str, Any] = {
            "set": name,
            **result.to_json(),
            "when": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        if back:
            started = time.perf_counter()
            model, _ = files.load(Path(folder) / NETWORK)
            parts = sentences.read(data)
            parts["train"] = taken(parts["train"], share, seed)
            read_rules, _, _ = report(model, parts)
            row["read_back"] = [
                {"system": one.system, "dev": one.dev, "test": one.test, "rules": one.rules}
                for one in read_rules.rows
            ]
            row["read_back_seconds"] = round(time.perf_counter() - started, 1)
    runs.append(row)
    write_whole(
        path, json.dumps({**kept, "format": FORMAT, "machine": machine(), "runs": runs}, indent=1) + "\n"
    )
    print(
        f"{name} {share:g} seed {seed}: {result.outcome}, {result.seconds:.1f} s, dev {result.dev:.2%}, test"
        f" {result.test:.2%}",
        flush=True,
    )


def decide(path: Path, name: str, data: Path) -> None:
    """Decide the untrained float32 network of the set's rules, where the file lacks it."""
    kept = read(path)
    decided: list[dict[str, Any]] = kept.setdefault("decided", [])
    if any(one["set"] == name for one in decided):
        return
    written = rule_files.read(str(rule_file_in(data)))
    words = sentences.vocabulary(sentences.read(data))
    started = time.perf_counter()
    compiled = rule_set(written, words)
    network = FARNN.of_rules(compiled)
    compiling = time.perf_counter() - started
    decision = decide_network(network, written, compiled)
    decided.append(
        {
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
            "seconds": round(time.perf_counter() - started - compiling, 1),
        }
    )
    write_whole(path, json.dumps({**kept, "format": FORMAT, "machine": machine()}, indent=1) + "\n")
    print(f"{name}: {decision.verdict}", flush=True)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--set", action="append", dest="sets", help="NAME, or NAME=FOLDER")
    parser.add_argument("--shares", type=float, nargs="*", default=[1.0, 0.01])
    parser.add_argument("--seeds", type=int, nargs="*", default=list(range(5)))
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--no-reading", action="store_true", help="do not read rules back")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS / "fa_rnn.json")
    options = parser.parse_args()
    for name, _, folder in (one.partition("=") for one in options.sets or ["ATIS"]):
        data = options.data / (folder or name)
        decide(options.output, name, data)
        for share in options.shares:
            for seed in options.seeds:
                measure(options.output, name, data, share, seed, options.vectors, back=not options.no_reading)


if __name__ == "__main__":
    main()
