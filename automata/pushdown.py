"""Deterministic pushdown automata (DPDAs)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from automata.aliases import String
from automata.checks import checked_alphabet, checked_state, listed
from automata.errors import InputError
from automata.symbols import EPSILON, known_symbols, unknown_symbol
from automata.text.number_text import shorten

Place = tuple[int, Hashable, Hashable]
"""The condition of a move: a state, a symbol to read (``""`` for none), and the top symbol of the stack."""


class Configuration(NamedTuple):
    """A configuration of a DPDA: its state and its stack, bottom first."""

    state: int
    stack: tuple[Hashable, ...]


@dataclass(frozen=True)
class Pushdown:
    """A DPDA <states, alphabet, stack alphabet, delta, start, bottom, final>.

    Section 2 of Wang & Niepert 2019 calls it "PDA". Each configuration has at most one move. A move replaces
    the symbol on top of the stack by other symbols. A string is accepted if the automaton is in an accept
    state after reading it and making all moves that read nothing. If there is no move, it is rejected.

    >>> moves = {(0, "a", "."): (0, (".", "a")), (0, "a", "a"): (0, ("a", "a")), (0, "b", "a"): (1, ())}
    >>> moves |= {(1, "b", "a"): (1, ()), (1, "", "."): (2, ())}
    >>> as_many = Pushdown("ab", 3, 0, ".", moves, {2})  # a ... a b ... b, with as many b as a
    >>> as_many.accepts("aabb"), as_many.accepts("aab"), as_many.run("aab")[-1]
    (True, False, Configuration(state=1, stack=('.', 'a')))

    DPDAs are a reference for networks with a memory (section 4.2 of the paper). The palindromes of that
    section, w followed by w reversed, have no DPDA. This is a known theorem, which is not verified here. If a
    marker separates w from its reversal, there is a DPDA.

    Args:
        alphabet: the input symbols, any hashable values except ``""``.
        states: n; the states are 0 to n - 1.
        start: the start state.
        bottom: the initial stack symbol.
        moves: a map from a state, a symbol or ``""``, and the top of the stack to the next state and the
            symbols that replace the top, lowest first. A move that reads nothing pushes at most one symbol,
            and such moves must not form a cycle.
        final: the accept states.

    Raises:
        InputError: If a state or a symbol is invalid, two moves apply to one configuration, or moves that
            read nothing push several symbols or form a cycle.
    """

    alphabet: tuple[Hashable, ...]
    states: int
    start: int
    bottom: Hashable
    moves: Mapping[Place, tuple[int, tuple[Hashable, ...]]]
    final: frozenset[int]

    def __post_init__(self) -> None:
        symbols, n = checked_alphabet(self.alphabet), self.states
        moves = {key: _checked(key, move, symbols, n) for key, move in self.moves.items()}
        epsilon_moves = {(q, top): move for (q, symbol, top), move in moves.items() if symbol == EPSILON}
        for q, symbol, top in moves:
            if symbol != EPSILON and (q, top) in epsilon_moves:
                raise InputError(
                    f"state {q} with {shorten(top)} on top must have one applicable move, got one that reads"
                    f" {shorten(symbol)} and one that reads nothing"
                )
        for q, top in epsilon_moves:
            _require_end(epsilon_moves, q, top)
        for name, value in [
            ("alphabet", symbols),
            ("start", checked_state(self.start, n, "start")),
            ("moves", moves),
            ("final", frozenset(checked_state(q, n, "final") for q in listed(self.final, "final"))),
        ]:
            object.__setattr__(self, name, value)

    def run(self, string: String) -> list[Configuration | None]:
        """Return the T + 1 configurations for a string of T symbols.

        Each is the configuration after all epsilon moves, or ``None`` after the run is stuck.
        """
        now = self._after_epsilon(Configuration(self.start, (self.bottom,)))
        configurations: list[Configuration | None] = [now]
        for symbol in known_symbols(self.alphabet, string):
            configurations.append(self.step(configurations[-1], symbol))
        return configurations

    def step(self, now: Configuration | None, symbol: Hashable) -> Configuration | None:
        """Return the configuration after a symbol and all epsilon moves, or ``None`` after a stuck run."""
        after = None if now is None else self._move(now, symbol)
        return None if after is None else self._after_epsilon(after)

    def accepts(self, string: String) -> bool:
        """Return whether the string ends in an accept state."""
        last = self.run(string)[-1]
        return last is not None and last.state in self.final

    def _move(self, now: Configuration, symbol: Hashable) -> Configuration | None:
        """Return the configuration after the move at a symbol, or ``None``; an empty stack allows no move."""
        if not now.stack or (now.state, symbol, now.stack[-1]) not in self.moves:
            return None
        state, pushed = self.moves[now.state, symbol, now.stack[-1]]
        return Configuration(state, (*now.stack[:-1], *pushed))

    def _after_epsilon(self, now: Configuration) -> Configuration:
        """Return the configuration after all moves that read nothing."""
        after: Configuration | None = now
        while after is not None:
            now, after = after, self._move(after, EPSILON)
        return now


def _checked(
    key: object, move: object, symbols: tuple[Hashable, ...], n: int
) -> tuple[int, tuple[Hashable, ...]]:
    where = f"the move at {shorten(key)}"
    if not isinstance(key, tuple) or len(key) != 3 or not isinstance(move, tuple) or len(move) != 2:
        raise InputError(f"{where} must map (state, symbol, top) to (state, pushed), got {shorten(move)}")
    checked_state(key[0], n, where)
    if key[1] != EPSILON and key[1] not in symbols:
        raise unknown_symbol(symbols, key[1], f"{where}: ")
    pushed = tuple(listed(move[1], f"{where} pushes"))
    if key[1] == EPSILON and len(pushed) > 1:
        raise InputError(f"{where} reads nothing and must push at most one symbol, got {len(pushed)}")
    return checked_state(move[0], n, where), pushed


def _require_end(
    epsilon_moves: Mapping[tuple[int, Hashable], tuple[int, tuple[Hashable, ...]]], q: int, top: Hashable
) -> None:
    """Raise InputError if moves that read nothing and do not change the stack's height form a cycle."""
    first, seen = (q, top), set[tuple[int, Hashable]]()
    here: tuple[int, Hashable] = first
    while here in epsilon_moves and epsilon_moves[here][1]:
        seen.add(here)
        state, (symbol,) = epsilon_moves[here]
        here = state, symbol
        if here in seen:
            raise InputError(
                f"state {first[0]} with {shorten(first[1])} on top: moves that read nothing must not form"
                " a cycle"
            )
