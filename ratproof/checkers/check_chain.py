"""Check a chain of links over a field: ``python check_chain.py FILE``. It needs only Python 3.11 or newer.

It shares no code with the rest of ratproof, and computes with exact fractions. A certificate claims that
automata A and B are "equivalent". Let D be the disjoint union of A and of B with negated initial weights. The
score of D on a string is A's score minus B's score.

Each link goes from an automaton (lambda, M, rho), at first D, to the next automaton (lambda', M', rho') with
the same scores. There are three kinds of links; "right" and "left" have a matrix X:

- "right": M(a) X = X M'(a) for every symbol a, rho = X rho', lambda' = lambda X.
- "left": X M(a) = M'(a) X for every symbol a, lambda = lambda' X, rho' = X rho.
- "epsilon": removes the epsilon transitions E. M'(a) = M(a) + M'(a) E, lambda' = lambda + lambda' E, rho' =
  rho.

In "right" and "left" links, epsilon may be one of the symbols. X then maps the sums over epsilon paths of one
automaton to those of the other, term by term. Before each link, the sums over epsilon paths must converge
absolutely: E has no cycle, or |E| v < v for some v > 0. The last automaton has no epsilon transitions, and no
initial or no final weights, so it gives every string the score 0.
"""

import hashlib
import json
import re
import sys
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

ABOUT = "automata over a field, by a chain"
LISTS = ("alphabet", "initial", "final", "transitions")
FIGURES = ("states", "transitions", "links", "nonzeros", "left", "primes", "methods", "seconds")


def parse_integer(digits):
    """Return int(digits), without int's limit on the number of digits, and faster for many digits."""
    half = len(digits) // 2
    return (
        int(digits)
        if half < 999
        else parse_integer(digits[:-half]) * 10**half + parse_integer(digits[-half:])
    )


@lru_cache(2**18)
def weight(text):
    fits = len(text) <= 10**6 and re.fullmatch(r"-?\d+(/\d*[1-9]\d*)?", text, re.ASCII)
    need(fits, f"{text!r:.40} is not a fraction")
    top, _, bottom = text.lstrip("-").partition("/")
    value = Fraction((-1) ** text.startswith("-") * parse_integer(top), parse_integer(bottom or "1"))
    return value.numerator if value.denominator == 1 else value


def nonzero(vector):
    return {q: w for q, w in vector.items() if w != 0}


def sparse(entries, rows, columns):
    """Return a matrix, given as entries [row, column, weight], as a dictionary of its nonzero rows."""
    matrix = {}
    for i, j, text in entries:
        need(0 <= i < rows and 0 <= j < columns, f"there is no entry [{i}, {j}]")
        row = matrix.setdefault(i, {})
        row[j] = row.get(j, 0) + weight(text)
    matrix = {i: nonzero(row) for i, row in matrix.items()}
    return {i: row for i, row in matrix.items() if row}


def transposed(matrix):
    result = {}
    for i, row in matrix.items():
        for j, w in row.items():
            result.setdefault(j, {})[i] = w
    return result


def apply(vector, rows, more=()):
    """Return the vector times the matrix, plus another vector."""
    result = dict(more)
    for q, v in vector.items():
        for r, w in rows.get(q, {}).items():
            result[r] = result.get(r, 0) + v * w
    return nonzero(result)


class Automaton:
    """An automaton with rows lambda and rho, and a matrix for each symbol in ``steps``; "" is epsilon."""

    def __init__(self, n, initial, final, steps):
        self.n, self.initial, self.final, self.steps = n, initial, final, steps

    def mirrored(self):
        steps = {symbol: transposed(rows) for symbol, rows in self.steps.items()}
        return Automaton(self.n, self.final, self.initial, steps)


def read(data, alphabet):
    """Return the automaton whose weights and transitions are lists in the certificate."""
    n, ends = data["states"], []
    need(type(n) is int and 0 <= n <= 10**8, f"'states' must be an integer from 0 to 10^8, got {n!r:.40}")
    for name in ("initial", "final"):
        row = [[0, q, text] for q, text in listed(data[name], name, int, str)]
        ends.append(sparse(row, 1, n).get(0, {}))
    arrows = {symbol: [] for symbol in alphabet}
    for source, target, symbol, text in listed(data["transitions"], "transitions", int, int, str, str):
        need(symbol in arrows, f"{symbol!r:.40} is not a symbol of the alphabet")
        arrows[symbol].append((source, target, text))
    return Automaton(n, *ends, {symbol: sparse(entries, n, n) for symbol, entries in arrows.items()})


def side(data):
    """Return A or B: an automaton over the real or the counting semiring."""
    known(data, ["semiring", "states", *LISTS])
    semiring, alphabet = data["semiring"], listed(data["alphabet"], "alphabet", str)
    need(semiring in ("real", "counting"), f"'semiring' must be real or counting, got {semiring!r:.40}")
    fits = len({*alphabet, ""}) == len(alphabet) + 1
    need(fits, "the symbols of an alphabet must be distinct and nonempty")
    automaton = read(data, [*alphabet, ""])
    rows = [row for matrix in automaton.steps.values() for row in matrix.values()]
    weights = [w for row in [automaton.initial, automaton.final, *rows] for w in row.values()]
    need(semiring == "real" or all(type(w) is int and w > 0 for w in weights), "a weight is not a count")
    return automaton


def difference(a, b):
    """Return the union of A and of B with negated initial weights; B's states come after A's."""

    def shift(row, sign=1):
        return {a.n + q: sign * w for q, w in row.items()}

    steps = {symbol: dict(rows) for symbol, rows in a.steps.items()}
    for symbol, rows in b.steps.items():
        steps[symbol].update({a.n + q: shift(row) for q, row in rows.items()})
    return Automaton(a.n + b.n, {**a.initial, **shift(b.initial, -1)}, {**a.final, **shift(b.final)}, steps)


RIGHT = ("lambda' = lambda X", "rho = X rho'", "M X = X M'")
LEFT = ("rho' = X rho", "lambda = lambda' X", "X M = M' X")  # the same equations for mirrored automata


def check_right(one, other, x, link, equations):
    """Check that M(a) X = X M'(a) for every symbol a, rho = X rho', lambda' = lambda X."""
    need(other.initial == apply(one.initial, x), f"{link} must satisfy {equations[0]}")
    column = {q: {0: w} for q, w in other.final.items()}
    images = {q: apply(row, column).get(0, 0) for q, row in x.items()}
    need(one.final == nonzero(images), f"{link} must satisfy {equations[1]}")
    users = transposed(x)
    for symbol, rows in one.steps.items():
        met = {q for r in other.steps[symbol] for q in users.get(r, ())}
        for q in {*rows, *met}:  # all other rows are zero
            image = apply(x.get(q, {}), other.steps[symbol])
            need(apply(rows.get(q, {}), x) == image, f"{link} must satisfy {equations[2]} on {symbol!r:.40}")


def check_converges(one, bound):
    """Check that the sums over epsilon paths converge absolutely."""
    epsilon = one.steps[""]
    if bound is not None:
        v = [weight(text) for text in listed(bound, "bound", str)]
        need(len(v) == one.n and all(w > 0 for w in v), "the bound is not a positive vector")
        less = all(sum(abs(w) * v[r] for r, w in row.items()) < v[q] for q, row in epsilon.items())
        need(less, "the sums over epsilon paths do not converge")
    else:
        entering = Counter(r for row in epsilon.values() for r in row)
        ready = [q for q in epsilon if q not in entering]
        for q in ready:  # the list grows during the loop
            for r in epsilon.get(q, {}):
                entering[r] -= 1
                if not entering[r]:
                    ready.append(r)
        need(not any(entering.values()), "there are epsilon cycles, but no bound")


def check_epsilon(one, other):
    """Check that M'(a) = M(a) + M'(a) E, lambda' = lambda + lambda' E, so M' = M E*, lambda' = lambda E*."""
    epsilon = one.steps[""]
    need(other.n == one.n and not other.steps[""], "epsilon transitions are left, or states are missing")
    need(other.final == one.final, "without epsilon transitions, rho must be the same")
    need(other.initial == apply(other.initial, epsilon, one.initial), "lambda' is not lambda E*")
    for symbol, rows in one.steps.items():
        after = other.steps[symbol]
        for q in {*rows, *after} if symbol else ():
            image = apply(after.get(q, {}), epsilon, rows.get(q, {}))
            need(after.get(q, {}) == image, f"M' is not M E* for {symbol!r:.40}")


def follow(one, link, number):
    """Check a link, and return the automaton to which it goes."""
    kind, name = link.get("kind"), f"link {number} ({link.get('kind')})"
    need(kind in ("right", "left", "epsilon"), f"link {number}: 'kind' must be right, left or epsilon")
    known(link, ["kind", "to"] if kind == "epsilon" else ["kind", "to", "matrix"], ["bound"])
    check_converges(one, link.get("bound"))
    known(link["to"], ["states", "initial", "final", "transitions"])
    other = read(link["to"], one.steps)
    if kind == "epsilon":
        check_epsilon(one, other)
        return other
    entries = listed(link["matrix"], "a matrix", int, int, str)
    if kind == "right":
        check_right(one, other, sparse(entries, one.n, other.n), name, RIGHT)
    else:
        x = transposed(sparse(entries, other.n, one.n))
        check_right(one.mirrored(), other.mirrored(), x, name, LEFT)
    return other


def verdict(data):
    """Return the certificate's claim if it is proved; raise an error if not."""
    claim = claimed(data, ABOUT, "equivalent")
    known(data, ["format", "claims", "A", "B", "links", "figures"], ["about"])
    known(data["figures"], FIGURES)  # sizes and times, which are not checked
    listed([*data["figures"].values()], "figures", str)
    a, b = (side(data[name]) for name in "AB")
    same = data["A"]["semiring"] == data["B"]["semiring"] and {*a.steps} == {*b.steps}
    need(same, "A and B are over different semirings or alphabets")
    last = difference(a, b)
    for number, link in enumerate(listed(data["links"], "links", dict)):
        last = follow(last, link, number)
    need(not last.steps[""], "epsilon transitions are left")
    need(not last.initial or not last.final, "the last automaton must have no initial or no final weights")
    return claim


def normal(automaton):
    return {name: sorted(part) if name in LISTS else part for name, part in automaton.items()}


def about(data):
    """Return the fields that describe what an accepted certificate proves; ``says`` is a sentence."""
    sides, names = {}, []
    for name in "AB":
        semiring, n, key = data[name]["semiring"], data[name]["states"], digest(normal(data[name]))
        sides[name] = {"semiring": semiring, "states": n, "digest": key}
        names.append(f"the {semiring} automaton {name} ({many(n, 'state')}, digest {key[:16]})")
    says = (
        f"{' and '.join(names)} give every string over {shown(data['A']['alphabet'])} the same score,"
        f" by a chain of {many(len(data['links']), 'link')} from their difference to zero;"
        " the statistics in the certificate are not checked"
    )
    rest = {"claims": data["claims"], "links": len(data["links"]), "alphabet": data["A"]["alphabet"]}
    return {"says": says, **rest, **sides}


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
