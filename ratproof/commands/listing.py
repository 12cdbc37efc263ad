"""The commands ``enumerate``, ``count`` and ``shortest``."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

from typer import Option

from automata import enumeration
from automata.aliases import Symbols, Weight
from automata.semirings import COUNTING
from automata.text.printable_text import write_list
from automata.wfsa import WFSA
from ratproof.commands.app import AsJson, FormatName, SemiringName, SymbolTable, app, example
from ratproof.commands.automata import AsLists, AutomatonFile, joined, load, score_text
from ratproof.commands.terminal import naming, print_answer
from ratproof.process.exit_statuses import NO, YES


@app.command("enumerate", epilog=example("enumerate fading.json --n 5"))
def enumerate_strings(
    automaton: AutomatonFile,
    count: Annotated[int, Option("-n", "--n", min=1, max=1_000_000, help="number of strings")] = 10,
    lists: AsLists = False,
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    file_format: FormatName = None,
    as_json: AsJson = False,
) -> None:
    """List the strings with a nonzero score, in shortlex order.

    Each string is listed with its score, except for boolean automata, whose accepted strings are listed.
    """
    machine = load(automaton, semiring, symbols, file_format)
    with naming(automaton):
        listed = list(islice(enumeration.nonzero_strings(machine), count))
    data = {
        "strings": [list(string) for string, _ in listed],
        "scores": [score_text(machine, score, joined(string)) for string, score in listed],
    }
    lines = [_line(machine, string, score, lists) for string, score in listed]
    print_answer(as_json, data, "\n".join(lines) or "no string has a nonzero score")


@app.command(epilog=example("count parity.json --length 8"))
def count(
    automaton: AutomatonFile,
    length: Annotated[int, Option("--length", min=0, max=100_000, help="number of symbols in the strings")],
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    file_format: FormatName = None,
    as_json: AsJson = False,
) -> None:
    """Count the strings of a length, or add their scores.

    For a boolean automaton, the accepted strings are counted. For other automata, the scores are added in
    their semiring.
    """
    machine = load(automaton, semiring, symbols, file_format)
    with naming(automaton):
        total = enumeration.total_weight(machine, length)
    if machine.semiring.is_boolean:
        text = COUNTING.format(total)
    else:
        text = score_text(machine, total, f"all strings of {length} symbols")
    print_answer(as_json, {"length": length, "total": text}, text)


@app.command(epilog=example("shortest parity.json"))
def shortest(
    automaton: AutomatonFile,
    lists: AsLists = False,
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    file_format: FormatName = None,
    as_json: AsJson = False,
) -> int:
    """Print the shortest string with a nonzero score.

    It is the first such string in shortlex order. Exit status 1: there is none.
    """
    machine = load(automaton, semiring, symbols, file_format)
    with naming(automaton):
        result = enumeration.shortest(machine)
    if result is None:
        what = "accepts no string" if machine.semiring.is_boolean else "gives every string the score zero"
        print_answer(as_json, {"word": None, "score": None}, f"{automaton} {what}")
        return NO
    word, score = result
    data = {"word": list(word), "score": score_text(machine, score, joined(word))}
    print_answer(as_json, data, _line(machine, word, score, lists))
    return YES


def _line(machine: WFSA, string: Symbols, score: Weight, lists: bool) -> str:
    text = write_list(string) if lists else joined(string) if string else '""'
    return text if machine.semiring.is_boolean else f"{text}\t{score_text(machine, score, text)}"
