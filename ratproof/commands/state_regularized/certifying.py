"""The implementation of ``ratproof certify``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from automata.aliases import JsonObject, Symbol
from automata.dfa import DFA
from automata.errors import FormatError, InputError, OutputError
from automata.io import files
from neural.checkpoints import kind_of
from neural.state_regularized.acceptor import Acceptor
from neural.state_regularized.files import load as load_network
from ratproof.certification.counters.certify import CounterCertification, certify_counter
from ratproof.certification.counters.numbers import counts
from ratproof.certification.ordinary_networks.certify import OrdinaryCertification
from ratproof.certification.soft_networks.certify import Certification
from ratproof.certification.soft_networks.certify import certify as decide
from ratproof.commands.deciding import write_json
from ratproof.commands.state_regularized.networks import numbers_at, read_automaton
from ratproof.commands.terminal import naming, note_unwritten, print_answer, progress
from ratproof.process.exit_statuses import NO, UNKNOWN, YES
from ratproof.process.outputs import require_outputs
from ratproof.report import certification, counters

EXIT = {"certified": YES, "different": NO, "unknown": UNKNOWN}


@dataclass(frozen=True)
class CertifyOptions:
    """The arguments and options of ``ratproof certify``; None means that an option is not used.

    Attributes:
        checkpoint: The file of the network.
        against: The file of the automaton, or of the rules.
        output: The file for the automaton.
        certificate: The file for the certificate.
        kernel: The file for the theorem in Coq.
        html: The HTML file.
        command: The command line, which the HTML file shows.
        as_json: Whether to print one JSON object.
        file_format: The format of the automaton's file; None to infer it from the name.
        temperature: The temperature; None for the network's own.
        limits: The options that require a network with a cell state, by name.
        state_dict: ``--cell`` and the options that require it, by name.
    """

    checkpoint: str
    against: str | None
    output: str | None
    certificate: str | None
    kernel: str | None
    html: str | None
    command: str
    as_json: bool
    file_format: str | None
    temperature: float | None
    limits: Mapping[str, int | None]
    state_dict: Mapping[str, Any]

    def require_outputs(self, *more: str | None) -> None:
        """Raise InputError if an output cannot be written or is an input; ``more`` are further inputs."""
        outputs = {"-o": self.output, "--certificate": self.certificate}
        outputs |= {"--kernel-file": self.kernel, "--html": self.html}
        require_outputs(outputs, reads=(self.checkpoint, self.against, *more))


def certify(options: CertifyOptions) -> int:
    """Certify a network, write and print the result, and return the exit status."""
    checkpoint, output, kernel = options.checkpoint, options.output, options.kernel
    refuse_options(options.state_dict, "--cell, because they are about a state dict")
    network = _load(checkpoint)
    limits_passed = {name: value for name, value in options.limits.items() if value is not None}
    if counts(network):
        for name, value in (("--against", options.against), ("-o", output), ("--kernel", kernel)):
            if value is not None:
                raise InputError(
                    f"{name} is not supported for {checkpoint}, because a network of kind {network.kind} is"
                    " certified for the language of balanced parentheses"
                )
        return _certify_counter(options, network, limits_passed)
    if limits_passed:
        option = "--" + next(iter(limits_passed)).replace("_", "-")
        raise InputError(
            f"{option} requires a network with a cell state, got {checkpoint} of kind {network.kind}"
        )
    if output is not None:
        files.require_writable(output)
    numbers = numbers_at(checkpoint, network, options.temperature)
    if kernel is not None:
        from ratproof.coq import soft_network

        with naming(checkpoint):
            soft_network.require_supported(numbers.similarity)
        soft_network.require_file(kernel)  # reports a missing Coq before the proof
    options.require_outputs()
    against = options.against
    dfa = None if against is None else _dfa(against, numbers.alphabet, options.file_format)
    with progress("certify") as report_progress:
        answer = decide(
            network,
            numbers.temperature,
            dfa,
            lambda done, of: report_progress(f"proving node {done + 1} of {of}"),
            report_progress,
        )
        proved, refusal = answer.nodes is not None, "no boxes were proved"
        if kernel is not None and proved:
            report_progress("Coq checks the boxes")
            refusal = soft_network.write(kernel, answer, checkpoint)
    accepted = kernel if proved and not refusal else None
    if output is not None and proved:  # written first, because the format may not support a symbol
        assert answer.language is not None
        files.write(answer.language.to_wfsa(), output)
    certificate = options.certificate if proved else None
    if certificate is not None:
        write_json(certificate, answer.certificate())
    data = certification.as_json_object(answer, certificate, accepted)
    lines = list(certification.sentences(answer, against))
    if accepted is not None:
        lines.append(certification.kernel_sentence(accepted, soft_network.THEOREM))
    print_all(data, lines, options, proved)
    if kernel is not None and accepted is None:
        note_unwritten(kernel, refusal)
    return finish(answer, options, lines)


def refuse_options(options: Mapping[str, object], needs: str) -> None:
    """Raise InputError if one of the options has a value.

    Args:
        options: The options by name; None is not a value.
        needs: What the options require, as the end of the error message.
    """
    names = [f"--{name.replace('_', '-')}" for name, value in options.items() if value is not None]
    if names:
        raise InputError(f"{' and '.join(names)} require{'s' * (len(names) == 1)} {needs}")


def _load(checkpoint: str) -> Acceptor:
    """Load a network that ratproof saved; for other files, raise an error that explains ``--cell``."""
    try:
        return load_network(checkpoint)[0]
    except FormatError as error:
        if "state dict" in str(error) or not Path(checkpoint).is_file() or kind_of(checkpoint) is not None:
            raise
        raise FormatError(
            f"{error}; pass --cell for the state dict of an nn.RNN, nn.GRU or nn.LSTM"
        ) from None


def _certify_counter(options: CertifyOptions, network: Acceptor, limits: dict[str, int]) -> int:
    """Certify a network with a cell state for the language of balanced parentheses.

    The keys of ``limits`` are among height, length and saturated_height.
    """
    options.require_outputs()
    temperature = options.temperature
    if temperature is not None and not 0 < temperature < float("inf"):
        raise InputError(f"--temperature must be positive, got {temperature}")
    with naming(options.checkpoint), progress("certify") as report_progress:
        answer = certify_counter(
            network,
            temperature,
            **limits,
            progress=lambda done, of: report_progress(f"proving node {done + 1} of {of}"),
            stage=report_progress,
        )
    proved = bool(answer.proved)
    certificate = options.certificate if proved else None
    if certificate is not None:
        write_json(certificate, answer.certificate())
    lines = list(counters.sentences(answer))
    print_all(counters.as_json_object(answer, certificate), lines, options, proved)
    return finish(answer, options, lines)


def finish(
    answer: Certification | CounterCertification | OrdinaryCertification,
    options: CertifyOptions,
    sentences: Sequence[str],
) -> int:
    """Write the HTML file if one was requested, and return the exit status."""
    if options.html is not None:
        from ratproof.html.certification_page import certification_page
        from ratproof.html.page import write_html

        page = certification_page(answer.verdict, options.checkpoint, sentences, answer, options.command)
        why = write_html(page, options.html)
        if why:
            raise OutputError(why)
    return EXIT[answer.verdict]


def print_all(
    data: JsonObject, sentences: Iterable[str], options: CertifyOptions, proved: bool, what: str = "boxes"
) -> None:
    """Print a result, and the paths of the files that were written.

    Without a proof, no file is written. The text then says that no ``what`` were proved.
    """
    written = "wrote {}" if proved else f"{{}} is not written: no {what} were proved"
    paths = filter(None, (options.certificate, options.output))
    print_answer(options.as_json, data, "\n".join([*sentences, *map(written.format, paths)]))


def _dfa(path: str, alphabet: Sequence[Symbol], file_format: str | None = None) -> DFA:
    """Read a DFA from a file and extend it to the network's alphabet."""
    try:
        return read_automaton(path, file_format).over(alphabet, "the network")
    except InputError as error:
        raise InputError(f"{path}: {str(error).removeprefix(f'{path}: ')}") from None
