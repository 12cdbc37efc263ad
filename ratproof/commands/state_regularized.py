"""Commands on trained state-regularized networks: certify, extract, figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import typer

from automata import files
from automata.dfa import DFA
from automata.errors import InputError
from automata.moore import Moore
from automata.printable_text import write_symbol
from automata.wfsa import WFSA
from neural.state_regularized.files import load as load_network
from ratproof.commands.app import AsJson, app, example
from ratproof.commands.deciding import write_json
from ratproof.commands.terminal import progress
from ratproof.papers.certification.certify import Certification, accepting, prove_boxes
from ratproof.papers.certification.certify import certify as decide
from ratproof.papers.certification.hard import HardAutomaton, hard_automaton
from ratproof.papers.certification.numbers import Numbers, numbers_of
from ratproof.papers.extraction import figures as pictures
from ratproof.papers.extraction.counts import TransitionCounts, count
from ratproof.papers.extraction.probabilities import probabilistic
from ratproof.process.exit_statuses import NO, UNKNOWN, YES
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_folder, require_outputs
from ratproof.report.certification import as_json_object, sentences, states_in_words

EXIT = {"certified": YES, "different": NO, "unknown": UNKNOWN}
MOST_SYMBOLS = 1 << 21
"""In all strings that are counted over."""
COLDEST, HOTTEST = 1e-30, 1e30
"""In pictures."""
MOST_PANELS = 150
"""In the picture of bars: temperatures times symbols."""
Checkpoint = Annotated[
    str, typer.Argument(metavar="CHECKPOINT", help="a state-regularized network (.safetensors)")
]
TEMPERATURES = ",".join(f"{tau:g}" for tau in pictures.TEMPERATURES)
Temperature = Annotated[
    float | None, typer.Option("--temperature", help="tau > 0; the network's own without")
]


@app.command(epilog=example("certify tomita-2.safetensors --certificate two.json -o two-soft.json"))
def certify(
    checkpoint: Checkpoint,
    temperature: Temperature = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against", help="compare what is accepted with this boolean automaton, in place of the hard one"
        ),
    ] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="write the automaton that the soft network follows")
    ] = None,
    certificate: Annotated[
        str | None, typer.Option("--certificate", help="write what shows it, for check-certificate")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Prove that a soft network follows its automaton, on all strings. Exit status 0: certified, 1:
    different, 3: unknown.

    Followed are the most probable centroid after each symbol and the decision to accept; with --against the
    decision alone.
    """
    network, _ = load_network(checkpoint)
    if output is not None:
        files.require_writable(output)
    require_outputs({"-o": output, "--certificate": certificate}, reads=(checkpoint, against))
    numbers = _numbers(checkpoint, network, temperature)
    dfa = None if against is None else _dfa(against, numbers.alphabet)
    with progress("certify") as tell:
        answer = decide(
            network, numbers.temperature, dfa, lambda done, of: tell(f"proving node {done + 1} of {of}"), tell
        )
    proved = answer.nodes is not None
    if output is not None and proved:  # first, as its format may lack what a symbol needs
        assert answer.language is not None
        files.write(answer.language.to_wfsa(), output)
    if certificate is not None and proved:
        write_json(certificate, answer.certificate())
    if as_json:
        print_json(as_json_object(answer, certificate if proved else None))
    else:
        print("\n".join(sentences(answer, against)))
        for path in (certificate, output):
            if path is not None:
                print(f"  {path}" if proved else f"  {path} is not written: no boxes were proved")
    return EXIT[answer.verdict]


@app.command(epilog=example("extract tomita-2.safetensors -o two.json"))
def extract(
    checkpoint: Checkpoint,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="write the automaton: .json, .att, .dot or .svg")
    ] = None,
    soft: Annotated[
        bool, typer.Option("--soft", help="the automaton that it follows at its temperature, proved")
    ] = False,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="the probabilistic automaton of equation 4")
    ] = False,
    minimal: Annotated[
        bool, typer.Option("--minimal", help="the minimal DFA of the language, in place of centroids")
    ] = False,
    counts: Annotated[
        str | None,
        typer.Option(
            "--counts", help="also by Algorithm 1: hard or soft, over --data or all strings of --length"
        ),
    ] = None,
    data: Annotated[
        str | None, typer.Option("--data", help="strings, one a line, symbols split at white space")
    ] = None,
    length: Annotated[int, typer.Option("--length", min=0, help="count over all strings up to it")] = 8,
    temperature: Temperature = None,
    as_json: AsJson = False,
) -> None:
    """Turn a trained network into its automaton. It is asked at every centroid for every symbol."""
    network, _ = load_network(checkpoint)
    if counts not in (None, "hard", "soft"):
        raise InputError(
            f"--counts is {counts!r}, where hard or soft is right: the two readings of Algorithm 1"
        )
    if probabilities and (soft or minimal):
        raise InputError("--probabilities goes with neither --soft nor --minimal: it is another automaton")
    if data is not None and counts is None:
        raise InputError("--data is what --counts counts over; name a reading, hard or soft")
    if output is not None:
        files.require_writable(output)
    require_outputs({"-o": output}, reads=(checkpoint, data))
    numbers = _numbers(checkpoint, network, temperature)
    strings = _strings(numbers, data, length) if counts is not None else []
    with progress("extract") as tell:
        asked = hard_automaton(numbers)
        counted = (
            count(numbers, strings, "soft" if counts == "soft" else "hard") if counts is not None else None
        )
        automaton, about = _wanted(numbers, asked, soft, probabilities, minimal, tell)
    written = [] if output is None else files.write(automaton, output)
    answer = {
        "states": automaton.states,
        **about,
        "ties": asked.ties,
        "files": [str(path) for path in written],
    }
    answer |= _compared(numbers, counted, asked)
    if as_json:
        print_json(answer)
        return
    print(f"{about['what']}: {states_in_words(automaton.states)}")
    for name, lines in (("", about["lines"]), ("", answer.get("lines_of_counts", []))):
        print("\n".join(f"  {name}{line}" for line in lines)) if lines else None
    print(f"  written to {' and '.join(map(str, written))}" if written else "  -o FILE writes it")


def _wanted(
    numbers: Numbers,
    asked: HardAutomaton,
    soft: bool,
    probabilities: bool,
    minimal: bool,
    tell: Callable[[str], None],
) -> tuple[WFSA, dict[str, Any]]:
    """The automaton that was asked for, and what to say of it."""
    if probabilities:
        final = [i for i, accepts in enumerate(asked.accepts) if accepts]
        return probabilistic(numbers).to_wfsa(final), {"what": "probabilistic automaton", "lines": []}
    machine: Moore | None
    if soft:
        nodes, why = prove_boxes(numbers, lambda done, of: tell(f"proving node {done + 1} of {of}"), tell)
        if nodes is None:
            raise InputError(
                f"what the soft network follows is not proved: {why}; a lower --temperature may help"
            )
        machine = Certification(numbers, asked, nodes, None, "").soft
        what = (
            f"automaton of the soft network at temperature {float(numbers.temperature):g}, proved for all"
            " strings"
        )
    else:
        machine, what = asked.machine(), "hard automaton (temperature -> 0)"
        if machine is None:
            raise InputError(f"there is no hard automaton: strings come to a tie, at {', '.join(asked.ties)}")
    assert machine is not None
    dfa = accepting(machine) if minimal else machine.accepting(_final(machine))
    outputs: Any = machine.outputs
    lines = (
        []
        if minimal
        else [
            f"state {q}: centroid {label}, {'accepts' if accepts else 'rejects'}; "
            + ", ".join(
                f"{write_symbol(symbol)} to {after}"
                for symbol, after in zip(machine.alphabet, machine.table[q], strict=True)
            )
            for q, (label, accepts) in enumerate(outputs)
        ]
    )
    centroids = None if minimal else [label for label, _ in outputs]
    return dfa.to_wfsa(), {
        "what": f"minimal DFA of the {what}" if minimal else what,
        "centroids": centroids,
        "lines": lines,
    }


def _final(machine: Moore) -> frozenset[int]:
    outputs: Any = machine.outputs
    return frozenset(q for q, (_, accepts) in enumerate(outputs) if accepts)


def _compared(numbers: Numbers, counted: TransitionCounts | None, asked: HardAutomaton) -> dict[str, Any]:
    """How Algorithm 1's table compares with the one that asking gives."""
    if counted is None:
        return {}
    name = numbers.alphabet
    different = counted.differences(asked)
    lines = [
        f"counted ({counted.reading} run): centroid {i} with {write_symbol(name[a])} leads to {j}; asked:"
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
            lines or [f"counted ({counted.reading} run): the same on all pairs that were seen"]
        ),
    }


@app.command(epilog=example("figures tomita-2.safetensors -o pictures"))
def figures(
    checkpoint: Checkpoint,
    output: Annotated[str, typer.Option("-o", "--output", help="the folder for the pictures (.svg)")],
    string: Annotated[
        str | None, typer.Option("--string", help="for the bars: symbols split at white space")
    ] = None,
    temperatures: Annotated[
        str, typer.Option("--temperatures", help="for the bars, split at commas")
    ] = TEMPERATURES,
    temperature: Temperature = None,
    as_json: AsJson = False,
) -> None:
    """Draw a network as the papers' figures do (3, 4 and 8 of Wang and Niepert 2019): its automata, and its
    transition probabilities over temperatures.
    """
    network, _ = load_network(checkpoint)
    numbers = _numbers(checkpoint, network, temperature)
    taus = sorted(_number(text) for text in temperatures.split(","))
    word = pictures.string_100(numbers.alphabet) if string is None else tuple(string.split())
    if len(taus) * (len(word) + 1) > MOST_PANELS:
        raise InputError(
            f"--string has {len(word)} symbols and --temperatures has {len(taus)} temperatures, which makes"
            f" more than {MOST_PANELS} bar charts; fewer are right"
        )
    folder = Path(output)
    require_folder("-o", folder, reads=(checkpoint,))
    with progress("figures") as tell:
        answer = decide(
            network,
            numbers.temperature,
            None,
            lambda done, of: tell(f"proving node {done + 1} of {of}"),
            tell,
        )
        drawn = pictures.draw_all(numbers, answer, word, taus)
    for name, text in drawn.items():
        if text is not None:
            files.write_whole(folder / name, text)
    left_out = [name for name, text in drawn.items() if text is None]
    if as_json:
        print_json(
            {
                "files": [str(folder / name) for name, text in drawn.items() if text is not None],
                "left_out": left_out,
            }
        )
        return
    print("\n".join(str(folder / name) for name, text in drawn.items() if text is not None))
    reasons = {
        "hard.svg": f"a tie at {', '.join(answer.hard.ties)}",
        "soft.svg": f"no boxes were proved: {answer.why}",
    }
    for name in left_out:
        print(f"{name} is left out: {reasons[name]}")


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not COLDEST <= value <= HOTTEST:
        raise InputError(
            f"--temperatures has {text.strip()!r}, where positive numbers split at commas are right, "
            f"from {COLDEST:g} to {HOTTEST:g}"
        )
    return value


def _numbers(path: str, network: Any, temperature: float | None) -> Numbers:
    if temperature is not None and not 0 < temperature < float("inf"):
        raise InputError(
            f"--temperature is {temperature}, where a positive number is right; ratproof extract gives the"
            " automaton of the limit 0"
        )
    try:
        return numbers_of(network, temperature)
    except InputError as error:
        raise error.about(path) from None


def _dfa(path: str, alphabet: Sequence[Any]) -> DFA:
    try:
        return DFA.from_wfsa(files.read(path)).over(alphabet)
    except InputError as error:
        raise InputError(f"{path}: {str(error).removeprefix(f'{path}: ')}") from None


def _strings(numbers: Numbers, path: str | None, longest: int) -> list[tuple[Any, ...]]:
    if path is not None:
        return [tuple(line.split()) for line in files.read_text(path).splitlines()]
    symbols = 0
    for size in range(longest + 1):
        symbols += size * len(numbers.alphabet) ** size
        if symbols > MOST_SYMBOLS:
            raise InputError(
                f"--length {longest} makes strings of more than {MOST_SYMBOLS} symbols in all; a smaller one,"
                " or --data FILE, is right"
            )
    return [word for size in range(longest + 1) for word in product(numbers.alphabet, repeat=size)]
