"""Check a certificate over a field: ``python check_certificate.py FILE``. It needs only Python 3.11 or newer.

It shares no code with the rest of ratproof, and computes with exact fractions. A certificate makes one of
three claims about automata A and B:

- "equivalent": an automaton C (A, B, or a third one) is mapped to A by one matrix X and to B by another (the
  identity if it is omitted). Each satisfies lambda_C X = lambda, M_C(a) X = X M(a) for every symbol a, and
  rho_C = X rho.
- "minimal": in addition, B has n states, n prefixes whose state vectors are independent, and n suffixes whose
  state vectors are independent. Their products, a Hankel block, therefore have rank n.
- "different": the scores of a word, which need not be the smallest such word, differ.
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
LISTS = ("alphabet", "initial", "final", "transitions")
FIELDS = {
    "equivalent": ["through"],
    "minimal": ["through", "prefixes", "suffixes"],
    "different": ["word", "scores"],
}
NOT_SMALLEST = "the certificate does not show that this string is the smallest"
OTHERS = ("boolean", "max-plus", "min-plus", "max-times")


def parse_integer(digits):
    """Return int(digits), without int's limit on the number of digits, and faster for many digits."""
    half = len(digits) // 2
    return (
        int(digits)
        if half < 999
        else parse_integer(digits[:-half]) * 10**half + parse_integer(digits[-half:])
    )


def weight(text, counting=False):
    fits = len(text) <= 10**6 and re.fullmatch(r"-?\d+(/\d*[1-9]\d*)?", text, re.ASCII)
    need(fits, f"{text!r:.40} is not a fraction")
    top, _, bottom = text.lstrip("-").partition("/")
    value = Fraction((-1) ** text.startswith("-") * parse_integer(top), parse_integer(bottom or "1"))
    need(not counting or (value.denominator == 1 and value >= 0), f"{text!r:.40} is not a count")
    return value.numerator if value.denominator == 1 else value


def nonzero(vector):
    return {q: w for q, w in vector.items() if w != 0}


def sparse(entries, rows, columns, counting=False):
    """Return a matrix, given as entries [row, column, weight], as a dictionary of its nonzero rows.

    A row is a dictionary of nonzero weights by column.
    """
    matrix = {}
    for i, j, text in entries:
        need(0 <= i < rows and 0 <= j < columns, f"there is no entry [{i}, {j}]")
        row = matrix.setdefault(i, {})
        row[j] = row.get(j, 0) + weight(text, counting)
    matrix = {i: nonzero(row) for i, row in matrix.items()}
    return {i: row for i, row in matrix.items() if row}


def apply(vector, rows, more=()):
    """Return the vector times the matrix, plus another vector."""
    result = dict(more)
    for q, v in vector.items():
        for r, w in rows.get(q, {}).items():
            result[r] = result.get(r, 0) + v * w
    return nonzero(result)


class Automaton:
    """An automaton: a row vector lambda, a column vector rho, and a matrix for each symbol in ``steps``."""

    def __init__(self, data):
        known(data, ["semiring", "states", *LISTS])
        semiring, self.n = data["semiring"], data["states"]
        fits = semiring in ("real", "counting")
        need(fits, f"'semiring' must be real or counting, got {semiring!r:.40}")
        fits = type(self.n) is int and 0 <= self.n <= 10**5
        need(fits, f"'states' must be an integer from 0 to 100000, got {self.n!r:.40}")
        self.alphabet = listed(data["alphabet"], "alphabet", str)
        fits = len({*self.alphabet, ""}) == len(self.alphabet) + 1
        need(fits, "the symbols of an alphabet must be distinct and nonempty")
        arrows = {symbol: [] for symbol in [*self.alphabet, ""]}
        for source, target, symbol, text in listed(data["transitions"], "transitions", int, int, str, str):
            need(symbol in arrows, f"{symbol!r:.40} is not a symbol of the alphabet")
            arrows[symbol].append((source, target, text))
        n, counting = self.n, semiring == "counting"
        initial = [[0, q, text] for q, text in listed(data["initial"], "initial", int, str)]
        final = [[q, 0, text] for q, text in listed(data["final"], "final", int, str)]
        self.initial = sparse(initial, 1, n, counting).get(0, {})
        self.final = sparse(final, n, 1, counting)
        self.steps = {symbol: sparse(entries, n, n, counting) for symbol, entries in arrows.items()}
        self.epsilon = self.steps.pop("")

    def read(self, word):
        vector = self.initial
        for symbol in listed(word, "a string", str):
            need(symbol in self.steps, f"{symbol!r:.40} is not a symbol of the alphabet")
            vector = apply(vector, self.steps[symbol])
            sizes = (abs(part).bit_length() for w in vector.values() for part in (w.numerator, w.denominator))
            need(max(sizes, default=0) < 2**22, "a string has weights of more than a million digits")
        return vector


def check_link(c, a, entries):
    """Check that X maps C to A.

    If A has epsilon transitions E, X maps C to lambda E* and M(a) E*, and lambda_C X (1 - E) = lambda.
    """
    need({*c.alphabet} == {*a.alphabet} and not c.epsilon, "the automata do not read the same symbols")
    if entries is None:
        need(c.n == a.n, "the numbers of states differ, so no matrix may be omitted")
        x = {i: {i: 1} for i in range(c.n)}
    else:
        x = sparse(listed(entries, "a matrix", int, int, str), c.n, a.n)
    image = apply(c.initial, x)
    need(image == apply(image, a.epsilon, a.initial), "lambda_C X is not lambda")
    images = {i: apply(row, a.final) for i, row in x.items()}
    need(c.final == {i: row for i, row in images.items() if row}, "rho_C is not X rho")
    users = {}
    for i, row in x.items():
        for j in row:
            users.setdefault(j, []).append(i)
    for symbol in a.alphabet:
        met = {i for j in a.steps[symbol] for i in users.get(j, ())}
        for i in {*c.steps[symbol], *met}:  # all other rows are zero
            image = apply(c.steps[symbol].get(i, {}), x)
            right = apply(image, a.epsilon, apply(x.get(i, {}), a.steps[symbol]))
            need(image == right, f"M_C X is not X M for {symbol!r:.40}")


def without_epsilon(a, proof):
    """Return A without epsilon transitions.

    If v > 0 and |E| v < v, the sums over epsilon paths converge absolutely.
    """
    if proof is None and not a.epsilon:
        return a
    known(proof, ["automaton", "bound"])
    v = [weight(text) for text in listed(proof["bound"], "bound", str)]
    need(len(v) == a.n and all(w > 0 for w in v), "the bound is not a positive vector")
    less = all(sum(abs(w) * v[r] for r, w in row.items()) < v[q] for q, row in a.epsilon.items())
    need(less, "the sums over epsilon paths do not converge")
    plain = Automaton(proof["automaton"])
    check_link(plain, a, None)
    return plain


def independent(vectors, prime):
    reduced = []
    for vector in vectors:
        d = math.lcm(*(w.denominator for w in vector.values()))
        left = {q: int(w * d) % prime for q, w in vector.items()}
        for pivot, row in reduced:
            image = apply({0: left.get(pivot, 0)}, {0: row}, left)
            left = nonzero({q: w % prime for q, w in image.items()})
        pivot = next((q for q in left if left[q]), None)
        if pivot is None:
            return False
        scale = -pow(left[pivot], -1, prime)
        reduced.append((pivot, {q: w * scale % prime for q, w in left.items()}))
    return True


def probable_prime():
    """Return a random number that is probably prime, as the modulus of an elimination.

    A composite modulus would also be sound, because the elimination requires that every pivot has an inverse.
    """
    while True:
        p = getrandbits(128) | 1
        if pow(2, p - 1, p) == 1:
            return p


def verdict(data):
    """Return the certificate's claim if it is proved; raise an error if not."""
    claim = claimed(data, ABOUT, "equivalent|minimal|different")
    over = data["A"].get("semiring") if type(data.get("A")) is dict else None
    need(over not in OTHERS, f"the semiring {over} is not a field; use check_bisimulation.py")
    links = () if claim == "different" else ("to A", "to B")
    known(data, ["format", "claims", "A", "B", *FIELDS[claim]], ["about", "without epsilon", *links])
    plain = data.get("without epsilon", {})
    known(plain, [], "AB")
    a, b = (without_epsilon(Automaton(data[side]), plain.get(side)) for side in "AB")
    # the minimal automaton of a counting automaton may have fractions as weights
    same = claim == "minimal" or data["A"]["semiring"] == data["B"]["semiring"]
    need(same and {*a.alphabet} == {*b.alphabet}, "A and B are over different semirings or alphabets")
    if claim == "different":
        scores = [apply(side.read(data["word"]), side.final).get(0, 0) for side in (a, b)]
        written = [weight(text) for text in listed(data["scores"], "scores", str)]
        need(scores == written and scores[0] != scores[1], "the scores are not as claimed")
        return claim
    through = data["through"]
    c = {"A": a, "B": b}.get(through) if type(through) is str else Automaton(through)
    there = c is not None and None not in (data.get("to A", 0), data.get("to B", 0))
    need(there, "the matrices that map the third automaton to A and B are missing")
    check_link(c, a, data.get("to A"))
    check_link(c, b, data.get("to B"))
    if claim == "minimal":
        check_independent(data, b)
    return claim


def check_independent(data, b):
    """Check that B, with n states, has n independent vectors of prefixes, and n of suffixes."""
    flipped = [[r, q, symbol, text] for q, r, symbol, text in data["B"]["transitions"]]
    ends = {"initial": data["B"]["final"], "final": data["B"]["initial"]}
    mirror = Automaton({**data["B"], **ends, "transitions": flipped})
    need(not mirror.epsilon, "B has epsilon transitions")
    for side, name, turn in ((b, "prefixes", 1), (mirror, "suffixes", -1)):
        vectors = [side.read(word[::turn]) for word in listed(data[name], name, list)]
        need(len(vectors) == b.n, f"{len(vectors)} strings are given as {name}, but there are {b.n} states")
        full = any(independent(vectors, probable_prime()) for _ in range(3))
        need(full, f"the {name} are not independent")


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
    if data["claims"] == "minimal":
        says += ", and no automaton over a field with these scores has fewer states than B"
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
