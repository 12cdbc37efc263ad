"""Benchmark of the decision of exact equivalence.

``python bench/equivalence.py [FILE]`` prints a table, and writes the figures to FILE as JSON, which the docs
plot. It decides pairs of equivalent automata with more and more states, and with larger and larger alphabets.
It also decides a pair of chains that differ only on a long string, and compares one time with that of an
implementation over ``fractions.Fraction``. An equivalent pair consists of an automaton A with dense random
integer weights, and an automaton B. B has 10 % more states than A, which have outgoing transitions but are
not reachable, and is then written in another basis. The times include all steps: clearing denominators, the
decision, the certificate and its exact check.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from timing import argument, gigabytes, host, median, show, write

from automata.equivalence import Different, Equivalent, equivalent
from automata.semirings import REAL
from automata.wfsa import WFSA

WANTED = {10: 0.01, 100: 0.5, 500: 5.0}
CHAIN_WANTED = 0.3
RATIO_WANTED = 40
MEMORY_WANTED = 2.0


def names(count: int) -> list[str]:
    """Return an alphabet of ``count`` symbols."""
    return [f"s{i}" for i in range(count)]


def pair(n: int, symbols: int = 4, seed: int = 0) -> tuple[WFSA, WFSA]:
    """Return a random automaton A with n states, and an equivalent automaton B.

    B is A with 10 % more states, which are not reachable, in another unimodular basis.
    """
    rng = np.random.default_rng(seed)
    size, padded = n, n + max(1, n // 10)

    def small(*shape: int) -> Any:
        return rng.integers(-9, 10, shape)

    tables = {s: small(size, size) for s in names(symbols)}
    initial, final = small(size), small(size)
    wide = {}
    for s, table in tables.items():
        wide[s] = np.zeros((padded, padded), dtype=np.int64)
        wide[s][:size, :size] = table
        wide[s][size:] = small(padded - size, padded)
    start, end = (
        np.concatenate([initial, np.zeros(padded - size, dtype=np.int64)]),
        np.concatenate([final, small(padded - size)]),
    )
    change_basis(start, end, list(wide.values()), rng)
    return _exact(initial, final, tables), _exact(start, end, wide)


def change_basis(start: Any, end: Any, tables: list[Any], rng: np.random.Generator) -> None:
    """Change the basis of an automaton in place.

    The initial weights lambda become lambda P^-1, each matrix M becomes P M P^-1, and the final weights rho
    become P rho. The random P is a product of 2 n elementary matrices, each of which adds or subtracts one
    row.
    """
    n = len(start)
    for _ in range(2 * n):
        i, j = rng.choice(n, 2, replace=False)
        sign = int(rng.choice([-1, 1]))
        for table in tables:
            table[i] += sign * table[j]
            table[:, j] -= sign * table[:, i]
        end[i] += sign * end[j]
        start[j] -= sign * start[i]


def _exact(initial: Any, final: Any, tables: dict[str, Any]) -> WFSA:
    return WFSA(REAL, initial.tolist(), final.tolist(), {s: t.tolist() for s, t in tables.items()})


def chain(n: int, last: int) -> WFSA:
    """Return a chain of n + 1 states with transitions of weight 1/4 and the final weight ``last``.

    Only one string has a nonzero score: the first symbol, n times.
    """
    steps = [(q, q + 1, "s0", Fraction(1, 4)) for q in range(n)]
    return WFSA.from_edges(REAL, n + 1, names(4), [(0, 1)], [(n, last)], steps)


def decide_over_fractions(a: WFSA, b: WFSA) -> bool:
    """Return whether two automata are equivalent, decided over ``fractions.Fraction`` as a baseline.

    The algorithm is the same as that of ``equivalent``: a breadth-first search that keeps the vectors in
    echelon form. It builds no certificate.
    """
    sides = [[[list(map(Fraction, row)) for row in side.matrix(s)] for s in side.alphabet] for side in (a, b)]
    ends = [*a.final, *(-w for w in b.final)]
    echelon: list[tuple[int, list[Fraction]]] = []

    def keep(row: list[Fraction]) -> bool:
        for pivot, other in echelon:
            factor = row[pivot]
            if factor:
                row = [v - factor * w for v, w in zip(row, other, strict=True)]
        pivot = next((i for i, w in enumerate(row) if w), None)
        if pivot is None:
            return False
        echelon.append((pivot, [w / row[pivot] for w in row]))
        return True

    def times(row: list[Fraction], table: list[list[Fraction]]) -> list[Fraction]:
        return [
            sum((v * w for v, w in zip(row, column, strict=True)), Fraction(0))
            for column in zip(*table, strict=True)
        ]

    level = [[*map(Fraction, a.initial), *map(Fraction, b.initial)]]
    keep(level[0])
    while level:
        if any(sum(v * w for v, w in zip(row, ends, strict=True)) for row in level):
            return False
        following = []
        for row in level:
            for left, right in zip(*sides, strict=True):
                child = times(row[: a.states], left) + times(row[a.states :], right)
                if keep(child):
                    following.append(child)
        level = following
    return True


def main() -> None:
    """Print the table, and write the figures."""
    results = {**host("python-flint"), "states": {}, "symbols": {}}
    show("equivalence", results)
    print("equal pairs, 4 symbols, n and 1.1 n states: decided, certificate built and checked")
    for n in (10, 20, 50, 100, 200, 300, 500):
        a, b = pair(n)
        assert isinstance(equivalent(a, b), Equivalent)
        taken = median(lambda: equivalent(a, b), 9 if n <= 100 else 1)  # noqa: B023
        results["states"][n] = taken
        show(f"  {n} states", {"seconds": taken, "wanted": WANTED.get(n, "")})
    results["gigabytes"] = gigabytes()
    show("  most memory of the process so far", {"GB": results["gigabytes"], "wanted": MEMORY_WANTED})
    print("equal pairs, 60 states")
    for symbols in (1, 2, 4, 8, 16, 32, 64):
        a, b = pair(60, symbols)
        assert isinstance(equivalent(a, b), Equivalent)
        results["symbols"][symbols] = median(lambda: equivalent(a, b), 3)  # noqa: B023
        show(f"  {symbols} symbols", {"seconds": results["symbols"][symbols]})
    one, other = chain(200, 1), chain(200, 2)
    answer = equivalent(one, other)
    assert isinstance(answer, Different) and len(answer.word) == 200
    results["chain"] = median(lambda: equivalent(one, other), 3)
    show("a chain of 200 steps", {"seconds": results["chain"], "wanted": CHAIN_WANTED})
    a, b = pair(50)
    slow = median(lambda: decide_over_fractions(a, b), 1)
    results["over fractions"] = {"seconds": slow, "ratio": slow / results["states"][50]}
    show("50 states over fractions.Fraction", {**results["over fractions"], "wanted": RATIO_WANTED})
    write(results, argument(1))


if __name__ == "__main__":
    main()
