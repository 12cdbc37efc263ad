"""What ``ratproof certify`` does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from automata.dfa import DFA
from automata.errors import InputError
from automata.io import files
from neural.state_regularized.files import load as load_network
from ratproof.certification.counters.numbers import counts
from ratproof.certification.soft_networks.certify import certify as decide
from ratproof.commands.deciding import write_json
from ratproof.commands.state_regularized.certifying_counters import certify_counter
from ratproof.commands.state_regularized.networks import numbers_at
from ratproof.commands.terminal import progress
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
    limits: Mapping[str, int | None],
) -> int:
    """Prove it, and write and print what came out; the exit status."""
    network, _ = load_network(checkpoint)
    asked = {name: value for name, value in limits.items() if value is not None}
    if counts(network):
        for name, value in (("--against", against), ("-o", output)):
            if value is not None:
                raise InputError(
                    f"{name} {value}: {checkpoint} is of kind {network.kind}, which is certified to decide"
                    " balanced parentheses: there is no automaton"
                )
        return certify_counter(checkpoint, network, temperature, asked, certificate, as_json)
    if asked:
        option = "--" + next(iter(asked)).replace("_", "-")
        raise InputError(
            f"{option} is for a network with a cell state, and {checkpoint} is of kind {network.kind}"
        )
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
        return DFA.from_wfsa(files.read(path)).over(alphabet, "the network")
    except InputError as error:
        raise InputError(f"{path}: {str(error).removeprefix(f'{path}: ')}") from None
