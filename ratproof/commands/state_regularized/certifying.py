"""What ``ratproof certify`` does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from automata import files
from automata.dfa import DFA
from automata.errors import InputError
from neural.state_regularized.files import load as load_network
from ratproof.commands.deciding import write_json
from ratproof.commands.state_regularized.networks import numbers_at
from ratproof.commands.terminal import progress
from ratproof.papers.certification.certify import certify as decide
from ratproof.process.exit_statuses import NO, UNKNOWN, YES
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_outputs
from ratproof.report.certification import as_json_object, sentences

EXIT = {"certified": YES, "different": NO, "unknown": UNKNOWN}


def certify(
    checkpoint: str,
    temperature: float | None,
    against: str | None,
    output: str | None,
    certificate: str | None,
    as_json: bool,
) -> int:
    """Prove it, and write and print what came out; the exit status."""
    network, _ = load_network(checkpoint)
    if output is not None:
        files.require_writable(output)
    require_outputs({"-o": output, "--certificate": certificate}, reads=(checkpoint, against))
    numbers = numbers_at(checkpoint, network, temperature)
    dfa = None if against is None else _dfa(against, numbers.alphabet)
    with progress("certify") as tell:
        answer = decide(
            network, numbers.temperature, dfa, lambda done, of: tell(f"proving node {done + 1} of {of}"), tell
        )
    proved = answer.nodes is not None
    if output is not None and proved:  # first, as its format may lack what a symbol needs
        assert answer.language is not None
        files.write(answer.language.to_wfsa(), output)
    if certificate is not None and proved:
        write_json(certificate, answer.certificate())
    if as_json:
        print_json(as_json_object(answer, certificate if proved else None))
    else:
        print("\n".join(sentences(answer, against)))
        for path in (certificate, output):
            if path is not None:
                print(f"  {path}" if proved else f"  {path} is not written: no boxes were proved")
    return EXIT[answer.verdict]


def _dfa(path: str, alphabet: Sequence[Any]) -> DFA:
    try:
        return DFA.from_wfsa(files.read(path)).over(alphabet)
    except InputError as error:
        raise InputError(f"{path}: {str(error).removeprefix(f'{path}: ')}") from None
