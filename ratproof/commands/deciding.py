"""The commands ``equivalent``, ``minimise`` and ``rank``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated

from typer import Argument, Context, Option

from automata import minimise as minimising
from automata.equivalence import Different, Equivalent, aligned
from automata.equivalence import equivalent as decide
from automata.equivalence.certificates import Certificate
from automata.errors import InputError, LimitReached, OutputError
from automata.io import files
from automata.text.number_text import parse_number, plural, shorten, write_number
from automata.wfsa import WFSA
from automata.within import decide_within
from ratproof.commands.app import (
    AsJson,
    CertificateFile,
    FormatName,
    HtmlFile,
    RoundWeights,
    SemiringName,
    SymbolTable,
    app,
    command_line,
    example,
)
from ratproof.commands.automata import AutomatonFile, load, load_both, note_semiring
from ratproof.commands.terminal import naming, note_unwritten, print_answer, progress
from ratproof.process.exit_statuses import NO, UNKNOWN, YES
from ratproof.process.outputs import require_outputs
from ratproof.process.supervisor import OutOfTime

EXIT = {"equivalent": YES, "different": NO, "unknown": UNKNOWN}
MissingAsZero = Annotated[
    bool,
    Option(
        "--missing-as-zero",
        help="a symbol that is missing from one alphabet has weight zero there (default: an error)",
    ),
]


@app.command(
    epilog=example(
        "equivalent fading.json parity.json --certificate equal.json",
        "equivalent fading.json typo.json --json",
    )
)
def equivalent(
    context: Context,
    a: Annotated[str, Argument(metavar="A", help="a .json, .att, .txt, .fst or .dot file")],
    b: Annotated[str, Argument(metavar="B", help="a second file with an automaton")],
    certificate: CertificateFile = None,
    kernel: Annotated[
        bool, Option("--kernel", help="write a Coq file in which Coq's kernel checks the result")
    ] = False,
    kernel_file: Annotated[
        str | None,
        Option("--kernel-file", help="name of the Coq file (default: equivalent_A_B.v); implies --kernel"),
    ] = None,
    within: Annotated[
        str | None,
        Option(
            "--within",
            metavar="TOLERANCE",
            help="decide whether all scores differ by at most this, such as 1e-4 (real semiring)",
        ),
    ] = None,
    missing_as_zero: MissingAsZero = False,
    longest: Annotated[
        int | None, Option("--longest", min=0, help="maximum number of symbols, if strings must be searched")
    ] = None,
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    file_format: FormatName = None,
    html: HtmlFile = None,
    as_json: AsJson = False,
) -> int:
    """Decide whether two automata have the same scores on all strings.

    Exit status 0: equivalent, 1: different, 3: unknown.
    """
    tolerance = None if within is None else _tolerance(within)
    if tolerance is not None and (certificate, kernel, kernel_file, longest) != (None, False, None, None):
        raise InputError("--within cannot be used with --certificate, --kernel, --kernel-file or --longest")
    one, other = load_both(a, b, semiring, symbols, file_format)
    outputs = {"--certificate": certificate, "--kernel-file": kernel_file, "--html": html}
    require_outputs(outputs, reads=(a, b, symbols))
    coq_file = None
    if kernel or kernel_file is not None:
        from ratproof.coq import certificate as kernel_certificate

        # report a missing Coq before anything is decided
        coq_file = kernel_certificate.file_name(kernel_file, a, b)
        require_outputs(outputs | {"--kernel-file": coq_file}, reads=(a, b, symbols))
    with progress("equivalent") as report_progress, naming(a, b):
        if tolerance is not None:
            answer = decide_within(*aligned(one, other, missing_as_zero), tolerance, report_progress)
        else:
            answer = decide(
                one, other, missing_as_zero=missing_as_zero, longest=longest, progress=report_progress
            )
        accepted, refusal = None, "there is no decision for Coq to check"
        if coq_file is not None and isinstance(answer, (Equivalent, Different)):
            report_progress("Coq checks the result")
            try:
                accepted = kernel_certificate.write(
                    coq_file, *aligned(one, other, missing_as_zero), answer, (a, b)
                )
            except OutOfTime as error:
                refusal = str(error)
    shown = answer.certificate if isinstance(answer, (Equivalent, Different)) else None
    if certificate is not None and shown is not None:
        try:
            write_json(certificate, shown.to_json())
        except LimitReached:  # the result remains valid, but the automata are too large without epsilon
            shown = None
    files_written = {
        "certificate": certificate if shown is not None else None,
        "within": None if tolerance is None else write_number(tolerance),
        "kernel": None if accepted is None else {"file": coq_file, "theorem": accepted},
    }
    kernel_accepts = (
        ""
        if accepted is None
        else f"\naccepted by Coq's kernel without assumptions: theorem {accepted} in {coq_file}, a"
        " stand-alone file that coqc accepts"
    )
    text = answer.to_text(a, b)
    if tolerance is not None and isinstance(answer, Equivalent):
        text = f"equivalent within {within}: {answer.how}"
    print_answer(as_json, answer.to_json() | files_written, text + kernel_accepts)
    if coq_file is not None and accepted is None:
        note_unwritten(coq_file, refusal)
    if certificate is not None and shown is None:
        note_unwritten(certificate, "this result has no certificate")
    if html is not None:
        from ratproof.html.equivalence_page import equivalence_page
        from ratproof.html.page import write_html

        drawn = {a: one} if a == b else {a: one, b: other}
        why = write_html(equivalence_page(answer, a, b, drawn, command_line(context)), html)
        if why:
            raise OutputError(why)
    return EXIT[answer.verdict]


@app.command(epilog=example("minimise parity.json -o least.json"))
def minimise(
    automaton: AutomatonFile,
    output: Annotated[
        str | None, Option("-o", "--output", help="output file for the minimal automaton")
    ] = None,
    certificate: CertificateFile = None,
    round_weights: RoundWeights = False,
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    file_format: FormatName = None,
    as_json: AsJson = False,
) -> int:
    """Find the smallest automaton with the same scores.

    The result has the fewest states of all automata over the reals, or of all deterministic automata if the
    automaton is boolean. Exit status 3: the automaton is large, and the result may not be the smallest.
    """
    machine = load(automaton, semiring, symbols, file_format)
    if output is not None:
        files.require_writable(output)
    require_outputs({"-o": output, "--certificate": certificate}, reads=(automaton, symbols))
    if certificate is not None and machine.semiring.is_boolean:
        raise InputError(
            f"--certificate is not supported for boolean automata; use equivalent {automaton} B"
            " --certificate FILE"
        )
    with progress("minimise") as report_progress, naming(automaton):
        smallest = minimising.minimise(machine, report_progress)
        shown: Certificate | None = smallest.certificate
        # for a large automaton, certify only that both are equivalent
        if certificate is not None and shown is None:
            answer = decide(machine, smallest.automaton, progress=report_progress)
            shown = answer.certificate if isinstance(answer, Equivalent) else None
    written = [] if output is None else files.write(smallest.automaton, output, round_weights)
    if certificate is not None and shown is not None:
        write_json(certificate, shown.to_json())
    data = {
        "states": smallest.automaton.states,
        "from": machine.states,
        "least": smallest.doubt is None,
        "why": smallest.doubt,
        "files": [str(path) for path in written],
    }
    where = f"; written to {' and '.join(map(str, written))}" if written else "; write it with -o FILE"
    print_answer(as_json, data, f"{_least(smallest, machine)}{where}")
    if output is not None and not as_json:
        note_semiring(output, smallest.automaton)
    if certificate is not None and shown is None:
        note_unwritten(certificate, "there is no certificate")
    return YES if smallest.doubt is None else UNKNOWN


@app.command(epilog=example("rank parity.json"))
def rank(
    automaton: AutomatonFile,
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    file_format: FormatName = None,
    as_json: AsJson = False,
) -> None:
    """Print the rank of an automaton's Hankel matrix. It is the minimum number of states over the reals."""
    machine = load(automaton, semiring, symbols, file_format)
    with progress("rank") as report_progress, naming(automaton):
        states = minimising.rank(machine, report_progress)
    print_answer(as_json, {"rank": states}, str(states))


def _tolerance(text: str) -> Fraction:
    try:
        value = parse_number(text)
    except InputError:
        value = -1.0
    if not isinstance(value, Fraction) or value < 0:
        raise InputError(f"--within must be finite and non-negative, got {shorten(text)}")
    return value


def _least(result: minimising.Minimised, automaton: WFSA) -> str:
    """Return a sentence that says whether the number of states is minimal.

    A boolean automaton is compared with deterministic automata.
    """
    least, states = result.automaton.num_states, plural(automaton.num_states, "state")
    if result.doubt is not None:
        return f"unknown whether fewer than {least} of {states} are enough: {result.doubt}"
    if automaton.semiring.is_boolean:
        return (
            f"the smallest deterministic automaton has {plural(least, 'state')} without a dead state; the"
            f" given automaton has {automaton.num_states}"
        )
    return f"{least} of {states} needed: no automaton over the reals with these scores has fewer"


def write_json(path: str, data: Mapping[str, object]) -> None:
    files.write_whole(path, json.dumps(data, ensure_ascii=False) + "\n")
