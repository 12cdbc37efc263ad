"""Check that a cell is no small automaton: ``python check_hankel.py FILE``. Needs Python 3.11 and nothing else.

It shares no code with the rest of ratproof, nor the library that the rest computes balls with: here a number is an interval of two
decimals, rounded outwards. Python's decimal rounds sums, products and quotients as its context says, and exp correctly to the
nearest, so that the next number on each side encloses it. The certificate has a cell's weights, n prefixes p and n suffixes s.
Eliminated in intervals, the matrix H[p, s], a unit of the cell after reading ps, has no pivot whose interval holds 0: so it has
rank n. An automaton of m states, over a field that holds the real numbers, which gives every string the value of that unit, makes
H a product of n by m and m by n matrices, of rank m at most. So m is at least n, which is the claim.
"""

import json
import re
import sys
from dataclasses import dataclass
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from pathlib import Path

DOWN, UP, EXACT = (Context(MAX_PREC, rounding, MIN_EMIN, MAX_EMAX) for rounding in (ROUND_FLOOR, ROUND_CEILING, None))


def need(condition, reason):
    if not condition:
        raise ValueError(reason)


@dataclass(slots=True)
class Interval:  # all numbers from lo to hi
    lo: Decimal
    hi: Decimal

    __add__ = lambda x, y: Interval(DOWN.add(x.lo, y.lo), UP.add(x.hi, y.hi))
    __sub__ = lambda x, y: Interval(DOWN.subtract(x.lo, y.hi), UP.subtract(x.hi, y.lo))

    def __mul__(self, other):
        ends = [EXACT.multiply(x, y) for x in (self.lo, self.hi) for y in (other.lo, other.hi)]
        return Interval(DOWN.plus(min(ends)), UP.plus(max(ends)))

    def __truediv__(self, other):
        need(other.lo > 0 or other.hi < 0, "that the matrix has full rank does not show")
        return self * Interval(DOWN.divide(1, other.hi), UP.divide(1, other.lo))

    def sigmoid(self):  # 1 / (1 + exp(-x))
        low, high = DOWN.exp(self.hi.copy_negate()), UP.exp(self.lo.copy_negate())
        return ONE / (ONE + Interval(DOWN.next_minus(low), UP.next_plus(high)))

    def tanh(self):
        return Interval(Decimal(2), Decimal(2)) * (self + self).sigmoid() - ONE


ONE, ZERO = Interval(Decimal(1), Decimal(1)), Interval(Decimal(0), Decimal(0))


def number(text):
    if type(text) is list:
        return [number(part) for part in text]
    need(type(text) is str and re.fullmatch(r"-?\d{1,4000}(/\d{1,4000})?", text, re.ASCII), f"{text!r:.40} is no fraction")
    top, bottom = (Interval(DOWN.create_decimal(n), UP.create_decimal(n)) for n in Fraction(text).as_integer_ratio())
    return top / bottom


add = lambda *vectors: [sum(parts, ZERO) for parts in zip(*vectors, strict=True)]
times = lambda one, other: [x * y for x, y in zip(one, other, strict=True)]
mix = lambda f, c, u: add(times(f, c), times([ONE - z for z in f], u))
sigmoid, tanh = (lambda vector: [z.sigmoid() for z in vector]), (lambda vector: [z.tanh() for z in vector])
CELLS = {  # how many vectors the state has, in which of them the unit is, and the weights
    "elman": (1, 0, "W_h U_h b_h"), "elman-linear": (1, 0, "W_h U_h b_h"), "gru": (1, 0, "W_r U_r b_r W_z U_z b_z W_n b_n U_m b_m"),
    "lstm": (2, 0, "W_i U_i b_i W_f U_f b_f W_g U_g b_g W_o U_o b_o"), "rcnn": (2, 1, "W_l U_l b_l W_1 W_2"),
    "rcnn-unigram": (1, 0, "W_l U_l b_l W_1"), "scrn": (2, 1, "W_s alpha W_h P_h U_h"),
    "scrn-context": (2, 0, "W_s alpha W_h P_h U_h"), "sru": (1, 0, "W_f b_f W_u"), "sru-feedback": (1, 0, "W_f b_f v_f W_u"),
}  # fmt: skip


class Cell:  # its steps are those of docs/not_rational.md
    def __init__(self, data):
        self.name, self.letters, (vectors, self.shown, names) = data["cell"], data["letters"], CELLS[data["cell"]]
        need({*names.split()} == {*data["weights"]}, f"the weights are not {names}")
        self.w = {name: number(value) for name, value in data["weights"].items()}
        self.step, self.states = getattr(self, self.name.partition("-")[0]), {(): [[ZERO] * data["units"]] * vectors}

    def read(self, word):
        if word not in self.states:
            self.states[word] = self.step(self.letters.index(word[-1]), *self.read(word[:-1]))
        return self.states[word]

    def affine(self, gate, x, **reads):
        """The letter's column of W_gate, b_gate, and M_gate times the vector that M reads: the sum of those that there are."""
        parts = [[row[x] for row in self.w[f"W_{gate}"]]] if f"W_{gate}" in self.w else []
        parts += [self.w[f"b_{gate}"]] if f"b_{gate}" in self.w else []
        return add(*parts, *([sum(times(row, v), ZERO) for row in self.w[f"{m}_{gate}"]] for m, v in reads.items()))

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


def determinant(rows):
    """By elimination; where the pivot that is farthest from 0 has 0 in its interval, the division by it fails."""
    found = ONE
    while rows:
        best = max(range(len(rows)), key=lambda i: max(rows[i][0].lo, rows[i][0].hi.copy_negate()))
        pivot, *after = rows.pop(best)
        found = (ZERO - found if best % 2 else found) * pivot
        inverse = ONE / pivot  # asked for the last pivot too, where no row is left
        rows = [[a - m * b for a, b in zip(row[1:], after, strict=True)] for row in rows for m in [row[0] * inverse]]
    return found


def verdict(data):
    """What the certificate claims, where it shows it; else some error."""
    n, units, unit, bits = (data[name] for name in ("states", "units", "unit", "bits"))
    need(
        data["format"] == "ratproof certificate 1" and data["claims"] == f"at least {n} states",
        "it is of another format, or kind",
    )
    need(type(n) is int and n == len(data["prefixes"]) == len(data["suffixes"]) > 0, f"it needs {n} prefixes and {n} suffixes")
    need(type(units) is type(unit) is int and 0 <= unit < units <= 10**4, "there is no such unit")
    need(type(bits) is int and 0 < bits <= 10**5 and len({*data["letters"]}) == len(data["letters"]), "bits, or letters, are odd")
    DOWN.prec = UP.prec = bits // 3 + n + 20  # elimination loses about half a digit a row
    cell, (middle, radius) = Cell(data), map(Decimal, data["determinant"])
    found = determinant([[cell.read((*p, *s))[cell.shown][unit] for s in data["suffixes"]] for p in data["prefixes"]])
    need(found.lo <= UP.add(middle, radius) and found.hi >= DOWN.subtract(middle, radius), "the determinant is elsewhere")
    return data["claims"]


if __name__ == "__main__":
    try:
        print("accepted:", verdict(json.loads(Path(sys.argv[1]).read_text("utf-8"))))
    except Exception as error:
        sys.exit(f"rejected: {error}" if type(error) is ValueError else f"rejected: it is malformed, or no file: {error!r}")
