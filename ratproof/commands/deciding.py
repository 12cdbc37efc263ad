"""Commands that decide: equivalent, minimise, rank."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated

import typer

from automata import minimise as minimising
from automata.equivalence import Different, Equivalent, Unknown, aligned
from automata.equivalence import equivalent as decide
from automata.equivalence.certificates import Certificate
from automata.errors import FormatError, InputError, LimitReached
from automata.io import files
from automata.io.number_text import write_number
from automata.io.printable_text import write_string
from automata.wfsa import WFSA
from ratproof.commands.app import AsJson, SemiringName, SymbolTable, app, example
from ratproof.commands.automata import AutomatonFile, load, load_both, tell_semiring
from ratproof.commands.terminal import console, progress
from ratproof.process.exit_statuses import NO, UNKNOWN, YES
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_outputs

EXIT = {"equivalent": YES, "different": NO, "unknown": UNKNOWN}
MissingAsZero = Annotated[
    bool,
    typer.Option(
        "--missing-as-zero",
        help="a symbol that one alphabet lacks has weight zero there; else it is an error",
    ),
]


@app.command(
    epilog=example(
        "equivalent fading.json parity.json --certificate equal.json",
        "equivalent fading.json typo.json --json",
    )
)
def equivalent(
    a: Annotated[str, typer.Argument(metavar="A", help="a .json or .att file")],
    b: Annotated[str, typer.Argument(metavar="B", help="another")],
    certificate: Annotated[
        str | None, typer.Option("--certificate", help="write what shows it, for check-certificate")
    ] = None,
    kernel: Annotated[
        bool,
        typer.Option(
            "--kernel",
            help="write a Coq file with the two automata, in which Coq's kernel accepts this answer",
        ),
    ] = False,
    kernel_file: Annotated[
        str | None,
        typer.Option("--kernel-file", help="its name (default: equivalent_A_B.v); implies --kernel"),
    ] = None,
    missing_as_zero: MissingAsZero = False,
    longest: Annotated[
        int | None,
        typer.Option(
            "--longest", min=0, help="where it has to be searched: strings of at most that many symbols"
        ),
    ] = None,
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    as_json: AsJson = False,
) -> int:
    """Decide whether two automata give every string one score. Exit status 0: equivalent, 1: different, 3:
    unknown.
    """
    one, other = load_both(a, b, semiring, symbols)
    require_outputs({"--certificate": certificate, "--kernel-file": kernel_file}, reads=(a, b, symbols))
    coq_file = None
    if kernel or kernel_file is not None:
        from ratproof.coq import certificate as kernel_certificate

        coq_file = kernel_certificate.file_name(kernel_file, a, b)  # Coq is missed before anything is decided
        require_outputs({"--certificate": certificate, "--kernel-file": coq_file}, reads=(a, b, symbols))
    with progress("equivalent") as tell, _naming(a, b):
        answer = decide(one, other, missing_as_zero=missing_as_zero, longest=longest, tell=tell)
        accepted = None
        if coq_file is not None and isinstance(answer, (Equivalent, Different)):
            tell("Coq checks the answer")
            accepted = kernel_certificate.write(
                coq_file, *aligned(one, other, missing_as_zero), answer, (a, b)
            )
    write = write_number if one.semiring.float_only else one.semiring.format  # sums of logarithms, exactly
    shown = answer.certificate if isinstance(answer, (Equivalent, Different)) else None
    if certificate is not None and shown is not None:
        try:
            write_json(certificate, shown.to_json())
        except LimitReached:  # the answer stands: without epsilon its automata are too large
            shown = None
    if as_json:
        word, scores = (
            (list(answer.word), [write(w) for w in answer.scores])
            if isinstance(answer, Different)
            else (None, None)
        )
        why = (
            answer.how
            if isinstance(answer, Equivalent)
            else answer.why
            if isinstance(answer, Unknown)
            else None
        )
        print_json(
            {
                "verdict": answer.verdict,
                "word": word,
                "scores": scores,
                "why": why,
                "searched": answer.searched if isinstance(answer, Unknown) else None,
                "least": answer.doubt is None if isinstance(answer, Different) else None,
                "figures": dict(answer.figures),
                "certificate": certificate if shown is not None else None,
                "kernel": None if accepted is None else {"file": coq_file, "theorem": accepted},
            }
        )
    elif isinstance(answer, Different):
        x, y = map(write, answer.scores)
        string = write_string(list(answer.word))
        print(f"different: on {string} {a} gives {x} and {b} gives {y}; {_least_word(answer)}")
    elif isinstance(answer, Equivalent):
        print(f"equivalent: every string has the same score in {a} and {b} ({answer.how})")
    else:
        print(f"unknown: {answer.why}")
    if accepted is not None and not as_json:
        print(
            f"accepted by Coq's kernel, with nothing assumed: the theorem {accepted} of {coq_file}, which"
            " coqc accepts by itself"
        )
    if coq_file is not None and accepted is None:
        console(error=True).print(
            f"ratproof: note: {coq_file} is not written: nothing is decided that Coq could check",
            soft_wrap=True,
        )
    if certificate is not None and shown is None:
        console(error=True).print(
            f"ratproof: note: {certificate} is not written: this answer has no certificate", soft_wrap=True
        )
    return EXIT[answer.verdict]


@app.command(epilog=example("minimise parity.json -o least.json"))
def minimise(
    automaton: AutomatonFile,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="write the least automaton there")
    ] = None,
    certificate: Annotated[
        str | None, typer.Option("--certificate", help="write what shows it, for check-certificate")
    ] = None,
    round_weights: Annotated[
        bool,
        typer.Option("--round", help="write weights without a finite decimal as the nearest float64 in .att"),
    ] = False,
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    as_json: AsJson = False,
) -> int:
    """Find the least automaton with the same scores. It is found over the reals, exactly, or among
    deterministic boolean automata. Exit status 3: of a large one, a smaller one that may not be the least.
    """
    given = load(automaton, semiring, symbols)
    if output is not None:
        files.require_writable(output)
    require_outputs({"-o": output, "--certificate": certificate}, reads=(automaton, symbols))
    if certificate is not None and given.semiring.is_boolean:
        raise InputError(
            f"--certificate: boolean automata get none here; compare with equivalent {automaton} B"
            " --certificate FILE"
        )
    with progress("minimise") as tell, _naming(automaton):
        smallest = minimising.minimise(given, tell)
        shown: Certificate | None = smallest.certificate
        if certificate is not None and shown is None:  # of a large automaton: that the two are equal
            answer = decide(given, smallest.automaton, tell=tell)
            shown = answer.certificate if isinstance(answer, Equivalent) else None
    written = [] if output is None else files.write(smallest.automaton, output, round_weights)
    if certificate is not None and shown is not None:
        write_json(certificate, shown.to_json())
    if as_json:
        print_json(
            {
                "states": smallest.automaton.states,
                "from": given.states,
                "least": smallest.doubt is None,
                "why": smallest.doubt,
                "files": [str(path) for path in written],
            }
        )
    else:
        where = f"; written to {' and '.join(map(str, written))}" if written else "; -o FILE writes it"
        print(f"{_least(smallest, given)}{where}")
        if output is not None:
            tell_semiring(output, smallest.automaton)
    if certificate is not None and shown is None:
        console(error=True).print(
            f"ratproof: note: {certificate} is not written: there is no certificate", soft_wrap=True
        )
    return YES if smallest.doubt is None else UNKNOWN


@app.command(epilog=example("rank parity.json"))
def rank(
    automaton: AutomatonFile,
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    as_json: AsJson = False,
) -> None:
    """Print the rank of an automaton's Hankel matrix. That is the least number of states over the reals."""
    given = load(automaton, semiring, symbols)
    with progress("rank") as tell, _naming(automaton):
        states = minimising.rank(given, tell)
    print_json({"rank": states}) if as_json else print(states)


def _least_word(answer: Different) -> str:
    """What is known of smaller strings."""
    if answer.doubt is None:
        return "no smaller string differs"
    return (
        "that no smaller string differs is not proved: it is so but for a chance of less than"
        f" 2^-{int(-answer.doubt)}"
    )


def _least(result: minimising.Minimised, given: WFSA) -> str:
    """How many states are needed, and of what kind: a deterministic automaton may need more than the given
    one has.
    """
    least = result.automaton.states
    if result.doubt is not None:
        return f"unknown whether fewer than {least} of {_states(given.states)} would do: {result.doubt}"
    if given.semiring.is_boolean:
        return (
            f"the least deterministic automaton has {_states(least)}, without a dead one; the given automaton"
            f" has {given.states}"
        )
    return (
        f"{least} of {_states(given.states)} needed: no automaton over the reals with these scores has fewer"
    )


def _states(number: int) -> str:
    return f"{number} state{'' if number == 1 else 's'}"


@contextmanager
def _naming(*paths: str) -> Iterator[None]:
    """Say in an error which files it is about."""
    try:
        yield
    except FormatError:
        raise
    except InputError as error:
        raise error.about(*paths) from None


def write_json(path: str, data: Mapping[str, object]) -> None:
    files.write_whole(path, json.dumps(data, ensure_ascii=False) + "\n")
