"""The storage of a hunt's results in a ledger: a folder with an SQLite file and counterexamples.

Only one process, the driver of the hunt, writes to a ledger. Stored results survive a crash of this process.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from sys import intern
from typing import Any

from automata.aliases import JsonObject
from automata.errors import FormatError, InputError, LimitReached, OutputError
from automata.io.files import write_whole
from automata.text.printable_text import printable
from ratproof.hunting.ledger_rows import COLUMNS, Values, key_of, require_count, require_round, unequal
from ratproof.hunting.rounds import Round, RoundRow
from ratproof.hunting.seal import begin, remove, require_sealed, write
from ratproof.jobs.installation import difference
from ratproof.ladder.counterexample_files import read

FILE, FOLDER, LOCK = "ledger.sqlite", "counterexamples", "lock"
FORMAT = "ratproof ledger 2"
MOST_LISTED = 1_000_000
"""Maximum number of unfinished rounds that are listed."""
_NAMES = ", ".join(COLUMNS)
NAME = COLUMNS.index("counterexample")


class Store:
    """The storage of a hunt without a ledger, which stores nothing."""

    def done(self, seed: int) -> set[Round]:
        """Return the finished rounds of this seed."""
        return set()

    def compared(self, seed: int) -> set[str]:
        """Return the targets whose finished rounds of this seed compared at least one case."""
        return set()

    def plan(self, seed: int, targets: Iterable[str], rounds: int) -> None:
        """Record that ``rounds`` rounds of each target are requested."""

    def add(self, seed: int, row: RoundRow, counterexample: Path | None) -> None:
        """Store the result of a round."""

    def give_up(self, seed: int, one: Round, why: str) -> None:
        """Record that a round is abandoned."""

    def keep(self, data: JsonObject) -> Path | None:
        """Store a counterexample and return its file.

        The result is ``None`` if nothing was stored. The caller must then write a file.
        """
        return None

    def findings(self, seed: int) -> list[tuple[Round, Path | None, str]]:
        """Return the rounds of this seed that have a counterexample or an error.

        Each item is a round, the file of its counterexample or ``None``, and its error message.
        """
        return []


class HuntLedger(Store):
    """A folder with the results of a hunt.

    Args:
        folder: The folder, which is created if it does not exist.
        about: The properties that all rounds share: installation, variant, device. ``None`` to read an
            existing ledger, which may be read-only.
        grows: Whether to write to an existing ledger if ``about`` is ``None``.

    Raises:
        InputError: If the folder contains no valid ledger, or the ledger belongs to another hunt or is in
            use.
    """

    def __init__(self, folder: Path, about: JsonObject | None = None, grows: bool = False) -> None:
        self.folder, self.path = folder, folder / FILE
        self.grows = grows or about is not None
        if about is None and not self.path.is_file():
            raise InputError(f"{folder}: the folder of a hunt must contain {FILE}")
        try:
            self._open(about)
        except OutputError as error:  # fail before any work
            raise InputError(str(error)) from None

    def _open(self, about: JsonObject | None) -> None:
        with self._refused():
            if about is not None:
                self.folder.mkdir(parents=True, exist_ok=True)
            begun = self.path.exists() and self._is_begun(about)  # fail before anything is written
            if self.grows:
                self.data = _to_write(self.path, about is not None)
        if about is not None and not begun:
            self._begin({"format": FORMAT, **about})

    def _is_begun(self, about: JsonObject | None) -> bool:
        """Open the ledger for reading and validate it; return ``False`` if it has no tables yet.

        A ledger has no tables if its hunt was killed before it created them.
        """
        with ExitStack() as opened:
            self.data = _to_read(self.path)
            opened.callback(self.data.close)
            if self.grows and not self.data.execute("SELECT name FROM sqlite_master").fetchall():
                return False
            self._require_sound()
            require_same(self.path, self.about(), about or {})
            if not self.grows:
                opened.pop_all()
            return True

    def _begin(self, about: JsonObject) -> None:
        """Create the tables of a new ledger in one transaction."""
        with self.at_once():
            begin(self.data)
            for name, value in about.items():
                write(self.data, self.path, "about", (name, json.dumps(value)))

    def _require_sound(self) -> None:
        """Raise :class:`~automata.errors.FormatError` if the ledger is invalid."""
        query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'about'"
        if not self._all(query):
            raise FormatError(f"{self.path}: the file must be a ledger of a hunt, got another database")
        if self.about().get("format") != FORMAT:
            raise FormatError(
                f"{self.path}: the format of the ledger must be {FORMAT!r}, of this version of ratproof"
            )
        with self.at_once("BEGIN"):
            require_sealed(self.data, self.path)
        self.planned()
        self.given_up()
        names: dict[str, str] = {}
        for row in self.rows():
            if row[NAME] is not None:
                names.setdefault(row[NAME], key_of(row))
        for name, of in names.items():
            self._require_file(name, of)

    def _require_file(self, name: str, of: str) -> None:
        """Raise :class:`~automata.errors.FormatError` if a counterexample does not match its file name."""
        path = self.folder / FOLDER / name
        try:
            data = read(path)
        except InputError as error:
            raise FormatError(f"{error}; it belongs to a row of {self.path} ({of})") from None
        if name_of(data) != name:
            raise FormatError(
                f"{path}: the content does not match the file name; it belongs to a row of {self.path}"
            )

    @contextmanager
    def at_once(self, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
        """Run the block in one transaction, or as part of an outer transaction.

        A block that only reads can begin with ``BEGIN``. It does not see rows that a hunt adds meanwhile.
        """
        if self.data.in_transaction:
            yield
            return
        with self._refused():
            self.data.execute(begin)
            try:
                yield
            except BaseException:
                self.data.execute("ROLLBACK")
                raise
            self.data.execute("COMMIT")

    def about(self) -> JsonObject:
        """Return the properties that all rounds of the ledger share, such as installation and device."""
        with self._refused():
            try:
                rows = self.data.execute("SELECT name, value FROM about").fetchall()
                return {name: json.loads(value) for name, value in rows}
            except (ValueError, TypeError):
                raise FormatError(f"{self.path}: the table 'about' must contain JSON") from None

    def close(self) -> None:
        """Close the ledger, and merge the files of SQLite into one.

        The ledger can then be read even if its folder is read-only.

        Raises:
            OutputError: If the ledger was changed by another program.
        """
        with self._refused():
            try:
                if self.grows:
                    self._finish()
            finally:
                self.data.close()

    def _finish(self) -> None:
        try:
            require_sealed(self.data, self.path)
        except FormatError as error:
            raise OutputError(f"{error}; the results of this run are lost") from None
        self.data.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with suppress(sqlite3.OperationalError):  # another process reads the ledger
            self.data.execute("PRAGMA journal_mode=DELETE")

    def done(self, seed: int) -> set[Round]:
        """Return the rounds of this seed that have a row in the table of rounds.

        Raises:
            FormatError: If a row is invalid.
        """
        # iterate over the rows and intern the names, because there may be millions of rows
        return {Round(intern(row[1]), row[2]) for row in self.rows(seed)}

    def compared(self, seed: int) -> set[str]:
        """Return the targets whose finished rounds of this seed compared at least one case."""
        query = "SELECT DISTINCT target FROM rounds WHERE seed = ? AND cases > 0"
        return {target for (target,) in self._all(query, (seed,))}

    def plan(self, seed: int, targets: Iterable[str], rounds: int) -> None:
        """Record that at least ``rounds`` rounds of each target are requested."""
        query = "SELECT rounds FROM planned WHERE seed = ? AND target = ?"
        with self.at_once():
            for target in targets:
                there = self.data.execute(query, (seed, target)).fetchone()
                if there is None or there[0] < rounds:
                    write(self.data, self.path, "planned", (seed, target, rounds))

    def add(self, seed: int, row: RoundRow, counterexample: Path | None) -> None:
        """Store the result of a round.

        If the ledger already has a result of this round, the new result is dropped.

        Raises:
            InputError: If the digests or verdicts of the two results differ.
        """
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

    def put(self, values: Values) -> bool:
        """Store a row in the table of rounds, and return whether its round is new.

        Raises:
            InputError: If the table has a row of the same round with another digest or verdict.
        """
        key = values[:3]
        with self.at_once():
            query = f"SELECT {_NAMES} FROM rounds WHERE seed = ? AND target = ? AND number = ?"
            there = self.data.execute(query, key).fetchone()
            different = None if there is None else unequal(there, values)
            if different is not None:
                what, own, other = different
                raise InputError(
                    f"{self.path}: {key_of(values)} has two values of the {what}, {own} and {other}, but a"
                    " round is deterministic"
                )
            if there is None:
                write(self.data, self.path, "rounds", values)
                remove(self.data, self.path, "given_up", key)
        return there is None

    def give_up(self, seed: int, one: Round, why: str) -> None:
        """Record that a round is abandoned, for the report. The round runs again if it is requested again."""
        query = "SELECT 1 FROM rounds WHERE seed = ? AND target = ? AND number = ?"
        with self.at_once():
            if self.data.execute(query, (seed, one.target, one.number)).fetchone() is None:
                write(self.data, self.path, "given_up", (seed, one.target, one.number, why))

    def keep(self, data: JsonObject) -> Path:
        """Write a counterexample to a file whose name contains a hash of the contents; return its path."""
        path = self.folder / FOLDER / name_of(data)
        write_whole(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
        return path

    def findings(self, seed: int) -> list[tuple[Round, Path | None, str]]:
        """Return the rounds of this seed that have a counterexample or an error.

        Each item is a round, the file of its counterexample or ``None``, and its error message.
        """
        query = (
            "SELECT target, number, counterexample, why FROM rounds WHERE seed = ?"
            " AND (counterexample IS NOT NULL OR verdict = 'error') ORDER BY target, number"
        )
        return [
            (Round(target, number), None if name is None else self.folder / FOLDER / Path(name).name, why)
            for target, number, name, why in self._all(query, (seed,))
        ]

    def rows(self, seed: int | None = None) -> Iterator[Values]:
        """Yield the rows of the table of rounds, sorted by seed, target and number.

        By default, the rows of all seeds are included.

        Raises:
            FormatError: If a row is invalid.
        """
        with self._refused():
            of_seed, values = ("", ()) if seed is None else (" WHERE seed = ?", (seed,))
            query = f"SELECT {_NAMES} FROM rounds{of_seed} ORDER BY seed, target, number"
            for row in self.data.execute(query, values):
                require_round(row, self.path)
                yield row

    def incomplete(self) -> list[tuple[str, int]]:
        """Return the distinct rounds that were requested or abandoned and have no result.

        Each round is a pair of a target and a number.

        Raises:
            LimitReached: If there are too many rounds to list.
        """
        given_up = {Round(target, number) for _, target, number, _ in self.given_up()}
        planned = self.planned()
        ((done,),) = self._all("SELECT count(*) FROM rounds")
        if sum(rounds for *_, rounds in planned) - done > MOST_LISTED:
            raise LimitReached(
                f"{self.path}: more than {MOST_LISTED:,} requested rounds are not done, which are too"
                " many to list; run hunt again to continue"
            )
        for seed, target, rounds in planned:
            query = "SELECT number FROM rounds WHERE seed = ? AND target = ? AND number < ?"
            there = {number for (number,) in self._all(query, (seed, target, rounds))}
            given_up |= {Round(target, number) for number in range(rounds) if number not in there}
        return [(one.target, one.number) for one in sorted(given_up)]

    def given_up(self) -> list[Values]:
        """Return a row for each abandoned round: its seed, target and number, and why it was abandoned."""
        return self._counts("SELECT seed, target, number, why FROM given_up ORDER BY seed, target, number")

    def planned(self) -> list[Values]:
        """Return a row for each seed and target: the seed, the target, and how many rounds were requested."""
        return self._counts("SELECT seed, target, rounds FROM planned ORDER BY seed, target")

    def _counts(self, query: str) -> list[Values]:
        rows = self._all(query)
        for row in rows:
            require_count(row, self.path)
        return rows

    def digest(self) -> str:
        """Return a hash of all results that does not depend on their order.

        It includes the seed, target, number, digest and verdict of each round.
        """
        digest = hashlib.sha256()
        for row in self.rows():
            digest.update(json.dumps(row[:5], separators=(",", ":")).encode() + b"\n")
        return digest.hexdigest()

    def status(self) -> JsonObject:
        """Return a summary of the ledger that does not depend on running times or the machine."""
        query = "SELECT DISTINCT counterexample FROM rounds WHERE counterexample IS NOT NULL"
        with self.at_once("BEGIN"):
            ((count,),) = self._all("SELECT count(*) FROM rounds")
            return {
                "rows": count,
                "digest": self.digest(),
                "counterexamples": sorted(name for (name,) in self._all(query)),
                "incomplete": [list(one) for one in self.incomplete()],
            }

    def _all(self, query: str, values: Values = ()) -> list[Any]:
        with self._refused():
            return self.data.execute(query, values).fetchall()

    @contextmanager
    def _refused(self) -> Iterator[None]:
        """Convert errors of SQLite and of the operating system to errors with one-line messages."""
        try:
            yield
        except sqlite3.Error as error:
            message = printable(str(error))
            is_ledger = "no such" not in message and "decode" not in message
            if isinstance(error, sqlite3.OperationalError) and is_ledger:
                raise OutputError(f"{self.path}: {message}") from None
            raise FormatError(f"{self.path}: the file is not a ledger of a hunt ({message})") from None
        except UnicodeDecodeError:  # raised for an invalid message of SQLite
            raise FormatError(f"{self.path}: the ledger is damaged") from None
        except OSError as error:
            raise OutputError(f"{self.folder}: {error.strerror or error}") from None


def _to_write(path: Path, new: bool) -> sqlite3.Connection:
    data = sqlite3.connect(f"{path.absolute().as_uri()}?mode={'rwc' if new else 'rw'}", uri=True)
    data.isolation_level = None
    data.execute("PRAGMA journal_mode=WAL")
    data.execute("PRAGMA synchronous=NORMAL")
    return data


def _to_read(path: Path) -> sqlite3.Connection:
    """Open a ledger for reading.

    If a ledger was not closed and its folder is read-only, SQLite can only open it as immutable.
    """
    where = path.absolute().as_uri()
    data = sqlite3.connect(f"{where}?mode=ro", uri=True)
    try:
        data.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        if path.with_name(f"{path.name}-wal").exists():
            raise
        data.close()
        return sqlite3.connect(f"{where}?mode=ro&immutable=1", uri=True)
    return data


@contextmanager
def locked(folder: Path, option: str = "") -> Iterator[None]:
    """Lock the ledger in the folder against other writers within the block.

    Raises:
        InputError: If another process writes to it, or the folder is read-only.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK, timeout=0)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise InputError(f"{option}{folder} is in use by another hunt; use another folder") from None
    except OSError as error:
        raise InputError(f"{option}{folder} cannot be written: {error.strerror or error}") from None
    try:
        yield
    finally:
        lock.release()


def name_of(counterexample: JsonObject) -> str:
    """Return the file name of a counterexample.

    The name has the claim, the variant, and a hash of the contents except the field ``versions``.
    """
    content = {name: value for name, value in counterexample.items() if name != "versions"}
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
    return f"{counterexample['claim']}--{counterexample['variant']}--{digest}.json"


def require_same(path: Path, stored: JsonObject, about: JsonObject) -> None:
    """Raise :class:`~automata.errors.InputError` if the properties of a ledger are not those of the hunt.

    Args:
        path: The path of the ledger.
        stored: The properties that the ledger stores.
        about: The properties of the hunt.
    """
    for name, value in about.items():
        other = stored.get(name)
        if other == value:
            continue
        if name == "installation" and isinstance(other, dict):
            raise InputError(
                f"{path} was created with a different installation, whose random examples differ"
                f" ({difference(value, other)}); use another folder"
            )
        raise InputError(
            f"{path}: {name} must be {value!r:.60}, as requested, got {other!r:.60} in its rounds; use"
            " another folder"
        )
