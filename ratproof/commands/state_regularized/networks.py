"""Functions that read networks and automata for several commands."""

from __future__ import annotations

from automata.dfa import DFA
from automata.errors import InputError
from automata.io import files
from automata.semirings import BOOLEAN
from neural.state_regularized.acceptor import Acceptor
from ratproof.certification.soft_networks.numbers import Numbers, numbers_of
from ratproof.commands.terminal import naming


def numbers_at(path: str, network: Acceptor, temperature: float | None) -> Numbers:
    """Return the exact weights of a network, at its own temperature if ``temperature`` is None."""
    if temperature is not None and not 0 < temperature < float("inf"):
        raise InputError(
            f"--temperature must be positive, got {temperature}; use ratproof extract for the"
            " automaton of the limit 0"
        )
    with naming(path):
        return numbers_of(network, temperature)


def read_automaton(path: str, file_format: str | None = None) -> DFA:
    """Read a DFA from a file. A file in a format without a semiring is read as boolean."""
    says_none = files.suffix_of(path, file_format) in files.WITHOUT_SEMIRING
    automaton = files.read(path, BOOLEAN if says_none else None, file_format=file_format)
    try:
        return DFA.from_wfsa(automaton)
    except InputError as error:
        raise error.about(path) from None
