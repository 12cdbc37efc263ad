"""Check that no small automaton computes a cell: ``python check_hankel.py FILE``.

It needs only Python 3.11 or newer. It shares neither code nor the library for ball arithmetic with ratproof.
A number is an interval of two decimals, rounded outwards. Python's decimal rounds sums, products and
quotients in the context's direction. It rounds exp to the nearest decimal, so the two neighbours enclose exp.

The certificate has a cell's weights, n prefixes p and n suffixes s. H[p, s] is a unit of the cell after
reading ps. If interval elimination of H has no pivot that may be 0, H has rank n. If an automaton with m
states, over a field that contains the real numbers, gives every string the value of the unit, H is the
product of an n by m and an m by n matrix. Its rank is then at most m, so m is at least n, as claimed.
"""

import hashlib
import json
import re
import sys
from dataclasses import dataclass
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from pathlib import Path

ABOUT, SECONDS = "a cell", 600  # a check that may take more seconds is not started
SHAPES = {  # keyed by a weight's name, or by its first letter
    "W": ("units", "letters"),
    "U": ("units", "units"),
    "P": ("units", "units"),
    "b": ("units",),
    "v": ("units",),
    "a": (),
    **dict.fromkeys(["w", "u", "scale", "shift"], ("units",)),
    **dict.fromkeys(["i", "f", "eta"], ("letters",)),
    "W_0": ("units", "units"),
    "eps": (),
}
DOWN, UP, EXACT = (
    Context(MAX_PREC, rounding, MIN_EMIN, MAX_EMAX) for rounding in (ROUND_FLOOR, ROUND_CEILING, None)
)


@dataclass(slots=True)
class DecimalInterval:  # the numbers from lo to hi
    lo: Decimal
    hi: Decimal

    def __add__(self, other):
        return DecimalInterval(DOWN.add(self.lo, other.lo), UP.add(self.hi, other.hi))

    def __sub__(self, other):
        return DecimalInterval(DOWN.subtract(self.lo, other.hi), UP.subtract(self.hi, other.lo))

    def __mul__(self, other):
        ends = [EXACT.multiply(x, y) for x in (self.lo, self.hi) for y in (other.lo, other.hi)]
        return DecimalInterval(DOWN.plus(min(ends)), UP.plus(max(ends)))

    def __truediv__(self, other):
        need(other.lo > 0 or other.hi < 0, "the matrix is not shown to have full rank")
        return self * DecimalInterval(DOWN.divide(1, other.hi), UP.divide(1, other.lo))

    def exp(self):
        return DecimalInterval(DOWN.next_minus(DOWN.exp(self.lo)), UP.next_plus(UP.exp(self.hi)))

    def sqrt(self):
        low, high = DOWN.next_minus(DOWN.sqrt(self.lo)), UP.next_plus(UP.sqrt(self.hi))
        return DecimalInterval(max(low, ZERO.lo), high)

    def maximum(self, other):
        return DecimalInterval(max(self.lo, other.lo), max(self.hi, other.hi))

    def sigmoid(self):  # 1 / (1 + exp(-x))
        return ONE / (ONE + (ZERO - self).exp())

    def tanh(self):
        return exactly(2) * (self + self).sigmoid() - ONE


def exactly(n):
    return DecimalInterval(Decimal(n), Decimal(n))


ONE, ZERO = exactly(1), exactly(0)


def numbers(value, name, *shape):
    """Return the weights as nested lists of intervals of this shape."""
    if shape:
        need(type(value) is list and len(value) == shape[0], f"{name} has the wrong shape")
        return [numbers(part, name, *shape[1:]) for part in value]
    return number(value)


def number(text):
    fits = type(text) is str and re.fullmatch(r"-?\d{1,4300}(/(?=0*[1-9])\d{1,4300})?", text, re.ASCII)
    need(fits, f"{text!r:.40} is not a fraction, or is too long")
    ends = Fraction(text).as_integer_ratio()
    top, bottom = (DecimalInterval(DOWN.create_decimal(n), UP.create_decimal(n)) for n in ends)
    return top / bottom


def add(*vectors):
    return [sum(parts, ZERO) for parts in zip(*vectors, strict=True)]


def times(one, other):
    return [x * y for x, y in zip(one, other, strict=True)]


def dot(one, other):
    return sum(times(one, other), ZERO)


def mix(f, c, u):
    return add(times(f, c), times([ONE - z for z in f], u))


def sigmoid(vector):
    return [z.sigmoid() for z in vector]


def tanh(vector):
    return [z.tanh() for z in vector]


CELLS = {  # the number of the state's vectors, the index of the vector of units, and the weights' names
    "elman": (1, 0, "W_h U_h b_h"),
    "elman-linear": (1, 0, "W_h U_h b_h"),
    "gru": (1, 0, "W_r U_r b_r W_z U_z b_z W_n b_n U_m b_m"),
    "lstm": (2, 0, "W_i U_i b_i W_f U_f b_f W_g U_g b_g W_o U_o b_o"),
    "rcnn": (2, 1, "W_l U_l b_l W_1 W_2"),
    "rcnn-unigram": (1, 0, "W_l U_l b_l W_1"),
    "scrn": (2, 1, "W_s alpha W_h P_h U_h"),
    "scrn-context": (2, 0, "W_s alpha W_h P_h U_h"),
    "sru": (1, 0, "W_f b_f W_u"),
    "sru-feedback": (1, 0, "W_f b_f v_f W_u"),
    "gsa": (0, 1, "W_q W_k W_v W_a"),
    "linear-attention": (0, 1, "W_q W_k W_v"),
    "mesa-net": (0, 1, "W_q W_k W_v f i w"),
    "mlstm": (0, 1, "W_q W_k W_v W_o i f"),
    "rwkv-4": (0, 1, "w u W_k W_v"),
    "slstm": (3, 2, "W_i U_i b_i W_f U_f b_f W_z U_z b_z W_o U_o b_o"),
    "softmax-attention": (0, 1, "W_q W_k W_v"),
    "ttt": (None, 0, "W_q W_k W_v W_0 scale shift eta eps"),
}  # With 0 vectors, the state is the letters so far and the units. With None, it is the units and a matrix.


class CheckedCell:  # docs/explanation/not_rational.md has the equations of the steps
    def __init__(self, data):
        self.name, (vectors, self.shown, names) = data["cell"], CELLS[data["cell"]]
        self.letters = {x: index for index, x in enumerate(data["letters"])}
        known(data["weights"], names.split())
        sizes = {"units": data["units"], "letters": len(self.letters)}
        shape = {x: SHAPES.get(x, SHAPES.get(x[0])) for x in names.split()}
        self.w = {x: numbers(w, x, *(sizes[s] for s in shape[x])) for x, w in data["weights"].items()}
        self.step = getattr(self, self.name.partition("-")[0])
        zeros = [ZERO] * data["units"]
        state = [(), zeros] if vectors == 0 else [zeros] * (1 + len(zeros) if vectors is None else vectors)
        self.first, self.of_letters = (state, {}), {}  # a node has a state, and the next node for each letter

    def read(self, word):
        state, after = self.first
        for x in word:
            if x not in after:
                after[x] = self.step(self.letters[x], *state), {}
            state, after = after[x]
        return state

    def affine(self, gate, x, **reads):
        """Return the letter's column of W_gate, plus b_gate, plus M_gate v for each M and v in ``reads``.

        Missing terms are omitted.
        """
        parts = [self.column(gate, x)] if f"W_{gate}" in self.w else []
        parts += [self.w[f"b_{gate}"]] if f"b_{gate}" in self.w else []
        parts += [[dot(row, v) for row in self.w[f"{matrix}_{gate}"]] for matrix, v in reads.items()]
        return add(*parts)

    def elman(self, x, h):
        return [(tanh if self.name == "elman" else list)(self.affine("h", x, U=h))]

    def lstm(self, x, c, h):
        i, f, o = (sigmoid(self.affine(gate, x, U=h)) for gate in "ifo")
        c = add(times(f, c), times(i, tanh(self.affine("g", x, U=h))))
        return c, times(o, tanh(c))

    def gru(self, x, h):
        r, z = (sigmoid(self.affine(gate, x, U=h)) for gate in "rz")
        return [mix(z, h, tanh(add(self.affine("n", x), times(r, self.affine("m", x, U=h)))))]

    def sru(self, x, c):
        gate = add(self.affine("f", x), times(self.w.get("v_f", [ZERO] * len(c)), c))
        return [mix(sigmoid(gate), c, self.affine("u", x))]

    def rcnn(self, x, *c):
        fresh = [self.affine("1", x), *(times(old, self.affine("2", x)) for old in c[:-1])]
        return [mix(sigmoid(self.affine("l", x, U=c[-1])), *pair) for pair in zip(c, fresh, strict=True)]

    def scrn(self, x, s, h):
        s = mix([self.w["alpha"]] * len(s), s, self.affine("s", x))
        return s, sigmoid(self.affine("h", x, P=s, U=h))

    # The papers' equations of the following units are sums over all letters so far, not recurrences.

    def column(self, name, x):
        return [row[x] for row in self.w[f"W_{name}"]]

    def once(self, key, value):
        if key not in self.of_letters:
            self.of_letters[key] = value()
        return self.of_letters[key]

    def mean(self, letters, weights, least=None):  # the weighted mean of the letters' values
        below = sum(weights, ZERO)
        below = below if least is None else below.maximum(ZERO - below).maximum(least)
        values = zip(*(self.column("v", y) for y in letters), strict=True)
        return [dot(weights, numbers) / below for numbers in values]

    def match(self, x, y):
        return dot(self.column("q", x), self.column("k", y))

    def linear(self, x, before, _):
        letters = *before, x
        weights = [self.once((x, y), lambda y=y: self.match(x, y)) for y in letters]
        return letters, self.mean(letters, weights)

    def softmax(self, x, before, _):
        letters = *before, x
        weights = [self.once((x, y), lambda y=y: self.match(x, y).exp()) for y in letters]
        return letters, self.mean(letters, weights)

    def rwkv(self, x, before, _):
        letters, means = (*before, x), []
        for unit, (w, u, keys) in enumerate(zip(self.w["w"], self.w["u"], self.w["W_k"], strict=True)):
            weights = []
            for later, y in zip(range(len(before) - 1, -2, -1), letters, strict=True):
                more = u if later < 0 else ZERO - w * exactly(later)
                key = unit, later, y
                weights.append(self.once(key, lambda more=more, k=keys[y]: (more + k).exp()))
            means.append(self.mean(letters, weights)[unit])
        return letters, means

    def mlstm(self, x, before, _):
        letters, weights, kept = (*before, x), [], ONE
        for y in reversed(letters):
            written = self.once((x, y), lambda y=y: self.w["i"][y].exp() * self.match(x, y))
            weights.append(kept * written)
            kept = kept * self.once(y, lambda y=y: self.w["f"][y].sigmoid())
        return letters, times(sigmoid(self.column("o", x)), self.mean(letters, weights[::-1], least=ONE))

    def gsa(self, x, before, _):
        letters, weights, kept = (*before, x), [], [ONE] * len(self.w["W_a"])
        for y in reversed(letters):
            gate = self.once(y, lambda y=y: sigmoid(self.column("a", y)))
            weights.append(times(kept, [ONE - z for z in gate]))
            kept = times(kept, gate)
        slots = list(zip(*weights[::-1], strict=True))

        def memory(name):  # a row for each unit, with a number for each slot
            columns = list(zip(*(self.column(name, y) for y in letters), strict=True))
            return [[dot(slot, row) for slot in slots] for row in columns]

        scores = [dot(self.column("q", x), slot).exp() for slot in zip(*memory("k"), strict=True)]
        return letters, [dot(scores, row) / sum(scores, ZERO) for row in memory("v")]

    def mesa(self, x, before, _):  # each unit is the quotient of two determinants
        letters, weights, kept = (*before, x), [], ONE
        for y in reversed(letters):
            weights.append(kept * self.once((y, "i"), lambda y=y: self.w["i"][y].sigmoid()))
            kept = kept * self.once((y, "f"), lambda y=y: self.w["f"][y].sigmoid())
        keys, values = (
            list(zip(*(self.column(name, y) for y in reversed(letters)), strict=True)) for name in "kv"
        )
        right = self.column("q", x)
        rows = [[dot(times(weights, one), other) for other in keys] for one in keys]
        rows = [
            [z + more if i == j else z for j, z in enumerate(row)]
            for i, (row, more) in enumerate(zip(rows, self.w["w"], strict=True))
        ]
        sides = [[dot(times(weights, value), key) for key in keys] for value in values]
        bordered = [[[*row, z] for row, z in zip(rows, right, strict=True)] for _ in sides]
        below = determinant([*map(list, rows)])
        above = [
            determinant([*matrix, [*(ZERO - z for z in side), ZERO]])
            for matrix, side in zip(bordered, sides, strict=True)
        ]
        return letters, [z / below for z in above]

    def slstm(self, x, c, n, h):  # without a stabiliser
        raw = {gate: self.affine(gate, x, U=h) for gate in "ifzo"}
        i, f = [z.exp() for z in raw["i"]], sigmoid(raw["f"])
        c, n = add(times(f, c), times(i, tanh(raw["z"]))), add(times(f, n), i)
        return c, n, times(sigmoid(raw["o"]), [z / y for z, y in zip(c, n, strict=True)])

    def ttt(self, x, _, *learnt):
        q, k, v = (self.column(name, x) for name in "qkv")
        size = exactly(len(k))

        def normed(matrix, vector):
            z = [dot(add(row, more), vector) for row, more in zip(self.w["W_0"], matrix, strict=True)]
            z = [number - sum(z, ZERO) / size for number in z]
            deviation = (dot(z, z) / size + self.w["eps"]).sqrt()
            return [number / deviation for number in z], deviation

        hat, deviation = normed(learnt, k)
        fit = add(k, times(self.w["scale"], hat), self.w["shift"])
        error = [(y - z + y - z) * scale for y, z, scale in zip(fit, v, self.w["scale"], strict=True)]
        level, along = sum(error, ZERO) / size, dot(error, hat) / size
        slopes = [(e - level - z * along) / deviation for e, z in zip(error, hat, strict=True)]
        moves = [slope * self.w["eta"][x] for slope in slopes]
        learnt = [
            [z - e * y for z, y in zip(row, k, strict=True)] for row, e in zip(learnt, moves, strict=True)
        ]
        return add(q, times(self.w["scale"], normed(learnt, q)[0]), self.w["shift"]), *learnt


def determinant(rows):
    """Return the determinant, by elimination.

    The pivot is the interval farthest from 0. The division by it fails if it contains 0.
    """
    result = ONE
    while rows:
        best = max(range(len(rows)), key=lambda i: max(rows[i][0].lo, rows[i][0].hi.copy_negate()))
        pivot, *after = rows.pop(best)
        result = (ZERO - result if best % 2 else result) * pivot
        inverse, left = ONE / pivot, []  # also divides by the last pivot, to check that it is not 0
        for first, *row in rows:
            m = first * inverse
            left.append([a - m * b for a, b in zip(row, after, strict=True)])
        rows = left
    return result


def count(words):
    """Return the number of different prefixes of the words."""
    tree, number = {}, 1
    for word in words:
        node = tree
        for x in word:
            number += x not in node
            node = node.setdefault(x, {})
    return number


def verdict(data):
    """Return the certificate's claim if it is proved; raise an error if not."""
    fields = ["cell", "units", "unit", "states", "bits", "determinant", "letters", "weights"]
    strings = ["prefixes", "suffixes"]
    claim = claimed(data, ABOUT, "at least .*")
    known(data, ["format", "claims", *fields, *strings], ["about", "every size"])
    listed(data.get("every size", []), "every size", str)  # the hypotheses of a theorem; not checked
    n, units, unit, bits = (data[name] for name in ("states", "units", "unit", "bits"))
    need(all(type(x) is int for x in (n, units, unit, bits)), "states, units, unit and bits must be integers")
    need(claim == f"at least {n} states", f"'claims' must be 'at least {n} states', got {claim!r:.40}")
    words = [listed(word, "a string", str) for side in strings for word in listed(data[side], side, list)]
    need(n == len(data["prefixes"]) == len(data["suffixes"]) > 0, f"there must be {n} prefixes and suffixes")
    need(0 <= unit < units <= 10**4, f"'unit' must be from 0 to {units - 1}, and 'units' at most 10000")
    need(0 < bits <= 2**16, f"'bits' must be from 1 to 65536, got {bits}")
    letters = {*listed(data["letters"], "letters", str)}
    need(len(letters) == len(data["letters"]) and "" not in letters, "a letter occurs twice, or is empty")
    need(all(x in letters for word in words for x in word), "a string has an unknown letter")
    fits = type(data["cell"]) is str and data["cell"] in CELLS
    need(fits, f"{data['cell']!r:.40} is not a cell that this program supports")
    form, ends = r"-?\d{1,999}([eE][-+]?\d{1,9})?", listed(data["determinant"], "determinant", str)
    fits = len(ends) == 2 and all(re.fullmatch(form, end, re.ASCII) for end in ends)
    need(fits, "the determinant must have a midpoint and a radius")
    DOWN.prec = UP.prec = digits = bits // 3 + n + 20  # elimination loses about half a digit a row
    cell, (middle, radius) = CheckedCell(data), map(Decimal, ends)
    length, seconds = n * sum(map(len, words)), n**3 / 3 * (4e-6 + digits * 5e-8)
    terms = max(map(len, words)) * 2 if CELLS[data["cell"]][0] == 0 else units
    if length < 10**7 and seconds < SECONDS:
        each = 1e-5 + digits**2 * 3e-8 + units * (1e-5 + digits * 1e-7)
        seconds += count((*p, *s) for p in words[:n] for s in words[n:]) * terms * len(cell.w) * each
    if length >= 10**7 or seconds >= SECONDS:
        raise TimeoutError(f"it may take more than {SECONDS} seconds, the limit of this program")
    value = determinant([[cell.read((*p, *s))[cell.shown][unit] for s in words[n:]] for p in words[:n]])
    fits = value.lo <= UP.add(middle, radius) and value.hi >= DOWN.subtract(middle, radius)
    need(fits, "the computed determinant is not within the radius of the claimed midpoint")
    return claim


def about(data):
    """Return the fields that describe what an accepted certificate proves; ``says`` is a sentence."""
    part = {name: data[name] for name in ("cell", "units", "letters", "weights")}
    unseen = "; the certificate's 'every size' statement is not checked" if "every size" in data else ""
    says = (
        f"no automaton with fewer than {many(data['states'], 'state')}, over any field that contains the real"
        f" numbers, computes unit {data['unit']} of the cell {data['cell']} with"
        f" {many(data['units'], 'unit')} and these weights (digest {digest(part)[:16]})"
        f" on strings over {shown(data['letters'])}{unseen}"
    )
    rest = {name: data[name] for name in ("claims", "cell", "units", "unit", "states", "letters")}
    return {"says": says, **rest, "digest": digest(part)}


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
