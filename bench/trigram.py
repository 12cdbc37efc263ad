"""Benchmark of a trigram language model as an automaton: the time of each step.

``python bench/trigram.py TRAIN TEST [FILE]`` reads texts with one sentence per line, prints the time of each
step, and writes the figures to FILE as JSON. The steps are to build, write, load and minimise the automaton,
to score the test text, to decide that the automaton equals the minimised one, and to check the certificate of
this decision. The figures in ``results/trigram.json`` are for the Penn Treebank.
"""

import json
import math
import os
import sys
import tempfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import numpy as np
from timing import argument, gigabytes, show, write

from automata.batch import scores
from automata.equivalence import Equivalent, equivalent
from automata.io import files
from automata.languages.n_grams import n_gram_model
from automata.minimise import minimise
from automata.wfsa import WFSA
from ratproof.checkers.table import judge

Result = TypeVar("Result")


def sentences(path: str) -> list[list[str]]:
    """Return the words of each line of a file."""
    return [line.split() for line in Path(path).read_text(encoding="utf-8").splitlines()]


def perplexity(model: WFSA, texts: list[list[str]]) -> float:
    """Return the model's perplexity on the words and sentence ends of the texts.

    The probabilities are computed by the Forward algorithm in float64.
    """
    logarithms = np.log(scores(model.to_float(), texts).astype(float))
    return math.exp(-logarithms.sum() / sum(len(text) + 1 for text in texts))


def size(automaton: WFSA) -> str:
    """Return a text with the numbers of states and transitions of an automaton."""
    count = automaton.num_transitions + len(automaton.epsilon_table)
    return f"{automaton.num_states:,} states, {count:,} transitions"


def main() -> None:
    """Run the benchmark, print the steps, and write the figures."""
    train, test = (sentences(path) for path in sys.argv[1:3])
    done: list[dict[str, Any]] = []

    def take(what: str, step: Callable[[], Result], summary: Callable[[Result], str]) -> Result:
        """Run the step named ``what``, and return its result; ``summary`` describes it in the record."""
        begun = perf_counter()
        result = step()
        done.append({"what": what, "result": summary(result), "seconds": perf_counter() - begun})
        show(" ", done[-1])
        return result

    model = take("count, and interpolate", lambda: n_gram_model(train, order=3), size)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "model.json"))
        take("write as JSON", lambda: files.write(model, path), lambda _: f"{os.path.getsize(path):,} bytes")
        model = take("load", lambda: files.read(path), size)
    take("score the test set", lambda: perplexity(model, test), lambda value: f"perplexity {value:.1f}")
    smaller = take("minimise", lambda: minimise(model), lambda result: size(result.automaton)).automaton
    answer = take("decide equal", lambda: equivalent(model, smaller), lambda answer: answer.verdict)
    if isinstance(answer, Equivalent) and answer.certificate is not None:
        data = take(
            "write the certificate",
            lambda: json.loads(json.dumps(answer.certificate.to_json())),
            lambda data: f"{len(data.get('links', ()))} links",
        )
        take("check the certificate", lambda: judge(data), lambda result: result.verdict)
    about = {"date": str(date.today()), "cores": os.cpu_count(), "gigabytes": gigabytes()}
    show("  at most", about)
    write({**about, "steps": done}, argument(3))


if __name__ == "__main__":
    main()
