"""The seal of a ledger: a checksum of all its tables.

The ledger stores the seal, which is verified when the ledger is opened or closed. The seal is the sum, modulo
2^256, of the SHA-256 hashes of all rows of all tables. Each transaction that writes or removes a row also
updates the seal. Thus the seal detects rows that another program changed, removed or added. It is not a
signature, because anyone can compute it.
"""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from pathlib import Path

from automata.errors import FormatError, OutputError
from automata.text.number_text import shorten

KEYS = {"about": ("name",), "planned": ("seed", "target"), "given_up": ("seed", "target", "number")} | {
    "rounds": ("seed", "target", "number")
}
"""The sealed tables and their key columns. The key columns are the first columns of each table."""
TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE rounds (
  seed INTEGER NOT NULL, target TEXT NOT NULL, number INTEGER NOT NULL, digest TEXT NOT NULL,
  verdict TEXT NOT NULL, cases INTEGER NOT NULL, seconds REAL NOT NULL, way TEXT NOT NULL,
  corners TEXT NOT NULL, counterexample TEXT, why TEXT NOT NULL, PRIMARY KEY (seed, target, number));
CREATE TABLE planned (
  seed INTEGER NOT NULL, target TEXT NOT NULL, rounds INTEGER NOT NULL, PRIMARY KEY (seed, target));
CREATE TABLE given_up (
  seed INTEGER NOT NULL, target TEXT NOT NULL, number INTEGER NOT NULL, why TEXT NOT NULL,
  PRIMARY KEY (seed, target, number));
CREATE TABLE seal (value TEXT NOT NULL);
"""
_SIZE = 1 << 256
_SEAL = re.compile(r"[0-9a-f]{64}")
Values = tuple[object, ...]


def begin(data: sqlite3.Connection) -> None:
    """Create the empty tables of a ledger, and their seal."""
    for table in TABLES.split(";"):
        data.execute(table)
    data.execute("INSERT INTO seal VALUES (?)", (f"{0:064x}",))


def write(data: sqlite3.Connection, path: Path, table: str, values: Values) -> None:
    """Write a row to a table of a ledger, and update the seal.

    The row replaces any row with the same key. It is then read again, to check that SQLite stored it
    unchanged.

    Raises:
        OutputError: If the row that SQLite stored differs.
    """
    where = _where(table)
    key = values[: len(KEYS[table])]
    remove(data, path, table, key)
    marks = ", ".join("?" * len(values))
    data.execute(f"INSERT INTO {table} VALUES ({marks})", values)
    if data.execute(f"SELECT * FROM {table}{where}", key).fetchall() != [values]:
        raise OutputError(f"{path}: a row that was written to {table} cannot be read back")
    _change(data, path, hash_of(table, values))


def remove(data: sqlite3.Connection, path: Path, table: str, key: Values) -> None:
    """Remove the row with this key from a table of a ledger, if there is one, and update the seal."""
    where = _where(table)
    for row in data.execute(f"SELECT * FROM {table}{where}", key).fetchall():
        data.execute(f"DELETE FROM {table}{where}", key)
        _change(data, path, -hash_of(table, row))


def _where(table: str) -> str:
    return " WHERE " + " AND ".join(f"{name} = ?" for name in KEYS[table])


def _change(data: sqlite3.Connection, path: Path, by: int) -> None:
    data.execute("UPDATE seal SET value = ?", (f"{(_kept(data, path) + by) % _SIZE:064x}",))


def _kept(data: sqlite3.Connection, path: Path) -> int:
    rows = data.execute("SELECT value FROM seal").fetchall()
    if len(rows) != 1 or not isinstance(rows[0][0], str) or not _SEAL.fullmatch(rows[0][0]):
        raise FormatError(f"{path}: a ledger must have a seal")
    return int(rows[0][0], 16)


def hash_of(table: str, row: Values) -> int:
    """Return the SHA-256 hash of a row and the name of its table, as an integer."""
    return int.from_bytes(hashlib.sha256(json.dumps([table, *row]).encode()).digest())


def require_sealed(data: sqlite3.Connection, path: Path) -> None:
    """Raise :class:`~automata.errors.FormatError` if a program other than a hunt changed the ledger.

    This is the case if a table, index, view or trigger differs, if SQLite detects damage, or if the seal does
    not match.
    """
    extra = _schema(data) ^ _EXPECTED
    if extra:
        kind, name, *_ = min(extra)
        raise FormatError(f"{path}: the file is not a ledger of a hunt: {kind} {name!r:.60} is invalid")
    ((status,),) = data.execute("PRAGMA integrity_check(1)").fetchall()
    if status != "ok":
        raise FormatError(f"{path}: the file is damaged ({shorten(str(status))})")
    total = 0
    for table in KEYS:
        for row in data.execute(f"SELECT * FROM {table} NOT INDEXED"):
            try:
                total += hash_of(table, row)
            except TypeError:
                raise FormatError(f"{path}: the table {table} has an invalid row") from None
    if total % _SIZE != _kept(data, path):
        raise FormatError(
            f"{path}: the seal does not match the rows, so the file was changed by another program"
        )


def _schema(data: sqlite3.Connection) -> set[tuple[str, str, str, str]]:
    rows = data.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master")
    return {(str(kind), str(name), str(table), str(sql)) for kind, name, table, sql in rows}


def _expected() -> set[tuple[str, str, str, str]]:
    data = sqlite3.connect(":memory:")
    try:
        begin(data)
        return _schema(data)
    finally:
        data.close()


_EXPECTED = _expected()
