"""The command line's ``rules zero-shot``."""

from __future__ import annotations

from typing import Annotated

import typer

from automata.errors import InputError
from automata.text.number_text import plural
from ratproof.commands.app import AsJson, example
from ratproof.commands.rules.app import rules as app
from ratproof.commands.terminal import console, progress
from ratproof.process.json_answers import print_json

DISAGREES = 1


@app.command(
    "zero-shot",
    short_help="Try rules and untrained networks on test sentences.",
    epilog=example("rules zero-shot --rules home/home.config --data home"),
)
def zero_shot(
    rules: Annotated[str, typer.Option("--rules", metavar="FILE", help="rules under [label] headers")],
    data: Annotated[
        str,
        typer.Option(
            "--data", metavar="DIR", help="a folder with train.tsv, dev.tsv and test.tsv: label<TAB>words"
        ),
    ],
    ties: Annotated[
        str,
        typer.Option("--ties", help="label if the rules of several labels match: first or last in the file"),
    ] = "last",
    unmatched: Annotated[
        str | None,
        typer.Option(
            "--unmatched", help="label if no rule matches (default: none, which counts as an error)"
        ),
    ] = None,
    logic: Annotated[
        str | None,
        typer.Option(
            "--logic",
            metavar="FILE",
            help="formulas under [label] headers over the rules' labels: (a | b) & !c",
        ),
    ] = None,
    rank: Annotated[
        int | None,
        typer.Option(
            "--rank", min=1, help="rank of the factors, by CP decomposition (default: exact factors)"
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, max=2**63 - 1, help="seed of the gates' weights")] = 0,
    as_json: AsJson = False,
) -> int:
    """Run the rules and the untrained networks on the test sentences (Table 4).

    The networks are FA-RNN, FA-GRU and their bidirectional forms, with beta = 1. The exit status is 1 if the
    factors are exact and the FA-RNN and the rules assign different labels to a sentence.
    """
    from automata.io.files import read_text
    from automata.rules import rule_files
    from automata.rules.logic import read as read_logic
    from neural.fa_rnn import sentences
    from training.rules.zero_shot import zero_shot as run

    if ties not in ("first", "last"):
        raise InputError(f"--ties must be first or last, got {ties!r}")
    written = rule_files.read(rules)
    formulas = None if logic is None else read_logic(read_text(logic), logic)
    with progress("zero-shot") as report_progress:
        report_progress("reading")
        parts = sentences.read(data)
        result = run(
            written,
            sentences.vocabulary(parts),
            parts["test"],
            "first" if ties == "first" else "last",
            unmatched,
            seed,
            rank,
            formulas,
            report_progress,
        )
    if as_json:
        print_json(result.to_json())
    else:
        out = console()
        sizes = (
            f"{result.states[0]} states, rank {result.rank[0]}; read from the end {result.states[1]} and"
            f" {result.rank[1]}"
        )
        counts = f"{plural(result.sentences, 'sentence')}, {plural(len(written), 'rule')}"
        out.print(f"{counts}: {sizes}", soft_wrap=True)
        if any(result.error):
            out.print(
                f"  the errors of the factors are {result.error[0]:.2%} and {result.error[1]:.2%} of the"
                " tensors' norms",
                soft_wrap=True,
            )
        for row in result.rows:
            out.print(
                f"  {row.system:<10} accuracy {row.accuracy:7.2%}   agrees with the rules {row.agrees:7.2%}"
                f"   {row.unmatched} match no label, {row.several} several   {row.seconds:.2f} s",
                soft_wrap=True,
            )
        if result.missing:
            out.print(f"  words of rules that occur in no sentence: {len(result.missing)}")
    exact = [row.agrees for row in result.rows if row.system in ("FA-RNN", "BiFA-RNN")]
    return 0 if min(exact) == 1 or any(result.error) else DISAGREES
