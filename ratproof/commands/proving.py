"""The command prove: all of ``theory/coq``, compiled from clean and asked what it assumes."""

from __future__ import annotations

import time
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from ratproof.commands.app import AsJson, app, print_json
from ratproof.kernel import coq
from ratproof.kernel.assumptions import CLOSED, assumptions
from ratproof.kernel.development import rebuilt
from ratproof.kernel.sources import assumptions_in_words, modules, statements
from ratproof.terminal import console, progress
from theory.registry import claims

NOT_PROVED = 1


@app.command()
def prove(
    statements_too: Annotated[
        bool, typer.Option("--statements", help="print each theorem's statement, as it stands in the source")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Compile the Coq development from clean, and ask what each theorem assumes: exit status 0 nothing, 1 something or not accepted."""
    started = time.perf_counter()
    version = coq.version()
    with progress("prove") as tell:
        try:
            root = rebuilt(tell)
            tell("asking what each theorem assumes")
            said = assumptions(root)
            tell("checking the compiled files once more with coqchk")
            axioms = [name for name in coq.checked(root, modules()) if name.startswith("ratproof.")]
            rejected = None
        except coq.Rejected as error:
            said, axioms, rejected = {}, [], str(error)
    left = assumptions_in_words()
    named = {v.theorem.name: f"{claim.name}, {v.name}" for claim in claims().values() for v in claim.variants if v.theorem}
    lacking = [name for name in named if rejected is None and name not in said]
    good = rejected is None and not left and not axioms and not lacking and set(said.values()) <= {CLOSED}
    seconds = round(time.perf_counter() - started, 1)
    if as_json:
        print_json({
            "proved": good, "coq": version, "seconds": seconds, "rejected": rejected, "unproved": left, "axioms": axioms, "lacking": lacking,
            "theorems": [
                {"name": name, "variant": named.get(name), "says": s.says, "statement": s.text, "assumptions": said.get(name)}
                for name, s in statements().items()
            ],
        })  # fmt: skip
        return 0 if good else NOT_PROVED
    out = console()
    if rejected is None:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in ("theorem", "claim, variant", "assumes"):
            table.add_column(column)
        for name in said:
            table.add_row(name, named.get(name, ""), "nothing" if said[name] == CLOSED else Text(said[name], style="bold red"))
        out.print(table)
        if statements_too:
            for statement in statements().values():
                out.print()
                out.print(Text(f"{statement.name}: {statement.says}", style="bold"))
                out.print(Text("\n".join([*statement.given, statement.text])))
    for wrong in [
        *([rejected] if rejected else []),
        *left,
        *(f"the axiom {name}" for name in axioms),
        *(f"no theorem {name}" for name in lacking),
    ]:
        out.print(Text(wrong, style="red"))
    last = f"{len(said)} theorems, Coq {version}, {seconds} s: " + ("accepted, with nothing assumed" if good else "not proved")
    out.print(Text(last, style="bold green" if good else "bold red"))
    return 0 if good else NOT_PROVED
