"""A function that merges the ledgers of two hunts."""

from __future__ import annotations

from pathlib import Path

from automata.errors import InputError
from automata.io.files import write_whole
from ratproof.hunting.ledger_rows import Values, key_of, unequal
from ratproof.hunting.rounds import Round
from ratproof.hunting.store import FOLDER, NAME, HuntLedger, locked, require_same


def merge(into: Path, other: Path) -> dict[str, int]:
    """Add the rounds of the ledger in the folder ``other`` to the ledger in the folder ``into``.

    A round is identified by its seed, target and number.

    Returns:
        The number of rounds that were added, and the number of counterexample files that were copied.

    Raises:
        InputError: If one of the folders contains no ledger, if the installations of the ledgers differ, if
            the content of a counterexample file does not match its name, or if a round has different digests
            or verdicts in the two ledgers. In these cases, nothing is changed.
    """
    theirs = HuntLedger(other)
    HuntLedger(into).close()  # raises an error, without changes, if the folder contains no ledger
    with locked(into):
        ours = HuntLedger(into, grows=True)
        try:
            require_same(ours.path, ours.about(), theirs.about())
            rows = list(theirs.rows())
            _require_equal(ours, theirs, rows)
            files = _files(into, other, rows)
            for target, text in files.items():
                write_whole(target, text)
            with ours.at_once():
                new = sum(ours.put(row) for row in rows)
                for seed, name, rounds in theirs.planned():
                    ours.plan(seed, [name], rounds)
                for seed, name, number, why in theirs.given_up():
                    ours.give_up(seed, Round(name, number), why)
        finally:
            ours.close()
            theirs.close()
    return {"rows": new, "counterexamples": len(files)}


def _require_equal(ours: HuntLedger, theirs: HuntLedger, rows: list[Values]) -> None:
    own = {row[:3]: row for row in ours.rows()}
    for row in rows:
        different = unequal(row, own.get(row[:3], row))
        if different is not None:
            what, there, here = different
            raise InputError(
                f"{theirs.path}: {key_of(row)}: the {what} must be {here}, as in {ours.path}, got {there};"
                " nothing was merged"
            )


def _files(into: Path, other: Path, rows: list[Values]) -> dict[Path, str]:
    """Return the counterexample files that ``into`` does not have, as pairs of a new path and the text."""
    names = sorted({row[NAME] for row in rows if row[NAME] is not None})
    pairs = [(into / FOLDER / name, other / FOLDER / name) for name in names]
    return {target: source.read_text(encoding="utf-8") for target, source in pairs if not target.exists()}
