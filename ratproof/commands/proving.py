"""The command ``prove``, which compiles ``theory/coq`` from scratch and checks its assumptions."""

from __future__ import annotations

from typing import Annotated

from rich.padding import Padding
from rich.text import Text
from typer import Option

from ratproof.commands.app import AsJson, app, example
from ratproof.commands.terminal import console, progress
from ratproof.coq.sources import statements
from ratproof.process.exit_statuses import NO, YES
from ratproof.process.json_answers import print_json


@app.command(epilog=example("prove"))
def prove(
    statements_too: Annotated[
        bool, Option("--statements", help="print each theorem's statement as Coq prints it")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Compile the Coq development, and check its theorems.

    The check covers the statement and the assumptions of each theorem. Exit status 0: every theorem is
    accepted without assumptions, 1: one is not.
    """
    from ratproof.coq.development_report import check_development, theorem_variants  # loads Hypothesis

    with progress("prove") as report_progress:
        report = check_development(report_progress)
    variants, answers = theorem_variants(), report.answers
    if as_json:
        theorems = [
            {
                "name": name,
                "variants": variants.get(name, []),
                "says": theorem.says,
                "statement": answers[name].statement.text if name in answers else None,
                "assumptions": answers[name].assumptions if name in answers else None,
            }
            for name, theorem in statements().items()
        ]
        accepted = {
            "proved": not report.problems,
            "coq": report.version,
            "seconds": report.seconds,
            "reals": report.reals,
            "wrong": report.problems,
        }
        print_json({**accepted, "theorems": theorems})
        return NO if report.problems else YES
    out = console()
    for name, answer in answers.items():
        out.print(Text(name, style="bold"))
        for variant in variants.get(name, []):
            out.print(Text(f"  of {variant}"))
        if statements_too:
            out.print(Padding(Text(statements()[name].says), (0, 0, 0, 2)))
            out.print(Padding(Text(answer.statement.text), (0, 0, 1, 4)))
    for problem in report.problems:
        out.print(Text(problem, style="red"))
    for name, line in report.reals.items():
        out.print(Text(f"{name}, over the real numbers: {line}"))
    last = "not proved" if report.problems else "accepted without assumptions"
    line = f"{len(answers)} theorems, Coq {report.version}, {report.seconds} s: {last}"
    out.print(Text(line, style="bold red" if report.problems else "bold green"))
    return NO if report.problems else YES
