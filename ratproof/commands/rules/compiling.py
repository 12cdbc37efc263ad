"""The command ``compile``."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from automata.errors import FormatError
from automata.io import files
from automata.rules import rule_files
from automata.rules.parser import over_characters, parse
from automata.rules.rule_files import Labelled
from automata.rules.rule_set import rule_set
from automata.rules.syntax import Wildcard, leaves
from automata.rules.vocabulary import vocabulary as read_vocabulary
from automata.text.number_text import shorten
from ratproof.commands.app import AsJson, app, example
from ratproof.commands.rules.missing_words import warn_of_missing
from ratproof.commands.terminal import print_answer, progress
from ratproof.process.outputs import require_outputs


@app.command("compile", epilog=example('compile "$ * how much $ *" --vocabulary how,much,is,it -o rule.json'))
def compile_rules(
    rules: Annotated[
        str, Argument(metavar="RULE|FILE", help='a rule, such as "$ * show $ * flights"; or a file of rules')
    ],
    output: Annotated[
        str, Option("-o", "--output", help="output file: .json, .att (and a .syms file), .dot or .svg")
    ],
    vocabulary: Annotated[
        str | None,
        Option(
            "--vocabulary",
            metavar="FILE|a,b,c",
            help="the words of sentences (default: those in the rules, with wildcards as letters)",
        ),
    ] = None,
    pseudo: Annotated[bool, Option("--pseudo", help="compile the wildcards $ % & as letters")] = False,
    begins: Annotated[
        bool | None,
        Option(
            "--bos/--no-bos",
            help="sentences begin with BOS and end with EOS (the default for rules under [label] headers)",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compile rules over words to a boolean automaton."""
    files.require_writable(output)
    require_outputs(
        {"-o": output}, reads=[text for text in (rules, vocabulary) if text and files.names_a_file(text)]
    )
    rule_list = _rules(rules)
    words = None if vocabulary is None else read_vocabulary(vocabulary)
    wild = next(
        (leaf.kind for rule in rule_list for leaf in leaves(rule.rule) if isinstance(leaf, Wildcard)), None
    )
    if words is None and wild is not None and not pseudo:
        note = (
            f"{shorten(wild)} is compiled as a letter, as with --pseudo; pass --vocabulary to set the words"
            " that it stands for"
        )
        warnings.warn(note, stacklevel=1)
    labelled = rule_list[0].label is not None
    with progress("compile") as report_progress:
        report_progress(f"{len(rule_list)} rules")
        compiled = rule_set(rule_list, words, labelled if begins is None else begins, pseudo or words is None)
        report_progress(f"writing {compiled.automaton.states} states")
        warn_of_missing(compiled)
        written = files.write(compiled.automaton, output)
    data = {
        "files": [str(path) for path in written],
        "states": compiled.automaton.num_states,
        "words": len(compiled.automaton.alphabet),
        "labels": {label: list(states) for label, states in compiled.labels.items() if label is not None},
        "missing": list(compiled.missing),
    }
    print_answer(as_json, data, f"{' and '.join(map(str, written))}: {compiled.automaton!r}")


def _rules(argument: str) -> tuple[Labelled, ...]:
    """Return the rules in a file, or the single rule that the argument spells out."""
    if files.names_a_file(argument):
        return rule_files.read(argument)
    if argument.split() == [argument] and (
        "/" in argument or Path(argument).suffix in (".config", ".rules", ".txt")
    ):
        raise FormatError(f"{argument}: the argument must be an existing file with rules")
    rule = parse(argument)
    if sign := over_characters(argument):
        warnings.warn(
            f"{sign} is part of a word, because rules are over words and not over characters", stacklevel=1
        )
    return (Labelled(None, rule, 1),)
