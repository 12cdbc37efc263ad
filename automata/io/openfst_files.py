"""Reader for OpenFst's binary files, by pynini."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pynini

from automata.errors import FormatError, InputError
from automata.io.openfst import ARC_TYPES, from_openfst
from automata.semirings import Semiring
from automata.text.number_text import shorten
from automata.wfsa import WFSA

MAGIC = b"\xd6\xfd\xb2\x7e"
"""The first bytes of every OpenFst file."""


def loads(
    data: bytes, semiring: Semiring | None, symbols: Mapping[str, int] | None, where: str = "fst"
) -> WFSA:
    """Return the automaton of a binary OpenFst acceptor, exact unless the semiring is log.

    Args:
        data: the bytes of the file.
        semiring: the semiring. Defaults to min-plus for arc type ``standard``, and to log for ``log`` and
            ``log64``.
        symbols: the label of each symbol. Defaults to the table in the file; if there is none, labels are
            symbols.
        where: the name of the file in error messages.

    Raises :class:`~automata.errors.FormatError` if the data is not such a file.
    """
    if not data.startswith(MAGIC):
        raise FormatError(
            f"{where}: the file must be a binary OpenFst file; AT&T text must have the extension .att or .txt"
        )
    try:
        with _quiet():
            fst = pynini.Fst.read_from_string(data)
    except (pynini.FstArgError, pynini.FstIOError, pynini.FstOpError, RuntimeError, ValueError):
        raise FormatError(f"{where}: the file must be a complete vector FST that pynini supports") from None
    if fst.arc_type() not in ARC_TYPES:
        raise FormatError(
            f"{where}: the arc type must be one of {', '.join(ARC_TYPES)}, got {fst.arc_type()}"
        )
    labels = sorted({arc.ilabel for q in fst.states() for arc in fst.arcs(q)} - {0})
    if symbols is None and fst.input_symbols() is not None:
        inputs = dict(fst.input_symbols())
        outputs = inputs if fst.output_symbols() is None else dict(fst.output_symbols())
        for label in labels:
            if label in inputs and outputs.get(label) != inputs[label]:
                raise FormatError(
                    f"{where}: the FST must be an acceptor, but label {label} is {shorten(inputs[label])} in"
                    f" the input symbols and {shorten(outputs.get(label))} in the output symbols"
                )
        symbols = {name: number for number, name in inputs.items()}
    if symbols is None:
        names = {label: str(label) for label in labels}
    else:
        names = {number: name for name, number in symbols.items() if number}
    missing = [label for label in labels if label not in names]
    if missing:
        raise FormatError(f"{where}: label {missing[0]} is not in the symbol table")
    if len({*names.values(), ""}) <= len(names):
        raise FormatError(f"{where}: labels must have distinct, nonempty symbols, got {shorten(names)}")
    try:
        return from_openfst(fst, names, semiring, exact=True)
    except InputError as error:
        raise FormatError(f"{where}: {error}") from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress the messages that OpenFst writes to standard error."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
