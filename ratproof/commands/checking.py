"""The command ``check-certificate``."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option
from typer.core import TyperCommand

from automata.aliases import JsonObject
from automata.equivalence import aligned
from automata.errors import FormatError, InputError
from automata.io import files
from automata.io.json_format import from_json
from automata.text.number_text import plural, shorten
from automata.text.printable_text import printable
from automata.wfsa import WFSA
from ratproof.checkers import (
    check_boxes,
    check_certificate,
    check_counter,
    check_hankel,
    check_invariant,
    check_regions,
)
from ratproof.checkers.table import DIGEST_DIGITS, Judgement, automaton_digest, checker_of, judge
from ratproof.commands.app import AsJson, FormatName, SemiringName, SymbolTable, app, example
from ratproof.commands.automata import load
from ratproof.commands.deciding import MissingAsZero
from ratproof.commands.terminal import naming, print_answer, progress
from ratproof.process.exit_statuses import NO, UNKNOWN, YES

if TYPE_CHECKING:
    from torch import Tensor  # deferred, because torch takes long to import

    from neural.state_regularized.acceptor import Acceptor

EXIT = {"accepted": YES, "rejected": NO, "unknown": UNKNOWN}
VERSIONED = "ratproof certificate "
NETWORK_FILES = (".safetensors", ".pt", ".pth")
SUBJECTS = ({"A", "B"}, {"cell"}, {"nodes"}, {"boxes"})
AUTOMATA, NETWORK, CELL, NO_FILE = "two automata", "a network", "a cell", "a claim's network"
ORDINARY = "an ordinary network"
WEIGHTS = {"letters", "weights"}
"""The fields of a file for ``not-rational --weights``."""


class EverythingAfterOf(TyperCommand):
    """A command in which ``--of`` takes all arguments up to the next option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert ``--of`` before each file, as the parser expects."""
        return super().parse_args(ctx, spread(args))


def spread(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with ``--of`` inserted before each further file that belongs to an ``--of``.

    >>> spread(["c.json", "--of", "a.json", "b.json", "--json"])
    ['c.json', '--of', 'a.json', '--of', 'b.json', '--json']
    """
    result: list[str] = []
    # inside: the arguments are the files of --of; waits: the first of these files comes next
    inside = waits = False
    for index, argument in enumerate(arguments):
        if argument == "--":
            return [*result, *arguments[index:]]
        if argument.startswith("-") and argument != "-":
            inside = argument == "--of" or argument.startswith("--of=")
            waits = argument == "--of"
        elif inside:
            result += [] if waits else ["--of"]
            waits = False
        result.append(argument)
    return result


@dataclass
class Subjects:
    """The subjects that the certificates must be about, from ``--of``.

    Attributes:
        automata: Up to two pairs of a file and its automaton.
        network: A checkpoint and its network, or None.
        weights: A file with a cell's weights and its text, or None.
        state_dict: A file and its tensors, or None.
        parts: The names of the state dict's recurrent layer and classifier, or None.
    """

    automata: list[tuple[str, WFSA]] = field(default_factory=list)
    network: tuple[str, Acceptor] | None = None
    weights: tuple[str, str] | None = None
    state_dict: tuple[str, dict[str, Tensor]] | None = None
    parts: tuple[str | None, str | None] = (None, None)

    def kinds(self) -> dict[str, str]:
        """Return the kinds of certificates that can be compared with the files, each with one such file."""
        one = {AUTOMATA: self.automata[0][0]} if self.automata else {}
        one |= {NETWORK: self.network[0]} if self.network is not None else {}
        one |= {ORDINARY: self.state_dict[0]} if self.state_dict is not None else {}
        return one | ({CELL: self.weights[0]} if self.weights is not None else {})


@app.command(
    "check-certificate",
    cls=EverythingAfterOf,
    epilog=example(
        "check-certificate equal.json", "check-certificate equal.json --of fading.json parity.json"
    ),
)
def check(
    certificates: Annotated[
        list[str], Argument(metavar="CERTIFICATE", help="a file that a command wrote with --certificate")
    ],
    of: Annotated[
        list[str] | None,
        Option(
            "--of",
            metavar="FILE...",
            help=(
                "files that every certificate must match, after the certificates: two automata"
                " (.json, .att, .txt, .fst, .dot), a checkpoint (.safetensors), a state dict"
                " (.safetensors, .pt) and an automaton, or the weights of a cell (.json)"
            ),
        ),
    ] = None,
    temperature: Annotated[
        float | None,
        Option("--temperature", help="temperature of the network in --of, instead of its own (positive)"),
    ] = None,
    prefix: Annotated[
        str | None, Option("--prefix", help="name of the recurrent layer of the state dict, as for certify")
    ] = None,
    readout: Annotated[
        str | None, Option("--readout", help="name of the linear layer of the state dict, as for certify")
    ] = None,
    missing_as_zero: MissingAsZero = False,
    semiring: SemiringName = None,
    symbols: SymbolTable = None,
    file_format: FormatName = None,
    as_json: AsJson = False,
) -> int:
    """Check certificates with short independent programs.

    These programs share no code with the rest of ratproof. Exit status 0: all are accepted, 1: some are
    rejected.

    A certificate that is not about the files in --of is rejected. Exit status 3: none is rejected, but one
    needs too much time to check.
    """
    read = [(path, _certificate(path)) for path in certificates]
    subjects = _subjects(of or [], semiring, symbols, file_format)
    if temperature is not None and subjects.network is None:
        raise InputError("--temperature requires a network; pass --of NETWORK.safetensors")
    if temperature is not None and not 0 < temperature < math.inf:
        raise InputError(f"--temperature must be positive, got {temperature}")
    if (prefix, readout) != (None, None):
        if subjects.state_dict is None:
            raise InputError("--prefix and --readout require a state dict; pass --of NETWORK.pt")
        where, tensors = subjects.state_dict
        for option, name in (("--prefix", prefix), ("--readout", readout)):
            if name and not any(f".{name.removesuffix('.')}." in f".{tensor}" for tensor in tensors):
                raise InputError(f"{where}: {option} must be a part of the state dict, got {shorten(name)}")
        subjects.parts = prefix, readout
    _require_fit([(path, data) for path, data in read if isinstance(data, dict)], len(read), subjects)
    automata = _aligned(
        subjects.automata, [data for _, data in read if isinstance(data, dict)], missing_as_zero
    )
    answers: list[tuple[str, Judgement]] = []
    with progress("check-certificate") as report_progress:
        for path, data in read:
            report_progress(path)
            answer = judge(data) if isinstance(data, dict) else data
            if of and answer.verdict == "accepted" and isinstance(data, dict):
                answer = _compare_with_subjects(
                    data, answer, replace(subjects, automata=automata), temperature
                )
            answers.append((path, answer))
    verdicts = {answer.verdict for _, answer in answers}
    verdict = next(v for v in ("rejected", "unknown", "accepted") if v in verdicts)
    rows = [
        {"file": path, "verdict": x.verdict, "claims": x.claims, "why": x.why, "about": x.about}
        for path, x in answers
    ]
    alone = {name: rows[0][name] if len(rows) == 1 else None for name in ("claims", "why")}
    texts = [(f"{path}: " * (len(answers) > 1), _lines(x)) for path, x in answers]
    text = "\n".join(printable(line) for name, (first, *more) in texts for line in (name + first, *more))
    print_answer(as_json, {"verdict": verdict, **alone, "certificates": rows}, text)
    return EXIT[verdict]


def _lines(answer: Judgement) -> list[str]:
    """Return the verdict in one line, and a line for each file of ``--of`` that the certificate is about."""
    if answer.about is None:
        return [f"{'not checked' if answer.verdict == 'unknown' else answer.verdict}: {answer.why}"]
    named = {
        "A": "A is the automaton in {}",
        "B": "B is the automaton in {}",
        "network": "the network is the one in {}",
        "weights": "the weights are those in {}",
        "automaton": "the automaton is the one in {}",
    }
    of = answer.about.get("of", {})
    return [
        f"accepted: {answer.about['says']}",
        *(f"  {named[subject].format(path)}" for subject, path in of.items()),
    ]


def _certificate(path: str) -> JsonObject | Judgement:
    """Return the certificate in a file, or a judgement that rejects it if it is malformed."""
    sure = "pass the files that certificates must be about after --of"
    if path.endswith((".safetensors", ".att")):
        raise InputError(f"{path}: a certificate must be JSON; {sure}")
    text = files.read_text(path)
    try:
        data = check_certificate.parse(text)
    except (json.JSONDecodeError, RecursionError):
        raise FormatError(f"{path}: a certificate must be JSON") from None
    except ValueError as error:
        return Judgement("rejected", why=str(error))
    known = isinstance(data, dict) and any({"format", "claims", *fields} <= set(data) for fields in SUBJECTS)
    if known or (isinstance(data, dict) and str(data.get("format")).startswith(VERSIONED)):
        try:
            checker_of(data)
        except ValueError as error:
            return Judgement("rejected", why=str(error))
        return dict(data)
    raise FormatError(
        f"{path}: a certificate must have the fields 'format' and 'claims', and 'A' and 'B', 'cell', 'nodes'"
        f" or 'boxes'; {sure}"
    )


def _subjects(
    of: Sequence[str], semiring: str | None, symbols: str | None, file_format: str | None
) -> Subjects:
    """Read the files of ``--of``."""
    subjects = Subjects()
    formats = [file_format or Path(path).suffix[1:] for path in of]
    if (semiring, symbols) != (None, None) and not any(
        files.FORMATS.get(f".{name}") in files.WITHOUT_SEMIRING for name in formats
    ):
        raise InputError("--semiring and --symbols require a .att, .txt or .fst file in --of")
    for path in of:
        if path.endswith(NETWORK_FILES):
            known = subjects.network or subjects.state_dict
            if known is not None:
                raise InputError(f"--of accepts at most one network, got {known[0]} and {path}")
            tensors = _state_dict(path)
            if tensors is None:
                subjects.network = path, _network(path)
            else:
                subjects.state_dict = path, tensors
        elif _holds_weights(path):
            if subjects.weights is not None:
                raise InputError(
                    f"--of accepts at most one file of weights, got {subjects.weights[0]} and {path}"
                )
            subjects.weights = path, files.read_text(path)
        else:
            says_it = files.suffix_of(path, file_format) not in files.WITHOUT_SEMIRING
            options = (None, None) if says_it else (semiring, symbols)
            subjects.automata.append((path, load(path, *options, file_format)))
    if len(subjects.automata) > 2:
        raise InputError(f"--of must have two automata, A and then B, got {len(subjects.automata)}")
    return subjects


def _state_dict(path: str) -> dict[str, Tensor] | None:
    from ratproof.commands.state_regularized.state_dict_comparison import state_dict_at

    return state_dict_at(path)


def _network(path: str) -> Acceptor:
    from neural.state_regularized.files import load as load_network  # deferred, because it imports torch

    return load_network(path)[0]


def _holds_weights(path: str) -> bool:
    if Path(path).suffix != ".json":
        return False
    try:
        data = json.loads(files.read_text(path))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        return False  # the reader of automata reports the error
    return isinstance(data, dict) and set(data) == WEIGHTS


def _kind(data: JsonObject) -> str:
    return {
        check_boxes: NETWORK,
        check_counter: NETWORK,
        check_hankel: CELL,
        check_invariant: NO_FILE,
        check_regions: ORDINARY,
    }.get(checker_of(data), AUTOMATA)


def _require_fit(read: Sequence[tuple[str, JsonObject]], number: int, subjects: Subjects) -> None:
    """Raise InputError if a file in ``--of`` applies to no certificate, or a file is missing."""
    kinds = {_kind(data): path for path, data in read}
    for kind, path in subjects.kinds().items():
        language = kind == AUTOMATA and ORDINARY in kinds and len(subjects.automata) == 1
        if kind not in kinds and len(read) == number and not language:
            about = " and ".join(f"{certificate} is about {what}" for what, certificate in kinds.items())
            raise InputError(f"{path}: the file applies to a certificate about {kind}, but {about}")
    if len(subjects.automata) == 1:
        for path, data in read:
            if _kind(data) == AUTOMATA and data.get("claims") != "minimal":
                raise InputError(f"{path} is about two automata, so --of must have both or none, got one")


def _aligned(
    automata: Sequence[tuple[str, WFSA]], certificates: Sequence[JsonObject], missing: bool
) -> list[tuple[str, WFSA]]:
    """Return the automata of ``--of`` over a common alphabet, as ``equivalent`` compares them.

    The automata are returned unchanged if no certificate compares two automata.
    """
    if len(automata) < 2 or not any(
        _kind(data) == AUTOMATA and data.get("claims") != "minimal" for data in certificates
    ):
        return list(automata)
    (a, one), (b, other) = automata
    with naming(a, b):
        return list(zip((a, b), aligned(one, other, missing), strict=True))


def _compare_with_subjects(
    data: JsonObject, answer: Judgement, subjects: Subjects, temperature: float | None
) -> Judgement:
    """Reject an accepted certificate if it is not about the contents of the files of ``--of``."""
    kind = _kind(data)
    if kind == ORDINARY and (subjects.state_dict or len(subjects.automata) == 1):
        return _compare_with_state_dict(data, answer, subjects)
    if kind not in subjects.kinds():
        return Judgement("rejected", why=f"it is about {kind}, but --of contains none")
    why, of = {AUTOMATA: _other_automata, NETWORK: _other_network, CELL: _other_weights}[kind](
        data, subjects, temperature
    )
    return (
        Judgement("rejected", why=why) if why else replace(answer, about={**(answer.about or {}), "of": of})
    )


def _compare_with_state_dict(data: JsonObject, answer: Judgement, subjects: Subjects) -> Judgement:
    """Compare an accepted certificate of an ordinary network with a state dict, an automaton, or both."""
    from ratproof.commands.state_regularized.state_dict_comparison import other_automaton, other_network

    why, of = "", {}
    if subjects.state_dict is not None:
        path, tensors = subjects.state_dict
        why, of = other_network(data, path, tensors, *subjects.parts), {"network": path}
    if not why and len(subjects.automata) == 1:
        path, automaton = subjects.automata[0]
        why, of = other_automaton(data, path, automaton), {**of, "automaton": path}
    if why:
        return Judgement("rejected", why=why)
    return replace(answer, about={**(answer.about or {}), "of": of})


def _other_automata(data: JsonObject, subjects: Subjects, _: float | None) -> tuple[str, dict[str, str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a warning if a transition has two weights
        held = {side: from_json(data[side]) for side in "AB"}
    digests = {side: automaton_digest(automaton) for side, automaton in held.items()}
    named = {
        side: (path, automaton, automaton_digest(automaton))
        for side, (path, automaton) in zip("AB", subjects.automata, strict=False)
    }
    for side, (path, automaton, digest) in named.items():
        if digests[side] != digest:
            turned = len(named) == 2 and [named[s][2] for s in "BA"] == [digests[s] for s in "AB"]
            return (
                f"the certificate is about other automata: its automaton {side}"
                f" ({_automaton_in_words(held[side], digests[side])})"
                f" is not the one in {path} ({_automaton_in_words(automaton, digest)})"
                + "; in --of, A must come before B"
                * turned
            ), {}
    return "", {side: path for side, (path, _, _) in named.items()}


def _automaton_in_words(automaton: WFSA, digest: str) -> str:
    return f"{automaton.semiring.name}, {plural(automaton.num_states, 'state')}, {digest[:DIGEST_DIGITS]}"


def _other_network(
    data: JsonObject, subjects: Subjects, temperature: float | None
) -> tuple[str, dict[str, str]]:
    assert subjects.network is not None
    path, network = subjects.network
    held = data["network"]
    if held["kind"] != network.kind:
        return f"it is about a network of kind {held['kind']}, but {path} is of kind {network.kind}", {}
    with naming(path):
        tau, here = _network_json(checker_of(data), network, temperature)
    if check_boxes.without_temperature(held) != check_boxes.without_temperature(here):
        theirs, ours = (check_boxes.digest(check_boxes.without_temperature(part)) for part in (held, here))
        theirs, ours = theirs[:DIGEST_DIGITS], ours[:DIGEST_DIGITS]
        return f"the certificate is about another network ({theirs}) than the network in {path} ({ours})", {}
    if tau is not None and Fraction(held["temperature"]) != tau:
        asked = f"{path} has temperature" if temperature is None else "--temperature is"
        hint = f"; pass --temperature {_number(held['temperature'])}" if temperature is None else ""
        return (
            (
                f"it is about temperature {_number(held['temperature'])}, but {asked}"
                f" {_number(str(tau))}{hint}"
            ),
            {},
        )
    return "", {"network": path}


def _network_json(
    program: ModuleType, network: Acceptor, temperature: float | None
) -> tuple[Fraction | None, JsonObject]:
    """Return a network's temperature, and the network as JSON in the certificate format of ``program``."""
    if program is check_counter:
        from ratproof.certification.counters import certificate, numbers

        counter = numbers.numbers_of(network, temperature)
        return counter.temperature, certificate.network_json(counter)
    from ratproof.certification.soft_networks.certificate import network_json
    from ratproof.certification.soft_networks.numbers import numbers_of

    soft = numbers_of(network, temperature)
    return soft.temperature, dict(network_json(soft))


def _number(fraction: str) -> str:
    """Return a fraction such as "1/2" in decimal if it is exactly a float, and unchanged otherwise."""
    exact = Fraction(fraction)
    near = float(exact) if exact < 2**1023 else 0.0
    return repr(near) if Fraction(near) == exact else fraction


def _other_weights(data: JsonObject, subjects: Subjects, _: float | None) -> tuple[str, dict[str, str]]:
    from theory.not_rational import weights as cell_weights
    from theory.not_rational.cells import cell_named

    assert subjects.weights is not None
    path, text = subjects.weights
    cell = cell_named(data["cell"])
    try:
        here = cell_weights.from_json(cell, text, path)
    except InputError as error:
        return f"it is about the cell {cell.name}, but {path} has no weights for it ({error})", {}
    held = cell_weights.from_json(cell, json.dumps({name: data[name] for name in WEIGHTS}), "the certificate")
    if (here.letters, here.weights) != (held.letters, held.weights):
        return f"it is about the cell {cell.name} with other weights or letters than in {path}", {}
    return "", {"weights": path}
