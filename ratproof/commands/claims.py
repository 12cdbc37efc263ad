"""The commands ``claims``, ``verify`` and ``check``."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text
from typer import Argument, Context, Option

from automata.aliases import JsonObject
from automata.cache_folder import VARIABLE, lasts
from automata.errors import InputError, OutputError
from ratproof.commands.app import AsJson, ClaimNames, Device, HtmlFile, JunitFile, app, command_line, example
from ratproof.commands.terminal import console, headed, progress_lines, shows_bar
from ratproof.evidence.kinds import KINDS, OF_PAPERS
from ratproof.process.exit_statuses import INTERRUPTED, NO, UNKNOWN, YES
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_outputs
from ratproof.process.streams import output_to_stderr
from theory.claim import KERNEL, Claim
from theory.papers import PAPERS
from theory.registry import claim_named
from theory.registry import claims as all_claims
from theory.without import missing

if TYPE_CHECKING:
    from ratproof.ladder.outcome import Outcome


@app.command(epilog=example("claims", "claims proposition-7"))
def claims(names: ClaimNames = None, as_json: AsJson = False) -> None:
    """List the claims, their variants and kinds of evidence.

    For named claims, also print how they differ from the paper, and the exact statement of each variant.
    """
    chosen = [claim_named(name) for name in names] if names else list(all_claims().values())
    if as_json:
        print_json({"claims": [_described(claim) for claim in chosen]})
        return
    out, paper = console(), ""
    for claim in chosen:
        source = claim.source
        if source.paper != paper:
            paper = source.paper
            out.print(headed(str(PAPERS[paper]), ""))
        _print_heading(claim, out)
        _print_variants(claim, out)
        if names:
            _print_statements(claim, out)


def _print_variants(claim: Claim, out: Console) -> None:
    """Print a table of the variants, without trailing blanks."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    for variant in claim.variants:
        kinds = (f" ({', '.join(variant.kinds)})", "dim")
        table.add_row(f"  {variant.name}", variant.expected, Text.assemble(variant.says, kinds))
    for line in out.render_lines(table, pad=False):
        text = Text.assemble(*((part.text, part.style or "") for part in line))
        text.rstrip()
        out.print(text)


def _print_statements(claim: Claim, out: Console) -> None:
    """Print how a claim differs from the paper, and the exact statement of each variant with its scope."""
    from ratproof.report.lines import print_paragraph  # both modules import Hypothesis
    from ratproof.report.quantifiers import scopes, statement, weights

    out.print(Text("\ndifferences from the paper", style="bold"))
    for difference in claim.differences:
        print_paragraph(out, difference, by=2)
    for variant in claim.variants:
        out.print(Text(f"\n{claim.name}, {variant.name}", style="bold"))
        print_paragraph(out, f"statement: {statement(variant)}", by=2)
        print_paragraph(out, f"for all: {weights(variant)}", by=2)
        for kind, scope in scopes(claim, variant).items():
            print_paragraph(out, f"{kind}: {scope}", by=2)


def _print_heading(claim: Claim, out: Console) -> None:
    """Print a claim's name and title, with its source on a second line if it does not fit on the first."""
    line = headed(claim.name, f"  {claim.title}")
    source = f"  ({claim.source.statement}{claim.source.in_section})"
    if len(line) + len(source) <= out.width:
        out.print(line.append(source))
    else:
        out.print(line, Text(source), sep="\n")


def _described(claim: Claim) -> JsonObject:
    from ratproof.report.quantifiers import scopes, statement, weights  # imports Hypothesis

    variants = [
        {
            "name": v.name,
            "expected": v.expected,
            "says": v.says,
            "statement": statement(v),
            "weights": weights(v),
            "kinds": list(v.kinds),
            "scopes": scopes(claim, v),
            "without": missing(v),
            "ran": list(claim.runs_of(v)),
        }
        for v in claim.variants
    ]
    return {
        "name": claim.name,
        "title": claim.title,
        "statement": claim.statement,
        "source": claim.source.__dict__,
        "hypotheses": list(claim.hypotheses),
        "uses": list(claim.uses),
        "differences": list(claim.differences),
        "misprints": [misprint.__dict__ for misprint in claim.misprints],
        "variants": variants,
    }


ONLY = "only this kind of evidence; repeat the option for several kinds"
Kinds = Annotated[list[str] | None, Option("--kind", help=f"{ONLY}: {', '.join(KINDS)}")]
PapersKinds = Annotated[list[str] | None, Option("--kind", help=f"{ONLY}: {', '.join(OF_PAPERS)}")]
Examples = Annotated[
    int | None, Option("--examples", min=1, help="number of random cases per kind of evidence")
]
Seed = Annotated[
    int | None,
    Option(
        "--seed",
        min=0,
        help="seed of the random cases (default: the same cases in every run of the same installation)",
    ),
]


@app.command(epilog=example("verify", "verify proposition-7", "verify --kind decided --json"))
def verify(
    context: Context,
    names: ClaimNames = None,
    kinds: PapersKinds = None,
    examples: Examples = None,
    seed: Seed = None,
    device: Device = "cpu",
    text: Annotated[
        str | None,
        Option("--text", help="a corpus with one sentence per line; also compare scores on its prefixes"),
    ] = None,
    embeddings: Annotated[
        str | None, Option("--embeddings", help="vectors of the words in the corpus: GloVe text, or .npz")
    ] = None,
    units: Annotated[
        int | None,
        Option("--units", min=1, help="number of units of the network on the corpus (default: 64)"),
    ] = None,
    rules: Annotated[
        str | None,
        Option(
            "--rules",
            metavar="DIR",
            help="a folder with rules (.config) and sentences; also compare the rules with their network",
        ),
    ] = None,
    junit: JunitFile = None,
    html: HtmlFile = None,
    jobs: Annotated[
        int | None,
        Option("--jobs", min=1, help="number of processes (default: one per core if all claims run)"),
    ] = None,
    failed: Annotated[
        bool, Option("--failed", help="only evidence that was unexpected in the last run in this folder")
    ] = False,
    exit_first: Annotated[
        bool, Option("-x", "--exitfirst", help="stop at the first unexpected result")
    ] = False,
    details: Annotated[
        bool,
        Option("--details", help="print proofs and counterexamples in full (default: only for named claims)"),
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Verify the papers' claims.

    The command runs their evidence and compares each verdict with the expected one.
    """
    from ratproof.ladder.last_run import unexpected
    from ratproof.ladder.request import Request, require_known
    from ratproof.ladder.verification import verify as run

    if units is not None and text is None:
        raise InputError("--units requires --text FILE")
    different = unexpected() if failed else ()
    request = Request(
        claims=tuple(names or ()),
        kinds=tuple(kinds or ()),
        examples=examples,
        seed=seed,
        device=device,
        text=text,
        embeddings=embeddings,
        units=units or 64,
        junit=junit,
        jobs=jobs,
        rules=rules,
        only=different,
        stop_early=exit_first,
    )
    require_known(request)
    require_outputs({"--junit": junit, "--html": html}, reads=(text, embeddings, rules))
    if failed and not any(request.wants(claim, kind_of) for claim, kind_of in different):
        outcome = _nothing_failed()
    else:
        outcome = _with_progress("verify", lambda on_start: run(request, on_start))
    if any(result.kind == KERNEL for result in outcome.results) and not lasts("coq"):
        outcome.notes.append(
            "no cache folder is writable, so the Coq files were compiled again, which takes a minute or"
            f" two; set {VARIABLE} to a writable folder"
        )
    if html is not None:
        from ratproof.html.outcome_page import write_outcome

        options = _options(examples=examples, seed=seed, device=None if device == "cpu" else device)
        options += _options(text=text, embeddings=embeddings, units=units, rules=rules)
        write_outcome(
            outcome,
            html,
            "ratproof verify",
            command_line(context),
            lambda result: f"ratproof verify {result.claim} --kind {result.kind}{options}",
        )
    return _print_outcome(outcome, as_json, details=details or bool(names) or failed)


def _options(**options: object) -> str:
    """Return the command's options that have a value, as the user would type them."""
    used = {name: value for name, value in options.items() if value is not None}
    return "".join(f" --{name} {shlex.quote(str(value))}" for name, value in used.items())


def _nothing_failed() -> Outcome:
    """Report that the last run had no unexpected results, and return an empty outcome."""
    from ratproof.ladder.outcome import Outcome

    sentence = "nothing to run: no selected evidence was unexpected in the last run in this folder"
    return Outcome([], notes=[sentence], nothing_to_run=sentence)


@app.command(epilog=example("check my_claim.py"))
def check(
    context: Context,
    file: Annotated[
        str | None,
        Argument(
            metavar="FILE.py",
            help="a Python file with claims, which is executed (default: the setting 'claims' of"
            " [tool.ratproof] in pyproject.toml)",
        ),
    ] = None,
    names: Annotated[
        list[str] | None, Argument(metavar="CLAIM", help="names of claims (default: all in the file)")
    ] = None,
    kinds: Kinds = None,
    examples: Examples = None,
    seed: Seed = None,
    junit: JunitFile = None,
    html: HtmlFile = None,
    as_json: AsJson = False,
) -> int:
    """Check your own claims. The command executes the file, and then runs all evidence for every claim in it.

    Defaults can be set under [tool.ratproof] in pyproject.toml: examples, seed, device, cache-folder.
    """
    from ratproof.ladder.request import require_junit
    from ratproof.ladder.user_files import check as run
    from ratproof.ladder.user_files import joined
    from ratproof.ladder.verification import write_junit
    from ratproof.project_settings import project_settings

    settings = project_settings(Path(file).parent if file else Path())
    files = [file] if file else [os.path.relpath(path) for path in settings.claims_files()]
    if not files:
        raise InputError(
            "FILE.py is missing; pass it, or list it under [tool.ratproof] claims in pyproject.toml"
        )
    reads = [*files, str(settings.file)]
    require_junit(junit, reads=reads)
    require_outputs({"--junit": junit, "--html": html}, reads=reads)
    examples = settings.examples if examples is None else examples
    seed = settings.seed if seed is None else seed
    outcomes: dict[str, Outcome] = {}
    with settings.applied():
        for one in files:
            wanted = partial(run, one, names or [], kinds or [], examples, seed)
            with output_to_stderr():
                outcomes[one] = _with_progress("check", wanted)
            if not as_json:
                _show(outcomes[one], details=True, claims_file=one)
            if outcomes[one].interrupted:
                break
    outcome = joined(outcomes)
    if junit is not None:
        outcome.not_written = write_junit(outcome, junit, ", ".join(files))
    if html is not None:
        from ratproof.html.outcome_page import write_outcome

        options = _options(examples=examples, seed=seed)
        paths = " ".join(map(shlex.quote, files))
        write_outcome(
            outcome,
            html,
            f"ratproof check {paths}",
            command_line(context),
            lambda result: f"ratproof check {paths} {result.claim} --kind {result.kind}{options}",
            files[0],
        )
    if as_json:
        print_json(outcome.to_json())
    return _status(outcome)


def _with_progress(what: str, run: Callable[[Callable[[str, int, int], None]], Outcome]) -> Outcome:
    """Return the result of ``run``, and show its progress: a bar on a terminal, or lines in a log."""
    screen = console(error=True)
    bar = Progress(
        TextColumn(what),
        BarColumn(20),
        MofNCompleteColumn(),
        TextColumn("claims"),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
        console=screen,
        transient=True,
        disable=not shows_bar(),
    )
    with bar, progress_lines(what) as log:
        task = bar.add_task("", total=None)

        def on_start(name: str, done: int, total: int) -> None:
            log(f"{done} of {total} claims done, running {name}")
            bar.update(task, completed=done, total=total, description=name[: max(0, screen.width - 48)])

        return run(on_start)


def _print_outcome(outcome: Outcome, as_json: bool, details: bool) -> int:
    """Print the results of a run, and return the exit status."""
    if as_json:
        print_json(outcome.to_json())
    elif outcome.nothing_to_run:
        print(outcome.nothing_to_run)
    else:
        _show(outcome, details)
    return _status(outcome)


def _show(outcome: Outcome, details: bool, claims_file: str | None = None) -> None:
    from ratproof.report import show

    show(outcome, console(), details, claims_file)


def _status(outcome: Outcome) -> int:
    if outcome.not_written:
        raise OutputError(outcome.not_written)
    if outcome.interrupted:
        return INTERRUPTED
    if outcome.not_run and not (outcome.results or outcome.errors):
        return UNKNOWN  # no evidence can run on this machine; the reasons were printed
    return YES if outcome.as_expected else NO
