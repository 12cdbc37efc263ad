"""Check a certificate over a field: ``python check_certificate.py FILE``. Needs Python 3.11 and nothing else.

It shares no code with the rest of ratproof, and computes with exact fractions. Of automata A and B a
certificate claims "equivalent": an automaton C (A, B, or a third one) goes to A and to B by a matrix X (the
identity where none is given) with lambda_C X = lambda, M_C(a) X = X M(a) for every symbol a, and rho_C = X
rho; "minimal": and B's n states have n independent vectors of prefixes, and of suffixes, so their product, a
Hankel block, has full rank; "different": a word has these two scores, and they differ (that no smaller word
does so is not shown).
"""

import hashlib
import json
import math
import re
import sys
from fractions import Fraction
from pathlib import Path
from random import getrandbits

ABOUT = "automata over a field"
FORMAT, LISTS = "ratproof certificate 1", ("alphabet", "initial", "final", "transitions")
FIELDS = {
    "equivalent": ["through"],
    "minimal": ["through", "prefixes", "suffixes"],
    "different": ["word", "scores"],
}


def need(condition, reason):
    if not condition:
        raise ValueError(reason)


def known(data, fields, more=()):
    """An object with all of these fields, maybe some more, and no others."""
    need(type(data) is dict, f"{data!r:.40} is no object")
    need(
        not (lacking := [name for name in fields if name not in data]), f"the field {lacking[:1]} is missing"
    )
    need(not (odd := sorted({*data} - {*fields, *more})), f"there is no field {odd[:1]!r:.60}")


def listed(data, what, *kinds):
    """A list of values of one type, or of lists of values of several."""
    fits = (
        (lambda x: type(x) is kinds[0])
        if len(kinds) == 1
        else lambda x: type(x) is list and [*map(type, x)] == [*kinds]
    )
    need(type(data) is list and all(map(fits, data)), f"{what}: {data!r:.60} is no list of what it should be")
    return data


def whole(digits):  # as int, which is slow, and refuses, where they are many
    half = len(digits) // 2
    return int(digits) if half < 999 else whole(digits[:-half]) * 10**half + whole(digits[-half:])


def weight(text, counting=False):
    need(
        len(text) <= 10**6 and re.fullmatch(r"-?\d+(/\d*[1-9]\d*)?", text, re.ASCII),
        f"{text!r:.40} is no fraction",
    )
    top, _, bottom = text.lstrip("-").partition("/")
    value = Fraction((-1) ** text.startswith("-") * whole(top), whole(bottom or "1"))
    need(not counting or (value.denominator == 1 and value >= 0), f"{text!r:.40} is no count")
    return value.numerator if value.denominator == 1 else value


def sparse(entries, rows, columns, counting=False):
    """A matrix from [row, column, weight]: for rows that are not zero a dictionary of what is not zero. A
    vector is such a row.
    """
    matrix = {}
    for i, j, text in entries:
        need(0 <= i < rows and 0 <= j < columns, f"there is no place [{i}, {j}]")
        row = matrix.setdefault(i, {})
        row[j] = row.get(j, 0) + weight(text, counting)
    return {i: left for i, row in matrix.items() if (left := {j: w for j, w in row.items() if w != 0})}


def apply(vector, rows, more=()):
    """The vector times the matrix, and some more added."""
    result = dict(more)
    for q, v in vector.items():
        for r, w in rows.get(q, {}).items():
            result[r] = result.get(r, 0) + v * w
    return {r: w for r, w in result.items() if w != 0}


class Automaton:
    """lambda is a row, rho a column, and ``steps`` has a matrix for each symbol."""

    def __init__(self, data):
        known(data, ["semiring", "states", *LISTS])
        need(
            data["semiring"] in ("real", "counting"),
            f"{data['semiring']!r:.40} is for check_bisimulation.py, or no semiring",
        )
        self.n, self.alphabet = data["states"], listed(data["alphabet"], "alphabet", str)
        need(
            type(self.n) is int and 0 <= self.n <= 10**5,
            f"there are no automata of {self.n!r:.40} states here",
        )
        need(
            len({*self.alphabet, ""}) - 1 == len(self.alphabet),
            "an alphabet has a symbol twice, or an empty one",
        )
        initial, final = (listed(data[name], name, int, str) for name in ("initial", "final"))
        arrows = {symbol: [] for symbol in [*self.alphabet, ""]}
        for source, target, symbol, text in listed(data["transitions"], "transitions", int, int, str, str):
            need(symbol in arrows, f"{symbol!r:.40} is no symbol of the alphabet")
            arrows[symbol].append((source, target, text))
        make = lambda entries, rows, columns: sparse(entries, rows, columns, data["semiring"] == "counting")
        self.initial = make([[0, *pair] for pair in initial], 1, self.n).get(0, {})
        self.final = make([[q, 0, text] for q, text in final], self.n, 1)
        self.steps = {symbol: make(entries, self.n, self.n) for symbol, entries in arrows.items()}
        self.epsilon = self.steps.pop("")

    def read(self, word):
        vector = self.initial
        for symbol in listed(word, "a string", str):
            need(symbol in self.steps, f"{symbol!r:.40} is no symbol of the alphabet")
            vector = apply(vector, self.steps[symbol])
            sizes = (abs(part).bit_length() for w in vector.values() for part in (w.numerator, w.denominator))
            need(max(sizes, default=0) < 2**22, "a string has weights of more than a million digits")
        return vector


def check_link(c, a, entries):
    """C goes to A by X. Where A has epsilon transitions E, it goes to lambda E* and M(a) E*, and lambda_C X
    (1 - E) = lambda.
    """
    need({*c.alphabet} == {*a.alphabet} and not c.epsilon, "the automata do not read the same symbols")
    need(entries is not None or c.n == a.n, "the identity does not fit")
    same = {i: {i: 1} for i in range(c.n)} if entries is None else {}
    x = same or sparse(listed(entries or [], "a matrix", int, int, str), c.n, a.n)
    need((image := apply(c.initial, x)) == apply(image, a.epsilon, a.initial), "lambda_C X is not lambda")
    need(c.final == {i: row for i in x if (row := apply(x[i], a.final))}, "rho_C is not X rho")
    back = {}
    for i, row in x.items():
        for j in row:
            back.setdefault(j, []).append(i)
    for symbol in a.alphabet:
        for i in {
            *c.steps[symbol],
            *(i for j in a.steps[symbol] for i in back.get(j, ())),
        }:  # all other rows are zero
            image = apply(c.steps[symbol].get(i, {}), x)
            need(
                image == apply(image, a.epsilon, apply(x.get(i, {}), a.steps[symbol])),
                f"M_C X is not X M for {symbol!r:.40}",
            )


def without_epsilon(a, given):
    """The automaton that is A without epsilon. Where v > 0 and |E| v < v, the sums over silent ways converge
    absolutely.
    """
    if given is None and not a.epsilon:
        return a
    known(given, ["automaton", "bound"])
    v = [weight(text) for text in listed(given["bound"], "bound", str)]
    need(len(v) == a.n and all(w > 0 for w in v), "the bound is no positive vector")
    need(
        all(sum(abs(w) * v[r] for r, w in row.items()) < v[q] for q, row in a.epsilon.items()),
        "silent ways do not converge",
    )
    plain = Automaton(given["automaton"])
    check_link(plain, a, None)
    return plain


def independent(vectors, prime):
    reduced = []
    for vector in vectors:
        d = math.lcm(*(w.denominator for w in vector.values()))
        left = {q: int(w * d) % prime for q, w in vector.items()}
        for pivot, row in reduced:
            left = {
                q: w % prime for q, w in apply({0: left.get(pivot, 0)}, {0: row}, left).items() if w % prime
            }
        pivot = next((q for q in left if left[q]), None)
        if pivot is None:
            return False
        scale = -pow(left[pivot], -1, prime)
        reduced.append((pivot, {q: w * scale % prime for q, w in left.items()}))
    return True


def verdict(data):
    """The certificate's claim, where it is shown; else some error."""
    known(data, ["format"], data)
    need(
        data["format"] == FORMAT, f"its format is {data['format']!r:.60}, where this program reads {FORMAT!r}"
    )
    need(data.get("about", ABOUT) == ABOUT, f"it is about {data.get('about')!r:.60}, not about {ABOUT}")
    need(
        type(data.get("claims")) is str and data["claims"] in FIELDS,
        f"{data.get('claims')!r:.40} is no claim that this program knows",
    )
    over = data["A"].get("semiring") if type(data.get("A")) is dict else None
    need(
        over not in ("boolean", "max-plus", "min-plus", "max-times"),
        f"it is over no field: check_bisimulation.py is for {over}",
    )
    links = () if data["claims"] == "different" else ("to A", "to B")
    known(data, ["format", "claims", "A", "B", *FIELDS[data["claims"]]], ["about", "without epsilon", *links])
    known(data.get("without epsilon", {}), [], "AB")
    a, b = (
        without_epsilon(Automaton(data[side]), data.get("without epsilon", {}).get(side)) for side in "AB"
    )
    same = (
        data["claims"] == "minimal" or data["A"]["semiring"] == data["B"]["semiring"]
    )  # the least one may need fractions
    need(same and {*a.alphabet} == {*b.alphabet}, "A and B are over different semirings or alphabets")
    if data["claims"] == "different":
        scores = [apply(side.read(data["word"]), side.final).get(0, 0) for side in (a, b)]
        said = [weight(text) for text in listed(data["scores"], "scores", str)]
        need(scores == said and scores[0] != scores[1], "the scores are not so")
        return "different"
    c = {"A": a, "B": b}.get(data["through"]) if type(data["through"]) is str else Automaton(data["through"])
    need(
        c is not None and None not in (data.get("to A", 0), data.get("to B", 0)),
        "what leads to A, or to B, is missing",
    )
    check_link(c, a, data.get("to A"))
    check_link(c, b, data.get("to B"))
    if data["claims"] == "minimal":
        flipped = [[r, q, symbol, text] for q, r, symbol, text in data["B"]["transitions"]]
        mirror = Automaton(
            {
                **data["B"],
                "initial": data["B"]["final"],
                "final": data["B"]["initial"],
                "transitions": flipped,
            }
        )
        need(not mirror.epsilon, "B has epsilon transitions")
        # a modulus that is not prime after all would be sound too: every pivot has an inverse
        primes = (p for p in iter(lambda: getrandbits(128) | 1, 0) if pow(2, p - 1, p) == 1)
        for side, name, turn in ((b, "prefixes", 1), (mirror, "suffixes", -1)):
            vectors = [side.read(word[::turn]) for word in listed(data[name], name, list)]
            need(
                len(vectors) == b.n,
                f"{len(vectors)} strings are given as {name}, where there are {b.n} states",
            )
            need(any(independent(vectors, next(primes)) for _ in range(3)), f"the {name} are not independent")
    return data["claims"]


def normal(automaton):
    return {name: sorted(part) if name in LISTS else part for name, part in automaton.items()}


def about(data):
    """The subject of an accepted certificate, in full; ``says`` is a sentence about it."""
    parts = {side: normal(data[side]) for side in "AB"}
    sides = {
        s: {"semiring": part["semiring"], "states": part["states"], "digest": digest(part)}
        for s, part in parts.items()
    }
    a, b = (
        f"the {x['semiring']} automaton {s} ({many(x['states'], 'state')}, {x['digest'][:16]})"
        for s, x in sides.items()
    )
    both = f"{a} and {b} give every string over {shown(data['A']['alphabet'])} the same score"
    if data["claims"] == "different":
        x, y = (f"{score:.60}" for score in data["scores"])
        string = f"the string {shown(data['word'])} over {shown(data['A']['alphabet'])}"
        both = f"to {string} {a} gives {x} and {b} gives {y}; that no smaller string differs is not shown"
    least = ", and no automaton over a field that does so has fewer states than B" * (
        data["claims"] == "minimal"
    )
    rest = {name: data[name] for name in ("claims", "word", "scores") if name in data}
    return {"says": both + least, **rest, "alphabet": data["A"]["alphabet"], **sides}


def digest(part):
    return hashlib.sha256(json.dumps(part, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


many = lambda number, what: f"{number} {what}{'s' * (number != 1)}"


def shown(symbols):
    text = ", ".join(json.dumps(x if len(x) <= 40 else f"{x[:39]}…", ensure_ascii=False) for x in symbols[:8])
    return f"[{text}]" if len(symbols) <= 8 else f"[{text}, ...: {len(symbols)} in all]"


def parse(text):
    """The certificate in a JSON text: no field is there twice, and numbers are whole and short; all others
    are strings.
    """
    once = lambda pairs: (
        need(len(dict(pairs)) == len(pairs), f"a field is there twice: {[*dict(pairs)]!r:.80}") or dict(pairs)
    )
    short = lambda n: (
        need(len(n) < 10 and n.lstrip("-").isdecimal(), f"the number {n:.20} is not whole, or too long")
        or int(n)
    )
    return json.loads(text, object_pairs_hook=once, parse_int=short, parse_float=short, parse_constant=short)


def main(arguments):
    try:
        data = parse(Path(*arguments).read_bytes().decode("utf-8-sig"))
        said, status = f"accepted: {verdict(data)}: {about(data)['says']}", 0
    except TimeoutError as error:
        said, status = f"not checked: {error}", 3
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        said, status = f"no certificate to check ({error}); call: python {Path(__file__).name} FILE", 2
    except Exception as error:
        said, status = f"rejected: {error if type(error) is ValueError else f'it is malformed: {error!r}'}", 1
    to, plain = (
        sys.stderr if status == 2 else sys.stdout,
        lambda x: r"\u007f" if x == "\x7f" else json.dumps(x)[1:-1],
    )
    try:
        to.write("".join(x if " " <= x <= "~" else plain(x) for x in said) + "\n")
        to.flush()
    except (
        OSError,
        AttributeError,
    ):  # it is closed, or full: the verdict's status must not stand for what nobody has read
        sys.stdout, status = None, 4
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
