"""What ``ratproof certify`` does with a network that has a cell state."""

from __future__ import annotations

from automata.errors import InputError
from neural.state_regularized.acceptor import Acceptor
from ratproof.certification.counters.certify import certify_counter as decide
from ratproof.commands.deciding import write_json
from ratproof.commands.terminal import progress
from ratproof.process.exit_statuses import NO, UNKNOWN, YES
from ratproof.process.json_answers import print_json
from ratproof.process.outputs import require_outputs
from ratproof.report.counters import as_json_object, sentences

EXIT = {"certified": YES, "different": NO, "unknown": UNKNOWN}


def certify_counter(
    checkpoint: str,
    network: Acceptor,
    temperature: float | None,
    limits: dict[str, int],
    certificate: str | None,
    as_json: bool,
) -> int:
    """Prove it, and write and print what came out; the exit status.

    ``limits`` are the height, length and saturated_height that were asked for.
    """
    require_outputs({"--certificate": certificate}, reads=(checkpoint,))
    if temperature is not None and not 0 < temperature < float("inf"):
        raise InputError(f"--temperature is {temperature}, where a positive number is right")
    try:
        with progress("certify") as tell:
            answer = decide(
                network,
                temperature,
                **limits,
                tell=lambda done, of: tell(f"proving node {done + 1} of {of}"),
                stage=tell,
            )
    except InputError as error:
        raise error.about(checkpoint) from None
    proved = bool(answer.proved)
    if certificate is not None and proved:
        write_json(certificate, answer.certificate())
    if as_json:
        print_json(as_json_object(answer, certificate if proved else None))
    else:
        print("\n".join(sentences(answer)))
        if certificate is not None:
            print(f"  {certificate}" if proved else f"  {certificate} is not written: no boxes were proved")
    return EXIT[answer.verdict]
