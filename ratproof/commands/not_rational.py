"""The command ``not-rational``."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, Option

from automata.aliases import JsonObject
from automata.errors import InputError
from automata.io import files
from ratproof.certification.not_rational.every_size import EverySize, NoProof
from ratproof.certification.not_rational.every_size import every_size as show_every_size
from ratproof.certification.not_rational.hankel_bound import MOST_BITS, Bound, UndecidedBound, bound, largest
from ratproof.certification.not_rational.matrix import first_strings
from ratproof.commands.app import AsJson, CertificateFile, app, example
from ratproof.commands.deciding import write_json
from ratproof.commands.terminal import note_unwritten, progress
from ratproof.coq import lower_bound
from ratproof.coq.certificate import name_in_coq
from ratproof.coq.reals import AXIOMS
from ratproof.process.exit_statuses import UNKNOWN, YES
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_outputs
from ratproof.process.supervisor import OutOfTime
from theory.not_rational.cells import CELLS, cell_named
from theory.not_rational.weights import WeightedCell, from_json, some

SIZES, SIZES_OF_COQ = (3, 7, 15, 31, 63), (3, 7)
"""The numbers of states that are tried by default, without and with ``--kernel``."""


@app.command(
    "not-rational", epilog=example("not-rational gru", "not-rational gru --size 31 --certificate gru.json")
)
def not_rational(
    cell: Annotated[str | None, Argument(metavar="CELL", help=", ".join(CELLS))] = None,
    size: Annotated[
        int | None,
        Option("--size", min=1, max=4095, help="number of states to exclude (default: 3, 7, ... up to 63)"),
    ] = None,
    units: Annotated[
        int | None,
        Option(
            "--units",
            min=1,
            max=64,
            help="number of units of a cell with random weights (default: the smallest possible)",
        ),
    ] = None,
    weights: Annotated[str | None, Option("--weights", help="a JSON file with letters and weights")] = None,
    unit: Annotated[int, Option("--unit", min=0, help="index of the unit")] = 0,
    letter: Annotated[str | None, Option("--letter", help="use only strings of this letter")] = None,
    bits: Annotated[
        int | None,
        Option("--bits", min=64, max=2**16, help=f"maximum precision in bits (default: {MOST_BITS})"),
    ] = None,
    every: Annotated[
        bool, Option("--every-size", help="exclude automata of any size, by checking a theorem's hypotheses")
    ] = False,
    certificate: CertificateFile = None,
    kernel: Annotated[
        bool, Option("--kernel", help="write a Coq file in which Coq's kernel checks a size (default: 3, 7)")
    ] = False,
    kernel_file: Annotated[
        str | None,
        Option("--kernel-file", help="name of the Coq file (default: not_rational_CELL.v); implies --kernel"),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Show that no small automaton computes a unit of a recurrent cell.

    The result is a number n: every automaton that computes the unit has at least n states. Exit status 0:
    shown, 3: unknown.
    """
    if cell is None:
        raise InputError(f"CELL must be one of {', '.join(CELLS)}, got no argument")
    if kernel and kernel_file is None:
        kernel_file = f"not_rational_{name_in_coq(cell)}.v"
    require_outputs({"--certificate": certificate, "--kernel-file": kernel_file}, reads=(weights,))
    weighted = _weighted_cell(cell, weights, units)
    if kernel_file is not None:
        lower_bound.require_file(kernel_file)
    if not unit < weighted.units:
        raise InputError(f"--unit must be between 0 and {weighted.units - 1}, got {unit}")
    if letter is not None and letter not in weighted.letters:
        raise InputError(f"--letter must be one of {', '.join(weighted.letters)}, got {letter!r}")
    if every:
        if any(option is not None for option in (size, letter, bits, certificate, kernel_file)):
            raise InputError(
                "--every-size cannot be used with --size, --letter, --bits, --certificate or --kernel"
            )
        return _show_every_size(weighted, unit, as_json)
    bits = MOST_BITS if bits is None else bits
    letters = weighted.letters if letter is None else (letter,)
    with progress(f"not-rational {cell}") as report_progress:
        if size is None:
            result, stopped = largest(
                weighted, unit, SIZES if kernel_file is None else SIZES_OF_COQ, letters, bits, report_progress
            )
        else:
            strings = first_strings(letters, size, weighted.cell.counts)
            answer = bound(weighted, unit, strings, strings, bits, report_progress)
            result, stopped = (answer, None) if isinstance(answer, Bound) else (None, answer)
        accepted, refusal = None, "nothing was proved"
        if kernel_file is not None and result is not None:
            try:
                lower_bound.write(kernel_file, result, report_progress)
                accepted = kernel_file
            except OutOfTime as error:
                refusal = str(error)
    if certificate is not None and result is not None:
        write_json(certificate, result.to_json())
    _show(weighted, unit, result, stopped, certificate, accepted, as_json)
    if certificate is not None and result is None:
        note_unwritten(certificate, refusal)
    if kernel_file is not None and accepted is None:
        note_unwritten(kernel_file, refusal)
    return UNKNOWN if stopped is not None else YES


def _weighted_cell(cell: str, path: str | None, units: int | None) -> WeightedCell:
    """Return the cell with the weights in a file, or with pseudorandom weights without a file."""
    if path is None:
        return some(cell_named(cell), units)
    if units is not None:
        raise InputError(f"--units cannot be used with --weights, because the weights in {path} determine it")
    return from_json(cell_named(cell), files.read_text(path), path)


def _show(
    weighted: WeightedCell,
    unit: int,
    result: Bound | None,
    stopped: UndecidedBound | None,
    certificate: str | None,
    kernel_file: str | None,
    as_json: bool,
) -> None:
    if as_json:
        about = {} if result is None else result.to_json() | {"seconds": result.seconds}
        about = {name: value for name, value in about.items() if name not in ("format", "claims")}
        print_json(
            {
                "cell": weighted.cell.name,
                "units": weighted.units,
                "unit": unit,
                "states": None,
                **weighted.to_json(),
                **about,
                "unknown": None if stopped is None else {"size": stopped.size, "bits": stopped.bits},
                "certificate": None if result is None else certificate,
                "kernel": None
                if result is None or kernel_file is None
                else {"file": kernel_file, "theorem": lower_bound.THEOREM, "axioms": list(AXIOMS)},
            }
        )
        return
    if result is not None:
        effort = f"({result.bits} bits, {result.seconds:.1f} s)"
        print(
            f"{weighted.cell.name}: no automaton with fewer than {result.states} states computes unit {unit}"
            f" {effort}"
        )
        if kernel_file is not None:
            print(
                "accepted by Coq's kernel, with the axioms of its real numbers: theorem"
                f" {lower_bound.THEOREM} in {kernel_file}, a stand-alone file that coqc accepts"
            )
    if stopped is not None:
        print(
            f"{weighted.cell.name}: unknown: no determinant of size {stopped.size} excludes zero, up to"
            f" {stopped.bits} bits"
        )


def _show_every_size(weighted: WeightedCell, unit: int, as_json: bool) -> int:
    with progress(f"not-rational {weighted.cell.name}"):
        result = show_every_size(weighted, unit)
    name, shown = weighted.cell.name, isinstance(result, EverySize)
    if as_json:
        about: JsonObject = {
            "cell": name,
            "units": weighted.units,
            "unit": unit,
            "every_size": shown,
            **weighted.to_json(),
        }
        if isinstance(result, EverySize):
            about |= {
                "letter": result.letter,
                "where": result.where,
                "hypotheses": [{"says": h.says, "ball": h.ball} for h in result.hypotheses],
                "theorem": result.theorem,
            }
        print_json(about | {"why": result.why if isinstance(result, NoProof) else None})
    elif isinstance(result, EverySize):
        print(f"{name}: no automaton with any number of states computes unit {unit}; {result.where}, and")
        for i, hypothesis in enumerate(result.hypotheses, 1):
            print(f"  {i}. {hypothesis.says}: {hypothesis.ball}")
        if result.theorem is not None:
            print(f"  Coq's theorem with these hypotheses: {result.theorem}")
    else:
        print(
            f"{name}: unknown: "
            + "; ".join(f"on the strings of {letter}, {why}" for letter, why in result.why.items())
        )
    return YES if shown else UNKNOWN
