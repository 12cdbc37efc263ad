"""Check a certificate over a semiring that is not a field: ``python check_bisimulation.py FILE``.

It needs only Python 3.11 or newer. It shares no code with the rest of ratproof, and computes with exact
fractions. The automata A and B are over boolean, max-plus, min-plus or max-times. A certificate claims
"different" or "equivalent". A difference is shown by a word and its two different scores; the word need not
be the shortest. Equivalence is shown in one of three ways:

- Pairs: every string leads to a listed pair of state vectors with equal scores, up to a common factor
  (boolean: up to equivalence and union).
- Classes: both automata are mapped to a third automaton, whose states are classes of their states.
- Simulation: each automaton simulates the other.
"""

import hashlib
import json
import re
import sys
from fractions import Fraction
from functools import cache, reduce
from math import inf
from operator import mul, truediv
from pathlib import Path

ABOUT = "automata over a semiring that is no field"
LISTS = ("alphabet", "initial", "final", "transitions")
FIELDS = {"equivalent": ["pairs"], "different": ["word", "scores"]}
NOT_SMALLEST = "the certificate does not show that this string is the smallest"


def added(a, b):
    """Return a + b, also if one is infinite and the other a fraction beyond the range of floats."""
    try:
        return a + b
    except OverflowError:
        return a if type(a) is float else b


def taken_off(a, b):
    """Return a - b for a finite b, also if a is infinite and b is a fraction beyond the range of floats."""
    try:
        return a - b
    except OverflowError:
        return a


SEMIRINGS = {  # plus, times, division, zero, and the weights that are not written as fractions
    "boolean": (max, min, min, 0, {"true": 1, "false": 0}),
    "max-plus": (max, added, taken_off, -inf, {"-inf": -inf}),
    "min-plus": (min, added, taken_off, inf, {"inf": inf}),
    "max-times": (max, mul, truediv, 0, {}),
}


def parse_integer(digits):
    """Return int(digits), without int's limit on the number of digits, and faster for many digits."""
    half = len(digits) // 2
    return (
        int(digits)
        if half < 999
        else parse_integer(digits[:-half]) * 10**half + parse_integer(digits[-half:])
    )


def coaccessible(final, matrices):
    """Return the states from which a final state can be reached."""
    back = {}
    for rows in matrices:
        for q, row in rows.items():
            for r in row:
                back.setdefault(r, []).append(q)
    live, new = set(final), set(final)
    while new:
        new = {q for r in new for q in back.get(r, ())} - live
        live |= new
    return live


class Automaton:
    """An automaton with sparse vectors and matrices.

    Vectors are dictionaries of nonzero weights by state. ``steps[symbol][state]`` is a row of a symbol's
    matrix.
    """

    def __init__(self, data):
        known(data, ["semiring", "states", *LISTS])
        self.semiring, self.n = data["semiring"], data["states"]
        fits = type(self.semiring) is str and self.semiring in SEMIRINGS
        need(fits, f"'semiring' must be one of {', '.join(SEMIRINGS)}, got {self.semiring!r:.40}")
        self.plus, self.times, self.over, self.zero, self.words = SEMIRINGS[self.semiring]
        fits = type(self.n) is int and 0 <= self.n <= 10**5
        need(fits, f"'states' must be an integer from 0 to 100000, got {self.n!r:.40}")
        self.alphabet = listed(data["alphabet"], "alphabet", str)
        fits = len({*self.alphabet, ""}) == len(self.alphabet) + 1
        need(fits, "the symbols of an alphabet must be distinct and nonempty")
        self.initial, self.final = (self.vector(listed(data[x], x, int, str)) for x in ("initial", "final"))
        self.steps = {symbol: {} for symbol in [*self.alphabet, ""]}
        for source, target, symbol, text in listed(data["transitions"], "transitions", int, int, str, str):
            need(0 <= source < self.n, f"there is no state {source}")
            need(symbol in self.steps, f"{symbol!r:.40} is not a symbol of the alphabet")
            self.put(self.steps[symbol].setdefault(source, {}), target, self.weight(text))
        self.epsilon, self.ends = self.steps.pop(""), {"initial": self.initial, "final": self.final}
        self.live = coaccessible(self.final, [*self.steps.values(), self.epsilon])
        self.initial = self.after_epsilon({q: w for q, w in self.initial.items() if q in self.live})

    def weight(self, text):
        if text in self.words:
            return self.words[text]
        fits = len(text) <= 10**6 and re.fullmatch(r"-?\d+(/\d*[1-9]\d*)?", text, re.ASCII)
        need(
            fits and self.semiring != "boolean",
            f"{text!r:.40} is not a weight of the {self.semiring} semiring",
        )
        top, _, bottom = text.lstrip("-").partition("/")
        value = Fraction((-1) ** text.startswith("-") * parse_integer(top), parse_integer(bottom or "1"))
        need(
            value >= 0 or self.semiring != "max-times",
            f"{text!r:.40} is not a weight of the max-times semiring",
        )
        return value

    def vector(self, entries):
        result = {}
        for q, text in entries:
            self.put(result, q, self.weight(text))
        return result

    def put(self, vector, q, value):
        need(0 <= q < self.n, f"there is no state {q}")
        value = self.plus(vector.get(q, self.zero), value)
        if value != self.zero:
            vector[q] = value

    def apply(self, vector, rows, more=()):
        """Return the vector times the matrix, without weights at dead states, plus the vector ``more``."""
        result = dict(more)
        for q, v in vector.items():
            for r, w in rows.get(q, {}).items():
                if r in self.live:
                    self.put(result, r, self.times(v, w))
        return result

    def after_epsilon(self, vector):
        """Return the vector after all epsilon paths.

        Addition is idempotent, so paths with cycles do not change the sum, unless the sum does not exist.
        """
        new = vector
        for _ in range(len(self.epsilon) + 1):
            before, vector = vector, self.apply(new, self.epsilon, vector)
            new = {q: w for q, w in vector.items() if w != before.get(q)}
            if not new:
                return vector
        raise ValueError("the sums over epsilon paths do not exist")

    def step(self, vector, symbol):
        need(symbol in self.steps, f"{symbol!r:.40} is not a symbol of the alphabet")
        vector = self.after_epsilon(self.apply(vector, self.steps[symbol]))
        sizes = (abs(part).bit_length() for w in vector.values() for part in (w.numerator, w.denominator))
        need(max(sizes, default=0) < 2**22, "a string has weights of more than a million digits")
        return vector

    def score(self, vector):
        ends = (self.times(w, self.final[q]) for q, w in vector.items() if q in self.final)
        return reduce(self.plus, ends, self.zero)

    def kind(self):
        return self.semiring, {*self.alphabet}


def marked(x, y):
    return frozenset(("A", q) for q in x), frozenset(("B", q) for q in y)


def check_pairs(a, b, written):
    def scaled(x, y):
        total = reduce(a.plus, [*x.values(), *y.values()], a.zero)
        return tuple(frozenset((q, a.over(w, total)) for q, w in vector.items()) for vector in (x, y))

    pairs = [(a.vector(x), b.vector(y)) for x, y in written]
    there = {scaled(x, y) for x, y in pairs}
    sets = [marked(x, y) for x, y in pairs] if a.semiring == "boolean" else []

    @cache
    def closed(states):
        while any((x <= states) != (y <= states) for x, y in sets):
            states = states.union(*(x | y for x, y in sets if x <= states or y <= states))
        return states

    def follows(x, y):
        return scaled(x, y) in there or (a.semiring == "boolean" and len({*map(closed, marked(x, y))}) == 1)

    need(follows(a.initial, b.initial), "the empty string leads to no listed pair")
    for x, y in pairs:
        need(a.score(x) == b.score(y), "a listed pair has different scores")
        for symbol in a.alphabet:
            after = follows(a.step(x, symbol), b.step(y, symbol))
            need(after, f"{symbol!r:.40} leads from a listed pair to an unlisted one")


def turned(rows):
    result = {}
    for source, row in rows.items():
        for target, w in row.items():
            result.setdefault(target, {})[source] = w
    return result


def check_classes(a, c, classes, mirrored):
    """Check that each state of A has the same total weights into the classes as its class, a state of C.

    If mirrored, compare the total weights from each class into a state instead.
    """
    x, way = dict(classes), turned if mirrored else dict
    first, last = ("final", "initial") if mirrored else ("initial", "final")
    need(len(x) == len(classes), "a state has two classes")
    need(not a.epsilon and not c.epsilon, "classes require automata without epsilon transitions")
    need(all(0 <= q < a.n and 0 <= to < c.n for q, to in classes), "a state or a class does not exist")

    def lumped(row):
        result = {}
        for q in x.keys() & row.keys():  # iterates over the smaller dictionary
            c.put(result, x[q], row[q])
        return result

    need(lumped(a.ends[first]) == c.ends[first], "the classes have different initial weights")
    for q in range(a.n):
        same = a.ends[last].get(q) == c.ends[last].get(x.get(q))
        need(same, f"state {q} and its class have different {last} weights")
    for symbol in a.alphabet:
        own, of_c = way(a.steps[symbol]), way(c.steps[symbol])
        for q in range(a.n):
            same = lumped(own.get(q, {})) == of_c.get(x.get(q), {})
            need(same, f"{symbol!r:.40} does not lead from state {q} to the same classes as from its class")


class Plain:
    """An automaton without its epsilon transitions and dead states, or the mirror image of this automaton."""

    def __init__(self, automaton, mirrored):
        self.initial, self.final = automaton.initial, automaton.final
        self.steps = {}
        for symbol, rows in automaton.steps.items():
            live = {p: {q: w for q, w in row.items() if q in automaton.live} for p, row in rows.items()}
            self.steps[symbol] = {p: automaton.after_epsilon(row) for p, row in live.items()}
        if mirrored:
            self.initial, self.final = self.final, self.initial
            self.steps = {symbol: turned(rows) for symbol, rows in self.steps.items()}
        self.live = coaccessible(self.final, self.steps.values())


def check_simulation(a, b, rows, mirrored):
    """Check that rows [p, q, c] prove that B simulates A, or that B's mirror image simulates A's.

    A row says that the weight of any string from state p of A is at most c times its weight from state q of
    B. Here, x is at most y if x plus y is y.
    """
    one, other = Plain(a, mirrored), Plain(b, mirrored)
    known_pairs = {}
    for p, q, text in rows:
        need(0 <= p < a.n and 0 <= q < b.n, f"the states of a pair must exist, got {p} and {q}")
        need(q not in known_pairs.setdefault(p, {}), "a pair of states occurs twice")
        known_pairs[p][q] = a.weight(text)

    def at_most(x, y):
        return a.plus(x, y) == y

    for p, w in one.initial.items():
        pairs = known_pairs.get(p, {}).items()
        shown = any(at_most(a.times(w, c), other.initial.get(q, b.zero)) for q, c in pairs)
        need(shown or p not in one.live, f"no state simulates the initial state {p}")
    for p, q, c in ((p, q, c) for p, pairs in known_pairs.items() for q, c in pairs.items()):
        ends = at_most(one.final.get(p, a.zero), a.times(c, other.final.get(q, b.zero)))
        need(ends, f"the final weight of state {p} is better than that of {q}")
        for symbol in a.alphabet:
            row = other.steps[symbol].get(q, {})
            for r, w in one.steps[symbol].get(p, {}).items():
                pairs = [(to, d) for to, d in known_pairs.get(r, {}).items() if to in row]
                shown = any(at_most(a.times(w, d), a.times(c, row[to])) for to, d in pairs)
                need(
                    shown or r not in one.live,
                    f"the transition {p} -> {r} on {symbol!r:.40} is not simulated from {q}",
                )


def verdict(data):
    """Return the certificate's claim if it is proved; raise an error if not."""
    claim = claimed(data, ABOUT, "equivalent|different")
    over = data["A"].get("semiring") if type(data.get("A")) is dict else None
    need(over not in ("real", "counting"), f"the semiring {over} is a field; use check_certificate.py")
    lumped = claim == "equivalent" and "classes" in data
    simulated = claim == "equivalent" and "simulation" in data
    fields = ["through", "classes", "mirrored"] if lumped else ["simulation"] if simulated else FIELDS[claim]
    optional = ["mirrored"] if simulated else []  # older certificates do not have this field
    known(data, ["format", "claims", "A", "B", *fields], ["about", "stand", *optional])
    stand = data.get("stand", {})  # the words of each symbol, which are not checked
    known(stand, [], stand)
    fits = all(listed(words, "stand", str) for words in stand.values())
    need(fits, "'stand' must have at least one word for each symbol")
    a, b = Automaton(data["A"]), Automaton(data["B"])
    need(a.kind() == b.kind(), "A and B are over different semirings or alphabets")
    if claim == "different":
        word = listed(data["word"], "word", str)
        scores = [side.score(reduce(side.step, word, side.initial)) for side in (a, b)]
        written = [a.weight(text) for text in listed(data["scores"], "scores", str)]
        need(scores == written and scores[0] != scores[1], "the scores are not as claimed")
    elif lumped:
        c = Automaton(data["through"])
        need(a.kind() == c.kind(), "the classes are over a different semiring or alphabet")
        need(data["mirrored"] in (0, 1) and type(data["mirrored"]) is int, "mirrored must be 0 or 1")
        known(data["classes"], "AB")
        for side, name in ((a, "A"), (b, "B")):
            check_classes(side, c, listed(data["classes"][name], "classes", int, int), data["mirrored"])
    elif simulated:
        need(a.semiring != "boolean", "a simulation is not supported over the boolean semiring")
        known(data["simulation"], "AB")
        mirrored = listed(data.get("mirrored", []), "mirrored", str)
        need({*mirrored} <= {*"AB"}, "mirrored must be a list of A and B")
        for name, one, other in (("A", a, b), ("B", b, a)):
            rows = listed(data["simulation"][name], "simulation", int, int, str)
            check_simulation(one, other, rows, name in mirrored)
    else:
        for pair in listed(data["pairs"], "pairs", list, list):
            for vector in pair:
                listed(vector, "a vector", int, str)
        check_pairs(a, b, data["pairs"])
    return claim


def normal(automaton):
    return {name: sorted(part) if name in LISTS else part for name, part in automaton.items()}


def about(data):
    """Return the fields that describe what an accepted certificate proves; ``says`` is a sentence."""
    sides, names = {}, []
    for side in "AB":
        semiring, n, key = data[side]["semiring"], data[side]["states"], digest(normal(data[side]))
        sides[side] = {"semiring": semiring, "states": n, "digest": key}
        names.append(f"the {semiring} automaton {side} ({many(n, 'state')}, digest {key[:16]})")
    a, b = names
    says = f"{a} and {b} give every string over {shown(data['A']['alphabet'])} the same score"
    if data["claims"] == "different":
        x, y = (f"{score:.60}" for score in data["scores"])
        string = f"the string {shown(data['word'])} over {shown(data['A']['alphabet'])}"
        says = f"on {string}, {a} gives {x} and {b} gives {y}; {NOT_SMALLEST}"
    if "stand" in data:
        says += "; the field 'stand' (the words of each symbol) is not checked"
    rest = {name: data[name] for name in ("claims", "word", "scores") if name in data}
    return {"says": says, **rest, "alphabet": data["A"]["alphabet"], **sides}


# The rest of this file is copied from wire.py: change wire.py, and run python -m ratproof.checkers.inline.

FORMAT = "ratproof certificate 1"


def need(condition, reason):
    if not condition:
        raise ValueError(reason)


def known(data, fields, more=()):
    """Raise ValueError unless the data is an object with all of ``fields``, and no others except ``more``."""
    need(type(data) is dict, f"expected a JSON object, got {data!r:.40}")
    lacking = [name for name in fields if name not in data]
    need(not lacking, f"missing field: {', '.join(lacking)}")
    odd = sorted({*data} - {*fields, *more})
    need(not odd, f"unexpected field: {', '.join(map(str, odd)):.60}")


def fits(x, *types):
    return type(x) is types[0] if len(types) == 1 else type(x) is list and [*map(type, x)] == [*types]


def listed(data, what, *types):
    """Return ``data``, a list of values of one type, or of rows with several types; else raise ValueError."""
    right = type(data) is list and all(fits(x, *types) for x in data)
    need(right, f"{what} must be a list of [{', '.join(x.__name__ for x in types)}], got {data!r:.60}")
    return data


def claimed(data, subject, pattern):
    """Return the claim of a certificate; raise ValueError unless its subject and claim are as expected."""
    known(data, ["format"], data)
    written, claim = data["format"], data.get("claims")
    need(written == FORMAT, f"'format' must be {FORMAT!r}, got {written!r:.60}")
    need(data.get("about", subject) == subject, f"'about' must be {subject!r}, got {data.get('about')!r:.60}")
    right = type(claim) is str and re.fullmatch(pattern, claim)
    need(right, f"'claims' must match {pattern!r}, got {claim!r:.40}")
    return claim


def digest(part):
    return hashlib.sha256(json.dumps(part, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def many(number, what):
    return f"{number} {what}{'s' * (number != 1)}"


def shown(symbols):
    text = ", ".join(json.dumps(x if len(x) <= 40 else f"{x[:39]}…", ensure_ascii=False) for x in symbols[:8])
    return f"[{text}]" if len(symbols) <= 8 else f"[{text}, ...: {len(symbols)} in all]"


def once(pairs):
    fields = dict(pairs)
    need(len(fields) == len(pairs), f"a field occurs twice: {[*fields]!r:.80}")
    return fields


def short(digits):
    is_short = len(digits) < 10 and digits.lstrip("-").isdecimal()
    need(is_short, f"numbers must be integers of at most 9 characters, got {digits:.20}")
    return int(digits)


def parse(text):
    """Return a JSON value; raise ValueError for repeated fields, and for numbers except short integers."""
    return json.loads(text, object_pairs_hook=once, parse_int=short, parse_float=short, parse_constant=short)


def main(arguments):
    """Print the verdict on the certificate in a file as one line of ASCII, and return the exit status."""
    try:
        data = parse(Path(*arguments).read_bytes().decode("utf-8-sig"))
        message, status = verdict(data) and f"accepted: {about(data)['says']}", 0
    except TimeoutError as error:
        message, status = f"not checked: {error}", 3
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        why = getattr(error, "strerror", None) or error
        message, status = f"cannot read {' '.join(arguments)}: {why}; usage: {Path(__file__).name} FILE", 2
    except Exception as error:
        kind = {ValueError: "", KeyError: "malformed: missing "}.get(type(error), "malformed: ")
        message, status = f"rejected: {kind}{error}", 1
    plain = "".join(x if " " <= x <= "~" else json.dumps(x)[1:-1] for x in message).replace("\x7f", "\\u007f")
    try:
        stream = sys.stderr if status == 2 else sys.stdout
        stream.write(plain + "\n")
        stream.flush()
    except (OSError, AttributeError):  # the stream is closed or full, so the verdict could not be printed
        sys.stdout, status = None, 4
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
