"""Check a certificate over no field: ``python check_bisimulation.py FILE``. Needs Python 3.11 and nothing else.

It shares no code with the rest of ratproof, and computes with exact fractions. Of automata A and B, over boolean, max-plus,
min-plus or max-times, a certificate claims "equivalent": every string leads Forward to a listed pair of vectors, up to a common
factor (boolean: up to equivalence and union), each with equal scores; or "different": a word, maybe not the least, has two scores.
"""

import json
import re
import sys
from decimal import Decimal
from fractions import Fraction
from functools import cache, reduce
from math import inf
from operator import add, mul, sub, truediv

SEMIRINGS = {  # plus, times, divided by, zero, what weights may be
    "boolean": (max, min, min, 0, lambda w: w in (0, 1)),
    "max-plus": (max, add, sub, -inf, lambda w: w < inf),
    "min-plus": (min, add, sub, inf, lambda w: w > -inf),
    "max-times": (max, mul, truediv, 0, lambda w: 0 <= w < inf),
}


def need(condition, reason):
    if not condition:
        raise ValueError(reason)


class Automaton:
    """Vectors are dictionaries of weights other than zero, by state; ``steps[symbol][state]`` is a row of a matrix."""

    def __init__(self, data):
        need(data["semiring"] in SEMIRINGS, f"{data['semiring']!r} is not for this program: check_certificate.py is for fields")
        self.plus, self.times, self.over, self.zero, self.holds = SEMIRINGS[data["semiring"]]
        self.boolean, self.n, self.alphabet = data["semiring"] == "boolean", data["states"], data["alphabet"]
        need(type(self.n) is int and 0 <= self.n < 10**6, f"there are no automata of {self.n!r} states here")
        distinct = len({*self.alphabet, ""}) - 1 == len(self.alphabet) == sum(type(s) is str for s in self.alphabet)
        need(distinct, "an alphabet has a symbol twice, or an empty one")
        self.initial, self.final = self.vector(data["initial"]), self.vector(data["final"])
        self.steps = {symbol: [{} for _ in range(self.n)] for symbol in [*self.alphabet, ""]}
        for source, target, symbol, text in data["transitions"]:
            need(type(source) is int and 0 <= source < self.n, f"there is no state {source!r}")
            self.put(self.steps[symbol][source], target, self.weight(text))
        self.epsilon = self.steps.pop("")
        self.live = set(self.final)  # the states from which a final state can be reached
        arrows = [(q, r) for rows in [*self.steps.values(), self.epsilon] for q in range(self.n) for r in rows[q]]
        while more := {q for q, r in arrows if r in self.live} - self.live:
            self.live |= more
        self.initial = self.silently({q: w for q, w in self.initial.items() if q in self.live})

    def weight(self, text):
        value = {"true": 1, "false": 0}[text] if self.boolean else {"inf": inf, "-inf": -inf}.get(text)
        if value is None:
            need(re.fullmatch(r"-?\d+(/\d+)?", text, re.ASCII), f"{text[:40]!r} is no fraction")
            value = Fraction(*(int(Decimal(part)) for part in text.split("/")))
        need(self.holds(value), f"{text[:40]} is no weight of this semiring")
        return value

    def vector(self, entries):
        made = {}
        for q, text in entries:
            self.put(made, q, self.weight(text))
        return made

    def put(self, vector, q, value):
        need(type(q) is int and 0 <= q < self.n, f"there is no state {q!r}")
        value = self.plus(vector.get(q, self.zero), value)
        if value != self.zero:
            vector[q] = value

    def apply(self, vector, rows, more=()):
        """The vector times the matrix, and some more added; without the states that lead nowhere."""
        made = dict(more)
        for q, v in vector.items():
            for r, w in rows[q].items():
                if r in self.live:
                    self.put(made, r, self.times(v, w))
        return made

    def silently(self, vector):
        """The vector after all silent ways: plus is idempotent, so they are done after n steps, or a cycle gains for ever."""
        for _ in range(self.n + 1):
            before, vector = vector, self.apply(vector, self.epsilon, vector)
            if vector == before:
                return vector
        raise ValueError("the sums over silent ways do not exist")

    def step(self, vector, symbol):
        return self.silently(self.apply(vector, self.steps[symbol]))

    def score(self, vector):
        return reduce(self.plus, (self.times(w, self.final[q]) for q, w in vector.items() if q in self.final), self.zero)


def check_pairs(a, b, listed):
    def pair(x, y):
        total = reduce(a.plus, [*x.values(), *y.values()], a.zero)
        return tuple(frozenset((q, a.over(w, total)) for q, w in vector.items()) for vector in (x, y))

    marked = lambda x, y: (frozenset(("A", q) for q in x), frozenset(("B", q) for q in y))
    pairs = [(a.vector(x), b.vector(y)) for x, y in listed]
    known = {pair(x, y) for x, y in pairs}
    sets = [marked(x, y) for x, y in pairs] if a.boolean else []

    @cache
    def closed(states):
        while any((x <= states) != (y <= states) for x, y in sets):
            states = states.union(*(x | y for x, y in sets if x <= states or y <= states))
        return states

    def follows(x, y):
        return pair(x, y) in known or (a.boolean and len({*map(closed, marked(x, y))}) == 1)

    need(follows(a.initial, b.initial), "the empty string leads to no listed pair")
    for x, y in pairs:
        need(a.score(x) == b.score(y), "a listed pair has different scores")
        for symbol in a.alphabet:
            need(follows(a.step(x, symbol), b.step(y, symbol)), f"{symbol!r} leads from a listed pair to none")


def verdict(data):
    a, b = Automaton(data["A"]), Automaton(data["B"])
    same = data["A"]["semiring"] == data["B"]["semiring"] and {*a.alphabet} == {*b.alphabet}
    need(same and data["format"] == "ratproof certificate 1", "A and B are not to be compared, or the format is another")
    if data["claims"] == "different":
        scores = [side.score(reduce(side.step, data["word"], side.initial)) for side in (a, b)]
        need(scores == [a.weight(text) for text in data["scores"]] and scores[0] != scores[1], "the scores are not so")
    else:
        check_pairs(a, b, data["pairs"])
    return {"equivalent": "equivalent", "different": "different"}[data["claims"]]


def main(arguments):
    try:
        with open(arguments[0], encoding="utf-8") as file:
            data = json.load(file)
    except (IndexError, OSError, ValueError, RecursionError) as error:
        print(f"no certificate to check ({error}); call: check_bisimulation.py FILE", file=sys.stderr)
        return 2
    try:
        print("accepted:", verdict(data))
    except Exception as error:
        print(f"rejected: {error}" if isinstance(error, ValueError) else f"rejected: it is malformed: {error!r}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
