"""Check a certificate over a field: ``python check_certificate.py FILE``. Needs Python 3.11 and nothing else.

It shares no code with the rest of ratproof, and computes with exact fractions. Of automata A and B a certificate claims
"equivalent": an automaton C (A, B, or a third one) goes to A and to B by a matrix X (the identity where none is given) with
lambda_C X = lambda, M_C(a) X = X M(a) for every symbol a, and rho_C = X rho;
"minimal": and B's n states have n independent vectors of prefixes, and of suffixes, so their product, a Hankel block, has full rank;
"different": a word has these two scores, and they differ (that no smaller word does so is not shown).
"""

import json
import math
import re
import sys
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from random import getrandbits


def need(condition, reason):
    if not condition:
        raise ValueError(reason)


def weight(text):
    need(re.fullmatch(r"-?\d+(/\d+)?", text, re.ASCII), f"{text[:40]!r} is no fraction")
    value = Fraction(*(int(Decimal(part)) for part in text.split("/")))
    return value.numerator if value.denominator == 1 else value


def sparse(entries, rows, columns):
    """A matrix from [row, column, weight]: for each row a dictionary of what is not zero. A vector is such a row."""
    made = [{} for _ in range(rows)]
    for i, j, text in entries:
        need(type(i) is type(j) is int and 0 <= i < rows and 0 <= j < columns, f"there is no place [{i!r}, {j!r}]")
        made[i][j] = made[i].get(j, 0) + weight(text)
    return [{j: w for j, w in row.items() if w != 0} for row in made]


def apply(vector, rows, more=()):
    """The vector times the matrix, and some more added."""
    made = dict(more)
    for q, v in vector.items():
        for r, w in rows[q].items():
            made[r] = made.get(r, 0) + v * w
    return {r: w for r, w in made.items() if w != 0}


class Automaton:
    """lambda is a row, rho a column, and ``steps`` has a matrix for each symbol."""

    def __init__(self, data):
        self.n, self.alphabet = data["states"], data["alphabet"]
        need(data["semiring"] in ("real", "counting"), f"{data['semiring']!r} is no field: check_bisimulation.py is for others")
        need(type(self.n) is int and 0 <= self.n < 10**6, f"there are no automata of {self.n!r} states here")
        distinct = len({*self.alphabet, ""}) - 1 == len(self.alphabet) == sum(type(s) is str for s in self.alphabet)
        need(distinct, "an alphabet has a symbol twice, or an empty one")
        (self.initial,) = sparse([[0, *pair] for pair in data["initial"]], 1, self.n)
        self.final = sparse([[q, 0, text] for q, text in data["final"]], self.n, 1)
        arrows = {symbol: [] for symbol in [*self.alphabet, ""]}
        for source, target, symbol, text in data["transitions"]:
            arrows[symbol].append((source, target, text))
        self.steps = {symbol: sparse(entries, self.n, self.n) for symbol, entries in arrows.items()}
        self.epsilon = self.steps.pop("")

    def read(self, word):
        return reduce(lambda vector, symbol: apply(vector, self.steps[symbol]), word, self.initial)


def check_link(c, a, entries):
    """C goes to A by X. Where A has epsilon transitions E, it goes to lambda E* and M(a) E*, and lambda_C X (1 - E) = lambda."""
    need(set(c.alphabet) == set(a.alphabet) and not any(c.epsilon), "the automata do not read the same symbols")
    need(entries is not None or c.n == a.n, "the identity does not fit")
    x = [{i: 1} for i in range(c.n)] if entries is None else sparse(entries, c.n, a.n)
    need((image := apply(c.initial, x)) == apply(image, a.epsilon, a.initial), "lambda_C X is not lambda")
    need(c.final == [apply(row, a.final) for row in x], "rho_C is not X rho")
    for symbol in a.alphabet:
        for one, other in zip(c.steps[symbol], x, strict=True):
            image = apply(one, x)
            need(image == apply(image, a.epsilon, apply(other, a.steps[symbol])), f"M_C X is not X M for {symbol!r}")


def without_epsilon(a, given):
    """The automaton that is A without epsilon. Where v > 0 and |E| v < v, the sums over silent ways converge absolutely."""
    if not any(a.epsilon):
        return a
    v = [weight(text) for text in given["bound"]]
    need(len(v) == a.n and min(v) > 0, "the bound is no positive vector")
    need(all(sum(abs(w) * v[r] for r, w in a.epsilon[q].items()) < v[q] for q in range(a.n)), "silent ways do not converge")
    plain = Automaton(given["automaton"])
    check_link(plain, a, None)
    return plain


def independent(vectors, prime):
    reduced = []
    for vector in vectors:
        d = math.lcm(*(w.denominator for w in vector.values()))
        left = {q: int(w * d) % prime for q, w in vector.items()}
        for pivot, row in reduced:
            left = {q: w % prime for q, w in apply({0: left.get(pivot, 0)}, [row], left).items() if w % prime}
        pivot = next((q for q in left if left[q]), None)
        if pivot is None:
            return False
        scale = -pow(left[pivot], -1, prime)
        reduced.append((pivot, {q: w * scale % prime for q, w in left.items()}))
    return True


def verdict(data):
    """What the certificate claims, where it shows it; else some error."""
    given = data.get("without epsilon", {})
    a, b = (without_epsilon(Automaton(data[side]), given.get(side)) for side in "AB")
    need(data["format"] == "ratproof certificate 1" and {*a.alphabet} == {*b.alphabet}, "it is of another format, or kind")
    if data["claims"] == "different":
        scores = [apply(side.read(data["word"]), side.final).get(0, 0) for side in (a, b)]
        need(scores == [weight(text) for text in data["scores"]] and scores[0] != scores[1], "the scores are not so")
        return "different"
    c = {"A": a, "B": b}.get(data["through"]) if isinstance(data["through"], str) else Automaton(data["through"])
    check_link(c, a, data.get("to A"))
    check_link(c, b, data.get("to B"))
    if data["claims"] == "minimal":
        flipped = [[r, q, symbol, text] for q, r, symbol, text in data["B"]["transitions"]]
        mirror = Automaton({**data["B"], "initial": data["B"]["final"], "final": data["B"]["initial"], "transitions": flipped})
        need(not any(mirror.epsilon), "B has epsilon transitions")
        # a modulus that is not prime after all would be sound too: every pivot has an inverse
        primes = (p for p in iter(lambda: getrandbits(128) | 1, 0) if pow(2, p - 1, p) == 1)
        for vectors in ([b.read(word) for word in data["prefixes"]], [mirror.read(word[::-1]) for word in data["suffixes"]]):
            need(len(vectors) == b.n, f"{len(vectors)} strings are given, where there are {b.n} states")
            need(any(independent(vectors, next(primes)) for _ in range(3)), "prefixes, or suffixes, are not independent")
    return {"equivalent": "equivalent", "minimal": "minimal"}[data["claims"]]


def main(arguments):
    try:
        with open(arguments[0], encoding="utf-8") as file:
            data = json.load(file)
    except (IndexError, OSError, ValueError, RecursionError) as error:
        print(f"no certificate to check ({error}); call: check_certificate.py FILE", file=sys.stderr)
        return 2
    try:
        print("accepted:", verdict(data))
    except Exception as error:
        print(f"rejected: {error}" if isinstance(error, ValueError) else f"rejected: it is malformed: {error!r}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
