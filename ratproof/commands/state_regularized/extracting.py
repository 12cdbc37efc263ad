"""The implementation of ``ratproof extract``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

from automata.aliases import JsonObject, Symbols
from automata.errors import InputError
from automata.io import files
from automata.moore import Moore
from automata.text.number_text import plural
from automata.text.printable_text import write_symbol
from automata.wfsa import WFSA
from neural.state_regularized.files import load as load_network
from ratproof.certification.extraction.counts import TransitionCounts, count
from ratproof.certification.extraction.probabilities import indices, probabilistic
from ratproof.certification.soft_networks.certify import Certification, accepting, prove_boxes
from ratproof.certification.soft_networks.hard import HardAutomaton, hard_automaton
from ratproof.certification.soft_networks.numbers import Numbers
from ratproof.commands.state_regularized.networks import numbers_at
from ratproof.commands.terminal import progress
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_outputs

MOST_SYMBOLS = 1 << 21
"""Maximum total length of the strings over which ``--counts`` counts transitions, in symbols."""


@dataclass(frozen=True)
class Wanted:
    """The options that select the automaton to extract. If all are false, it is the hard automaton."""

    soft: bool
    probabilities: bool
    minimal: bool


def extract(
    checkpoint: str,
    output: str | None,
    wanted: Wanted,
    counts: str | None,
    data: str | None,
    length: int,
    temperature: float | None,
    as_json: bool,
) -> None:
    """Extract the automaton, and write and print the result."""
    network, _ = load_network(checkpoint)
    if counts not in (None, "hard", "soft"):
        raise InputError(f"--counts must be hard or soft, the two readings of Algorithm 1, got {counts!r}")
    if wanted.probabilities and (wanted.soft or wanted.minimal):
        raise InputError("--probabilities cannot be used with --soft or --minimal")
    if data is not None and counts is None:
        raise InputError("--data requires --counts hard or --counts soft")
    if output is not None:
        files.require_writable(output)
    require_outputs({"-o": output}, reads=(checkpoint, data))
    numbers = numbers_at(checkpoint, network, temperature)
    strings = _strings(numbers, data, length) if counts is not None else []
    with progress("extract") as report_progress:
        hard = hard_automaton(numbers)
        counted = (
            count(numbers, strings, "soft" if counts == "soft" else "hard") if counts is not None else None
        )
        automaton, about = _automaton(numbers, hard, wanted, report_progress)
    written = [] if output is None else files.write(automaton, output)
    answer = {
        "states": automaton.states,
        **about,
        "ties": hard.ties,
        "files": [str(path) for path in written],
    }
    answer |= _compared(numbers, counted, hard)
    if as_json:
        print_json(answer)
        return
    print(f"{about['what']}: {plural(automaton.num_states, 'state')}")
    for name, lines in (("", about["lines"]), ("", answer.get("lines_of_counts", []))):
        print("\n".join(f"  {name}{line}" for line in lines)) if lines else None
    print(f"  written to {' and '.join(map(str, written))}" if written else "  write it with -o FILE")


def _automaton(
    numbers: Numbers, hard: HardAutomaton, wanted: Wanted, report_progress: Callable[[str], None]
) -> tuple[WFSA, JsonObject]:
    """Return the requested automaton and its description."""
    if wanted.probabilities:
        final = [i for i, accepts in enumerate(hard.accepts) if accepts]
        return probabilistic(numbers).to_wfsa(final), {"what": "probabilistic automaton", "lines": []}
    machine: Moore | None
    if wanted.soft:
        nodes, why = prove_boxes(
            numbers, lambda done, of: report_progress(f"proving node {done + 1} of {of}"), report_progress
        )
        if nodes is None:
            raise InputError(
                f"could not prove which automaton the soft network follows: {why}; try a lower --temperature"
            )
        machine = Certification(numbers, hard, nodes, None, "").soft
        what = (
            f"automaton of the soft network at temperature {float(numbers.temperature):g}, proved for all"
            " strings"
        )
    else:
        machine, what = hard.machine(), "hard automaton (temperature -> 0)"
        if machine is None:
            raise InputError(f"there is no hard automaton, because of ties at {', '.join(hard.ties)}")
    assert machine is not None
    dfa = accepting(machine) if wanted.minimal else machine.accepting(_final(machine))
    outputs: Any = machine.outputs
    lines = (
        []
        if wanted.minimal
        else [
            f"state {q}: centroid {label}, {'accepts' if accepts else 'rejects'}; "
            + ", ".join(
                f"{write_symbol(symbol)} to {after}"
                for symbol, after in zip(machine.alphabet, machine.table[q], strict=True)
            )
            for q, (label, accepts) in enumerate(outputs)
        ]
    )
    centroids = None if wanted.minimal else [label for label, _ in outputs]
    return dfa.to_wfsa(), {
        "what": f"minimal DFA of the {what}" if wanted.minimal else what,
        "centroids": centroids,
        "lines": lines,
    }


def _final(machine: Moore) -> frozenset[int]:
    outputs: Any = machine.outputs
    return frozenset(q for q, (_, accepts) in enumerate(outputs) if accepts)


def _compared(numbers: Numbers, counted: TransitionCounts | None, hard: HardAutomaton) -> JsonObject:
    """Compare the transitions that Algorithm 1 counts with those of the hard automaton."""
    if counted is None:
        return {}
    name = numbers.alphabet
    different = counted.differences(hard)
    lines = [
        f"counted ({counted.reading} run): centroid {i} with {write_symbol(name[a])} leads to {j}; evaluated:"
        f" {'a tie' if k is None else k}"
        for i, a, j, k in different
    ]
    lines += [
        f"counted ({counted.reading} run): centroid {i} with {write_symbol(name[a])} was never seen"
        for i, a in counted.unseen
    ]
    lines += [
        f"counted ({counted.reading} run): centroid {i} with {write_symbol(name[a])} leads to several"
        for i, a in counted.undecided
    ]
    return {
        "counts": {
            "reading": counted.reading,
            "start": counted.start,
            "strings_agree": not different,
            "different": [[i, str(name[a]), j, k] for i, a, j, k in different],
            "unseen": [[i, str(name[a])] for i, a in counted.unseen],
            "undecided": [[i, str(name[a])] for i, a in counted.undecided],
        },
        "lines_of_counts": (
            lines or [f"counted ({counted.reading} run): the same transitions on all pairs that were seen"]
        ),
    }


def _strings(numbers: Numbers, path: str | None, longest: int) -> list[Symbols]:
    if path is not None:
        strings = [tuple(line.split()) for line in files.read_text(path).splitlines()]
        for number, string in enumerate(strings, start=1):
            indices(numbers, string, f"{path}: line {number}: ")
        return strings
    symbols = 0
    for size in range(longest + 1):
        symbols += size * len(numbers.alphabet) ** size
        if symbols > MOST_SYMBOLS:
            raise InputError(
                f"--length {longest} makes strings of more than {MOST_SYMBOLS} symbols in all; pass a smaller"
                " one, or --data FILE"
            )
    return [word for size in range(longest + 1) for word in product(numbers.alphabet, repeat=size)]
