"""What was done: in memory, or in a ledger, an SQLite file in a folder, with counterexamples beside it.

One process writes a ledger, the driver; what it has taken in is there whatever is killed afterwards.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from automata.errors import FormatError, InputError, OutputError
from automata.files import write_whole
from ratproof.hunting.installation import difference
from ratproof.hunting.rounds import Round, Row

FILE, FOLDER, LOCK = "ledger.sqlite", "counterexamples", "lock"
FORMAT = "ratproof ledger 1"
_TABLES = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS rounds (
  seed INTEGER NOT NULL, target TEXT NOT NULL, number INTEGER NOT NULL, digest TEXT NOT NULL,
  verdict TEXT NOT NULL, cases INTEGER NOT NULL, seconds REAL NOT NULL, way TEXT NOT NULL,
  corners TEXT NOT NULL, counterexample TEXT, why TEXT NOT NULL, PRIMARY KEY (seed, target, number));
CREATE TABLE IF NOT EXISTS planned (
  seed INTEGER NOT NULL, target TEXT NOT NULL, rounds INTEGER NOT NULL, PRIMARY KEY (seed, target));
CREATE TABLE IF NOT EXISTS given_up (
  seed INTEGER NOT NULL, target TEXT NOT NULL, number INTEGER NOT NULL, why TEXT NOT NULL,
  PRIMARY KEY (seed, target, number));
"""


class Store(Protocol):
    """Where rows go."""

    def done(self, seed: int) -> set[Round]:
        """The rounds of that seed that need not be run."""

    def plan(self, seed: int, targets: Iterable[str], rounds: int) -> None:
        """So many rounds of each target are asked for."""

    def add(self, seed: int, row: Row, counterexample: Path | None) -> None:
        """Take in a row."""

    def give_up(self, seed: int, one: Round, why: str) -> None:
        """A round cannot be done."""

    def keep(self, data: dict[str, Any]) -> Path | None:
        """Keep a counterexample, where the store does so itself."""

    def found(self, seed: int) -> list[tuple[Round, Path | None, str]]:
        """The rounds of that seed that found something: a counterexample's file, or why there was none."""


class Memory:
    """A hunt without a ledger."""

    def done(self, seed: int) -> set[Round]:
        """None."""
        return set()

    def plan(self, seed: int, targets: Iterable[str], rounds: int) -> None:
        """Nothing."""

    def add(self, seed: int, row: Row, counterexample: Path | None) -> None:
        """Nothing."""

    def give_up(self, seed: int, one: Round, why: str) -> None:
        """Nothing."""

    def keep(self, data: dict[str, Any]) -> Path | None:
        """The hunt keeps it."""
        return None

    def found(self, seed: int) -> list[tuple[Round, Path | None, str]]:
        """Nothing."""
        return []


class Ledger:
    """A folder with what a hunt has done.

    Args:
        folder: it is made where it is not there.
        about: what all rounds of a ledger have in common: installation, variant, device; ``None`` to read
            one that is there.

    Raises :class:`~automata.errors.InputError`: it is no ledger, it is another's, or somebody writes to it.
    """

    def __init__(self, folder: Path, about: dict[str, Any] | None = None) -> None:
        self.folder, self.path = folder, folder / FILE
        if about is None and not self.path.is_file():
            raise InputError(f"{folder}: is no folder of a hunt: it has no {FILE}")
        with self._refused():
            if about is not None:
                folder.mkdir(parents=True, exist_ok=True)
            self.data = sqlite3.connect(self.path, isolation_level=None)
            if about is not None:
                self._require_free()
                self.data.execute("PRAGMA journal_mode=WAL")
                self.data.execute("PRAGMA synchronous=NORMAL")
                self.data.executescript(_TABLES)
        said = self.about()
        if about is None:
            if said.get("format") != FORMAT:
                raise FormatError(f"{self.path}: is no ledger of this version of ratproof ({FORMAT})")
            return
        if said:
            _require_same(self.path, said, {"format": FORMAT, **about})
        with self._refused():
            for name, value in {"format": FORMAT, **about}.items():
                self.data.execute("INSERT OR IGNORE INTO about VALUES (?, ?)", (name, json.dumps(value)))

    def _require_free(self) -> None:
        """Raise :class:`~automata.errors.FormatError` for a database that is somebody else's."""
        tables = {name for (name,) in self.data.execute("SELECT name FROM sqlite_master WHERE type='table'")}
        if tables and "about" not in tables:
            raise FormatError(f"{self.path}: is no ledger of a hunt, but another database")

    def about(self) -> dict[str, Any]:
        """What all its rounds have in common."""
        with self._refused():
            try:
                rows = self.data.execute("SELECT name, value FROM about").fetchall()
                return {name: json.loads(value) for name, value in rows}
            except (ValueError, TypeError):
                raise FormatError(f"{self.path}: what it says about itself is no JSON") from None

    def close(self) -> None:
        """Write all to one file."""
        with self._refused():
            self.data.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self.data.close()

    def done(self, seed: int) -> set[Round]:
        """The rounds of that seed that have a row."""
        query = "SELECT target, number FROM rounds WHERE seed = ?"
        return {Round(*row) for row in self._all(query, (seed,))}

    def plan(self, seed: int, targets: Iterable[str], rounds: int) -> None:
        """So many rounds of each target are asked for, or more, where more were."""
        query = (
            "INSERT INTO planned VALUES (?, ?, ?) ON CONFLICT (seed, target)"
            " DO UPDATE SET rounds = max(rounds, excluded.rounds)"
        )
        with self._refused():
            self.data.execute("BEGIN")
            self.data.executemany(query, [(seed, target, rounds) for target in targets])
            self.data.execute("COMMIT")

    def add(self, seed: int, row: Row, counterexample: Path | None) -> None:
        """Take in a row. A second one of the same round is left out; one with another digest is refused."""
        name = None if counterexample is None else counterexample.name
        self.put(
            (
                seed,
                row.target,
                row.number,
                row.digest,
                row.verdict,
                row.cases,
                row.seconds,
                row.way,
                json.dumps(row.corners),
                name,
                row.why,
            )
        )

    def put(self, values: tuple[Any, ...]) -> bool:
        """Take in a row of the table; was it not there?"""
        key = values[:3]
        with self._refused():
            query = "SELECT digest FROM rounds WHERE seed = ? AND target = ? AND number = ?"
            there = self.data.execute(query, key).fetchone()
            if there is not None and there[0] != values[3]:
                raise InputError(
                    f"{self.path}: seed {key[0]}, {key[1]}, round {key[2]} has the digest {there[0]}, and"
                    f" {values[3]} too: the examples of a round are always the same"
                )
            if there is None:
                self.data.execute(f"INSERT INTO rounds VALUES ({', '.join('?' * 11)})", values)
                self.data.execute("DELETE FROM given_up WHERE seed = ? AND target = ? AND number = ?", key)
        return there is None

    def give_up(self, seed: int, one: Round, why: str) -> None:
        """A round cannot be done: it is named, and done when it is asked for again."""
        with self._refused():
            self.data.execute(
                "INSERT OR REPLACE INTO given_up VALUES (?, ?, ?, ?)", (seed, one.target, one.number, why)
            )

    def keep(self, data: dict[str, Any]) -> Path:
        """Write a counterexample, in a file that is named after what it holds."""
        said = {name: value for name, value in data.items() if name != "versions"}
        digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]
        path = self.folder / FOLDER / f"{data['claim']}--{data['variant']}--{digest}.json"
        path.parent.mkdir(exist_ok=True)
        write_whole(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
        return path

    def found(self, seed: int) -> list[tuple[Round, Path | None, str]]:
        """The rounds of that seed with a counterexample, or with an error and what it says."""
        query = (
            "SELECT target, number, counterexample, why FROM rounds WHERE seed = ?"
            " AND (counterexample IS NOT NULL OR verdict = 'error') ORDER BY target, number"
        )
        return [
            (Round(target, number), None if name is None else self.folder / FOLDER / Path(name).name, why)
            for target, number, name, why in self._all(query, (seed,))
        ]

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """All rows of the table of rounds, sorted by seed, target and number."""
        yield from self._all("SELECT * FROM rounds ORDER BY seed, target, number")

    def incomplete(self) -> list[tuple[str, int]]:
        """The rounds that were asked for, or given up, and have no row; of all seeds, each once."""
        given_up = {Round(*row) for row in self._all("SELECT target, number FROM given_up")}
        for seed, target, rounds in self._all("SELECT * FROM planned"):
            query = "SELECT number FROM rounds WHERE seed = ? AND target = ? AND number < ?"
            there = {number for (number,) in self._all(query, (seed, target, rounds))}
            given_up |= {Round(target, number) for number in range(rounds) if number not in there}
        return [(one.target, one.number) for one in sorted(given_up)]

    def planned(self) -> list[tuple[Any, ...]]:
        """Seed, target and rounds of all that was asked for."""
        return self._all("SELECT * FROM planned ORDER BY seed, target")

    def digest(self) -> str:
        """Of the sorted rows: seed, target, number, digest and verdict."""
        whole = hashlib.sha256()
        query = "SELECT seed, target, number, digest, verdict FROM rounds ORDER BY seed, target, number"
        for row in self._all(query):
            whole.update(json.dumps(row, separators=(",", ":")).encode() + b"\n")
        return whole.hexdigest()

    def status(self) -> dict[str, Any]:
        """What was done, with nothing in it that a clock or a machine decides."""
        query = "SELECT DISTINCT counterexample FROM rounds WHERE counterexample IS NOT NULL"
        ((count,),) = self._all("SELECT count(*) FROM rounds")
        return {
            "rows": count,
            "digest": self.digest(),
            "counterexamples": sorted(name for (name,) in self._all(query)),
            "incomplete": [list(one) for one in self.incomplete()],
        }

    def _all(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        with self._refused():
            return self.data.execute(query, values).fetchall()

    @contextmanager
    def _refused(self) -> Iterator[None]:
        """What SQLite, or the system, says against it is one sentence."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if "no such" in str(error):
                raise FormatError(f"{self.path}: is no ledger of a hunt ({error})") from None
            raise OutputError(f"{self.path}: {error}") from None
        except sqlite3.Error as error:
            raise FormatError(f"{self.path}: is no ledger of a hunt ({error})") from None
        except OSError as error:
            raise OutputError(f"{self.folder}: {error.strerror or error}") from None


def _require_same(path: Path, said: dict[str, Any], about: dict[str, Any]) -> None:
    """Raises :class:`~automata.errors.InputError` where a ledger is another hunt's."""
    for name, value in about.items():
        other = said.get(name)
        if other == value:
            continue
        if name == "installation" and isinstance(other, dict):
            raise InputError(
                f"{path}: its rounds are of another installation, which draws other examples"
                f" ({difference(value, other)}); another folder is right"
            )
        raise InputError(
            f"{path}: its rounds have {name} {other!r:.60}, where {value!r:.60} is asked for; another folder"
            " is right"
        )


def merge(into: Path, other: Path) -> dict[str, int]:
    """Make a ledger the union of itself and another one, by seed, target and number.

    Returns:
        How many rows, and files, are new.

    Raises :class:`~automata.errors.InputError`: one is no ledger, they are of different installations, or
    have different digests for one round; then nothing was changed.
    """
    theirs = Ledger(other)
    ours = Ledger(into)
    about = theirs.about()
    _require_same(ours.path, ours.about(), about)
    rows, planned = list(theirs.rows()), theirs.planned()
    own = {row[:3]: row for row in ours.rows()}
    for row in rows:
        there = own.get(row[:3], row)
        for place, what in ((3, "digest"), (4, "verdict")):
            if there[place] != row[place]:
                raise InputError(
                    f"{theirs.path}: seed {row[0]}, {row[1]}, round {row[2]} has the {what} {row[place]},"
                    f" where {ours.path} has {there[place]}: one of the two is not what it says; nothing was"
                    " merged"
                )
    files = 0
    for row in rows:
        name = row[9]
        target = None if name is None else into / FOLDER / Path(name).name
        if target is not None and not target.exists():
            source = other / FOLDER / Path(name).name
            target.parent.mkdir(exist_ok=True)
            try:
                write_whole(target, source.read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError):
                raise FormatError(f"{source}: cannot be read, and a row of {theirs.path} names it") from None
            files += 1
    new = sum(ours.put(tuple(row)) for row in rows)
    for seed, target_name, rounds in planned:
        ours.plan(seed, [target_name], rounds)
    ours.close()
    theirs.close()
    return {"rows": new, "counterexamples": files}
