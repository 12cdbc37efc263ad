"""The commands ``score``, ``convert``, ``draw`` and ``sample``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
from typer import Argument, Option

from automata import batch
from automata.errors import InputError, UnknownSymbol
from automata.io import files
from automata.sampling import sample as sample_strings
from automata.semirings import MIN_PLUS
from automata.semirings import semiring as semiring_named
from automata.text.number_text import shorten
from automata.text.printable_text import is_plain, read_string, write_list, write_string
from automata.wfsa import WFSA
from ratproof.commands.app import AsJson, FormatName, RoundWeights, SemiringName, SymbolTable, app, example
from ratproof.commands.terminal import print_answer
from ratproof.process.outputs import require_outputs

AsLists = Annotated[
    bool, Option("--lists", help='strings are JSON lists of symbols, such as ["New York", "b"]')
]
AutomatonFile = Annotated[str, Argument(metavar="AUTOMATON", help="a .json, .att, .txt, .fst or .dot file")]


def load_both(
    a: str, b: str, semiring: str | None, symbols: str | None, file_format: str | None = None
) -> tuple[WFSA, WFSA]:
    """Load two automata. ``--semiring`` and ``--symbols`` apply to files without a semiring.

    Raises:
        InputError: If the semirings differ because a file does not specify its own.
    """
    lacks_semiring = [files.suffix_of(path, file_format) in files.WITHOUT_SEMIRING for path in (a, b)]
    options = [(semiring, symbols) if x or not any(lacks_semiring) else (None, None) for x in lacks_semiring]
    one, other = load(a, *options[0], file_format), load(b, *options[1], file_format)
    for path, mine, against, assumed in zip((a, b), (one, other), (other, one), lacks_semiring, strict=True):
        if assumed and semiring is None and mine.semiring is not against.semiring:
            raise InputError(
                f"{path}: the file has no semiring, so {mine.semiring.name} was assumed, but the other"
                f" automaton uses {against.semiring.name}; pass --semiring {against.semiring.name}"
            )
    return one, other


def note_semiring(target: str, automaton: WFSA) -> None:
    """Print a note that a .att file needs ``--semiring``, because it does not specify its semiring."""
    if target.endswith(".att") and automaton.semiring is not MIN_PLUS:
        print(f"{target} does not specify its semiring; read it with --semiring {automaton.semiring.name}")


def load(path: str, semiring: str | None, symbols: str | None, file_format: str | None = None) -> WFSA:
    """Return the automaton in a file."""
    return files.read(path, None if semiring is None else semiring_named(semiring), symbols, file_format)


@app.command(epilog=example('score fading.json "" "a b"'))
def score(
    automaton: AutomatonFile,
    strings: Annotated[
        list[str], Argument(metavar="STRING", help='symbols separated by spaces; "" is the empty string')
    ],
    lists: AsLists = False,
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    file_format: FormatName = None,
    as_json: AsJson = False,
) -> None:
    """Print the exact score of each string, one per line."""
    machine = load(automaton, semiring, symbols, file_format)
    read = [read_string(text, as_list=lists) for text in strings]
    try:
        scores = batch.scores(machine, read)
    except UnknownSymbol as error:
        raise InputError(f"{automaton}: {error}{_split_hint(machine, read)}") from None
    written = [score_text(machine, value, text) for value, text in zip(scores, strings, strict=True)]
    print_answer(as_json, {"scores": written}, "\n".join(written))


@app.command(epilog=example("convert fading.json fading.att"))
def convert(
    source: AutomatonFile,
    target: Annotated[
        str, Argument(metavar="FILE", help="output file: .json, .att (and a .syms file), .dot or .svg")
    ],
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    file_format: FormatName = None,
    round_weights: RoundWeights = False,
    as_json: AsJson = False,
) -> None:
    """Write an automaton in another format."""
    files.require_writable(target)
    require_outputs({"": target}, reads=(source, symbols))
    machine = load(source, semiring, symbols, file_format)
    _print_written(files.write(machine, target, round_weights), machine, as_json)
    if not as_json:
        note_semiring(target, machine)


@app.command(epilog=example("draw fading.json -o fading.svg"))
def draw(
    automaton: AutomatonFile,
    output: Annotated[str, Option("-o", "--output", help="output file: .svg, .png, .pdf or .dot")],
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    file_format: FormatName = None,
    as_json: AsJson = False,
) -> None:
    """Draw an automaton."""
    files.require_drawing(output)
    require_outputs({"-o": output}, reads=(automaton, symbols))
    machine = load(automaton, semiring, symbols, file_format)
    _print_written(files.draw(machine, output), machine, as_json)


@app.command(epilog=example("sample fading.json -n 5 --longest 4 --seed 1"))
def sample(
    automaton: AutomatonFile,
    count: Annotated[int, Option("-n", "--count", min=1, help="number of strings")] = 10,
    longest: Annotated[
        int, Option("--longest", min=0, max=10_000, help="maximum number of symbols in a string")
    ] = 20,
    seed: Annotated[int | None, Option("--seed", min=0, help="seed, to get the same strings again")] = None,
    lists: AsLists = False,
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    file_format: FormatName = None,
    as_json: AsJson = False,
) -> None:
    """Print random strings, each with its score.

    The probability of a string is proportional to the total weight of its paths: over the real semiring, to
    its score.
    """
    machine = load(automaton, semiring, symbols, file_format)
    try:
        drawn = sample_strings(machine, count, longest, np.random.default_rng(seed))
    except InputError as error:
        raise error.about(automaton) from None
    values = batch.scores(machine, drawn)
    scores = [score_text(machine, value, joined(x)) for x, value in zip(drawn, values, strict=True)]
    shown = [f"{write_list(x) if lists else joined(x)}\t{w}" for x, w in zip(drawn, scores, strict=True)]
    print_answer(as_json, {"strings": [list(x) for x in drawn], "scores": scores}, "\n".join(shown))


def joined(string: Sequence[str]) -> str:
    """Return the symbols joined by spaces, quoted if the text would be ambiguous."""
    plain = not string or (is_plain(string) and string[0][0] not in "\"'")
    return " ".join(string) if plain else write_string(string)


def _split_hint(machine: WFSA, strings: Sequence[Sequence[str]]) -> str:
    """Return a hint for the error about symbols that are not separated by spaces, or that contain spaces."""
    for symbol in (symbol for string in strings for symbol in string):
        if symbol not in machine.index and all(letter in machine.index for letter in symbol):
            return f"; symbols must be separated by spaces; write {write_string(tuple(symbol))}"
    if any(isinstance(symbol, str) and symbol.split() != [symbol] for symbol in machine.index):
        return "; strings are split at spaces; use --lists for symbols that contain spaces"
    return ""


def score_text(machine: WFSA, value: object, text: str) -> str:
    """Format a score; raise InputError if it overflows float64.

    Only log scores can overflow, because the others are exact.
    """
    if isinstance(value, float) and not machine.semiring.contains(float(value)):
        raise InputError(
            f"the score of {shorten(text)} overflows float64, in which the {machine.semiring.name} semiring"
            " computes"
        )
    return machine.semiring.format(value)


def _print_written(written: list[Path], machine: WFSA, as_json: bool) -> None:
    names = list(map(str, written))
    print_answer(as_json, {"files": names, "states": machine.states}, f"{' and '.join(names)}: {machine!r}")
