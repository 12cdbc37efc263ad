"""Commands that construct automata, such as ``intersect``, ``complement`` and ``regex``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from typer import Argument, Option

from automata import determinisation, operations
from automata.errors import FormatError
from automata.io import files, json_format
from automata.languages import operations as languages
from automata.regular_expressions import from_regex, to_regex
from automata.semirings import BOOLEAN
from automata.wfsa import WFSA
from ratproof.commands.app import AsJson, FormatName, RoundWeights, SemiringName, SymbolTable, app, example
from ratproof.commands.automata import AutomatonFile, load, load_both, note_semiring
from ratproof.commands.terminal import naming, print_answer
from ratproof.process.outputs import require_outputs

FirstFile = Annotated[str, Argument(metavar="A", help="a file with an automaton")]
SecondFile = Annotated[str, Argument(metavar="B", help="a second file with an automaton")]
Output = Annotated[
    str | None, Option("-o", "--output", help="output file (default: JSON on standard output)")
]


@app.command(
    epilog=example("intersect even.json even-too.json", "intersect fading.json parity.json -o both.json")
)
def intersect(
    a: FirstFile,
    b: SecondFile,
    output: Output = None,
    round_weights: RoundWeights = False,
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    file_format: FormatName = None,
    as_json: AsJson = False,
) -> None:
    """Multiply the scores of two automata.

    Over the boolean semiring, this is the intersection of languages. A symbol that is missing from one
    alphabet has weight zero there.
    """
    _apply(operations.hadamard, (a, b), output, round_weights, (semiring, symbols, file_format), as_json)


@app.command(epilog=example("union fading.json parity.json"))
def union(
    a: FirstFile,
    b: SecondFile,
    output: Output = None,
    round_weights: RoundWeights = False,
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    file_format: FormatName = None,
    as_json: AsJson = False,
) -> None:
    """Add the scores of two automata. Over the boolean semiring, that is the union of languages."""
    _apply(operations.sum_of, (a, b), output, round_weights, (semiring, symbols, file_format), as_json)


@app.command(epilog=example("difference even.json even-too.json"))
def difference(
    a: FirstFile,
    b: SecondFile,
    output: Output = None,
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    file_format: FormatName = None,
    as_json: AsJson = False,
) -> None:
    """Accept the strings that A accepts and B does not. Both automata must be boolean."""
    _apply(languages.difference, (a, b), output, False, (semiring, symbols, file_format), as_json)


@app.command(epilog=example("complement even.json -o odd.json"))
def complement(
    automaton: AutomatonFile,
    output: Output = None,
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    file_format: FormatName = None,
    as_json: AsJson = False,
) -> None:
    """Accept the strings that a boolean automaton rejects."""
    _apply(languages.complement, (automaton,), output, False, (semiring, symbols, file_format), as_json)


@app.command(epilog=example("reverse fading.json"))
def reverse(
    automaton: AutomatonFile,
    output: Output = None,
    round_weights: RoundWeights = False,
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    file_format: FormatName = None,
    as_json: AsJson = False,
) -> None:
    """Reverse an automaton, so that each string gets the score of the reversed string."""
    _apply(operations.reverse, (automaton,), output, round_weights, (semiring, symbols, file_format), as_json)


@app.command(epilog=example("determinise even.json"))
def determinise(
    automaton: AutomatonFile,
    output: Output = None,
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    file_format: FormatName = None,
    as_json: AsJson = False,
) -> None:
    """Make a boolean automaton deterministic. The method is the subset construction."""
    _apply(
        determinisation.determinise, (automaton,), output, False, (semiring, symbols, file_format), as_json
    )


@app.command(epilog=example("trim fading.json"))
def trim(
    automaton: AutomatonFile,
    output: Output = None,
    round_weights: RoundWeights = False,
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    file_format: FormatName = None,
    as_json: AsJson = False,
) -> None:
    """Remove the states that are on no accepting path."""
    _apply(operations.trim, (automaton,), output, round_weights, (semiring, symbols, file_format), as_json)


@app.command(epilog=example("regex 'a(b|c)*' -o machine.json", "regex even.json"))
def regex(
    source: Annotated[
        str, Argument(metavar="REGEX|FILE", help="a regex, or an existing file with an automaton")
    ],
    output: Annotated[
        str | None, Option("-o", "--output", help="output file (default: standard output)")
    ] = None,
    alphabet: Annotated[
        str | None,
        Option("--alphabet", help="characters of the automaton, such as abc (default: those in the regex)"),
    ] = None,
    symbols: SymbolTable = None,
    file_format: FormatName = None,
    as_json: AsJson = False,
) -> None:
    """Turn a regex into a DFA, or a DFA into a regex.

    An argument that names an existing file is an automaton. Any other argument is a regex over characters in
    Python's syntax, which must match the whole string. Backreferences, lookaround, flags other than (?s) and
    (?x), and anchors inside the regex are not supported.
    """
    if not files.names_a_file(source):
        if output is not None:
            files.require_writable(output)
        require_outputs({"-o": output})
        _give(from_regex(source, alphabet), output, False, as_json)
        return
    if alphabet is not None:
        raise FormatError(f"--alphabet requires a regex, got the automaton in {source}")
    require_outputs({"-o": output}, reads=(source, symbols))
    needs_semiring = files.suffix_of(source, file_format) in files.WITHOUT_SEMIRING
    machine = load(source, BOOLEAN.name if needs_semiring else None, symbols, file_format)
    with naming(source):
        text = to_regex(machine)
    if output is not None:
        files.write_whole(output, text + "\n")
    print_answer(
        as_json,
        {"regex": text, "files": [] if output is None else [output]},
        text if output is None else f"written to {output}",
    )


Options = tuple[str | None, str | None, str | None]
"""Values of the options --semiring, --symbols and --format."""


def _apply(
    operation: Callable[..., WFSA],
    paths: tuple[str, ...],
    output: str | None,
    round_weights: bool,
    options: Options,
    as_json: bool,
) -> None:
    """Apply an operation to the automata of one file or two, and write the result."""
    if output is not None:
        files.require_writable(output)
    require_outputs({"-o": output}, reads=(*paths, options[1]))
    automata = load_both(*paths, *options) if len(paths) == 2 else (load(paths[0], *options),)
    with naming(*paths):
        result = operation(*automata)
    _give(operations.trim(result) if len(paths) == 2 else result, output, round_weights, as_json)


def _give(automaton: WFSA, output: str | None, round_weights: bool, as_json: bool) -> None:
    """Write the automaton to a file, or print it as JSON."""
    written = [] if output is None else files.write(automaton, output, round_weights)
    names = list(map(str, written))
    data = {"states": automaton.num_states, "files": names}
    if output is None:
        data |= {"automaton": json_format.to_readable_json(automaton)} if as_json else {}
        text = "" if as_json else json_format.dumps(automaton).rstrip("\n")
    else:
        text = f"{' and '.join(names)}: {automaton!r}"
    print_answer(as_json, data, text)
    if output is not None and not as_json:
        note_semiring(output, automaton)
