"""Check that a cell is no small automaton: ``python check_hankel.py FILE``. Needs Python 3.11 and nothing
else.

It shares no code with the rest of ratproof, nor the library that the rest computes balls with: here a number
is an interval of two decimals, rounded outwards. Python's decimal rounds sums, products and quotients as its
context says, and exp correctly to the nearest, so that the next number on each side encloses it. The
certificate has a cell's weights, n prefixes p and n suffixes s. Eliminated in intervals, the matrix H[p, s],
a unit of the cell after reading ps, has no pivot whose interval holds 0: so it has rank n. An automaton of m
states, over a field that holds the real numbers, which gives every string the value of that unit, makes H a
product of n by m and m by n matrices, of rank m at most. So m is at least n, which is the claim.
"""

import hashlib
import json
import re
import sys
from dataclasses import dataclass
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from pathlib import Path

ABOUT = "a cell"
FORMAT, SECONDS = "ratproof certificate 1", 600  # where checking may take longer, nothing is checked
SHAPES = {
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
}  # by a weight's name, or else by its first letter
DOWN, UP, EXACT = (
    Context(MAX_PREC, rounding, MIN_EMIN, MAX_EMAX) for rounding in (ROUND_FLOOR, ROUND_CEILING, None)
)


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


@dataclass(slots=True)
class DecimalInterval:  # all numbers from lo to hi
    lo: Decimal
    hi: Decimal

    __add__ = lambda x, y: DecimalInterval(DOWN.add(x.lo, y.lo), UP.add(x.hi, y.hi))
    __sub__ = lambda x, y: DecimalInterval(DOWN.subtract(x.lo, y.hi), UP.subtract(x.hi, y.lo))

    def __mul__(self, other):
        ends = [EXACT.multiply(x, y) for x in (self.lo, self.hi) for y in (other.lo, other.hi)]
        return DecimalInterval(DOWN.plus(min(ends)), UP.plus(max(ends)))

    def __truediv__(self, other):
        need(other.lo > 0 or other.hi < 0, "that the matrix has full rank does not show")
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
        return DecimalInterval(Decimal(2), Decimal(2)) * (self + self).sigmoid() - ONE


ONE, ZERO = DecimalInterval(Decimal(1), Decimal(1)), DecimalInterval(Decimal(0), Decimal(0))


def numbers(value, name, *shape):
    """The weights, in lists that have this shape."""
    if shape:
        need(type(value) is list and len(value) == shape[0], f"{name} has another shape")
        return [numbers(part, name, *shape[1:]) for part in value]
    return number(value)


def number(text):
    fits = type(text) is str and re.fullmatch(r"-?\d{1,4300}(/(?=0*[1-9])\d{1,4300})?", text, re.ASCII)
    need(fits, f"{text!r:.40} is no fraction, or too long")
    top, bottom = (
        DecimalInterval(DOWN.create_decimal(n), UP.create_decimal(n))
        for n in Fraction(text).as_integer_ratio()
    )
    return top / bottom


dot = lambda one, other: sum(times(one, other), ZERO)
add = lambda *vectors: [sum(parts, ZERO) for parts in zip(*vectors, strict=True)]
times = lambda one, other: [x * y for x, y in zip(one, other, strict=True)]
mix = lambda f, c, u: add(times(f, c), times([ONE - z for z in f], u))
sigmoid, tanh = (lambda vector: [z.sigmoid() for z in vector]), (lambda vector: [z.tanh() for z in vector])
CELLS = {  # how many vectors the state has, in which of them the unit is, and the weights
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
    "linear-attention": (0, 1, "W_q W_k W_v"),
    "mlstm": (0, 1, "W_q W_k W_v W_o i f"),
    "rwkv-4": (0, 1, "w u W_k W_v"),
    "slstm": (3, 2, "W_i U_i b_i W_f U_f b_f W_z U_z b_z W_o U_o b_o"),
    "softmax-attention": (0, 1, "W_q W_k W_v"),
    "ttt": (None, 0, "W_q W_k W_v W_0 scale shift eta eps"),
}  # a state of no vectors is the letters so far and the units; None: the units, and the rows of a matrix


class CheckedCell:  # its steps are those of docs/not_rational.md
    def __init__(self, data):
        self.name, (vectors, self.shown, names) = data["cell"], CELLS[data["cell"]]
        self.letters = {x: place for place, x in enumerate(data["letters"])}
        known(data["weights"], names.split())
        sizes = {"units": data["units"], "letters": len(self.letters)}
        shape = {x: SHAPES.get(x, SHAPES.get(x[0])) for x in names.split()}
        self.w = {x: numbers(w, x, *(sizes[s] for s in shape[x])) for x, w in data["weights"].items()}
        self.step = getattr(self, self.name.partition("-")[0])
        zeros = [ZERO] * data["units"]
        state = [(), zeros] if vectors == 0 else [zeros] * (1 + len(zeros) if vectors is None else vectors)
        self.first, self.of_letters = (state, {}), {}  # a state, and what each letter makes of it

    def read(self, word):
        state, after = self.first
        for x in word:
            if x not in after:
                after[x] = self.step(self.letters[x], *state), {}
            state, after = after[x]
        return state

    def affine(self, gate, x, **reads):
        """The letter's column of W_gate, b_gate, and M_gate times the vector that M reads: the sum of those
        that there are.
        """
        parts = [[row[x] for row in self.w[f"W_{gate}"]]] if f"W_{gate}" in self.w else []
        parts += [self.w[f"b_{gate}"]] if f"b_{gate}" in self.w else []
        return add(
            *parts, *([sum(times(row, v), ZERO) for row in self.w[f"{m}_{gate}"]] for m, v in reads.items())
        )

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

    # Of these the printed sums over all letters so far, and no recurrence.

    def column(self, name, x):
        return [row[x] for row in self.w[f"W_{name}"]]

    def once(self, key, value):
        if key not in self.of_letters:
            self.of_letters[key] = value()
        return self.of_letters[key]

    def mean(self, letters, weights, least=None):  # of the values of the letters
        below = sum(weights, ZERO)
        below = below if least is None else below.maximum(ZERO - below).maximum(least)
        values = zip(*(self.column("v", y) for y in letters), strict=True)
        return [dot(weights, numbers) / below for numbers in values]

    def linear(self, x, before, _):
        letters = *before, x
        weights = [
            self.once((x, y), lambda y=y: dot(self.column("q", x), self.column("k", y))) for y in letters
        ]
        return letters, self.mean(letters, weights)

    def softmax(self, x, before, _):
        letters = *before, x
        weights = [
            self.once((x, y), lambda y=y: dot(self.column("q", x), self.column("k", y)).exp())
            for y in letters
        ]
        return letters, self.mean(letters, weights)

    def rwkv(self, x, before, _):
        letters, means = (*before, x), []
        for place, (w, u, keys) in enumerate(zip(self.w["w"], self.w["u"], self.w["W_k"], strict=True)):
            weights = []
            for later, y in zip(range(len(before) - 1, -2, -1), letters, strict=True):
                more = u if later < 0 else ZERO - w * DecimalInterval(Decimal(later), Decimal(later))
                weights.append(
                    self.once((place, later, y), lambda more=more, key=keys[y]: (more + key).exp())
                )
            means.append(self.mean(letters, weights)[place])
        return letters, means

    def mlstm(self, x, before, _):
        letters, weights, kept = (*before, x), [], ONE
        for y in reversed(letters):
            written = self.once(
                (x, y), lambda y=y: self.w["i"][y].exp() * dot(self.column("q", x), self.column("k", y))
            )
            weights.append(kept * written)
            kept = kept * self.once(y, lambda y=y: self.w["f"][y].sigmoid())
        return letters, times(sigmoid(self.column("o", x)), self.mean(letters, weights[::-1], least=ONE))

    def slstm(self, x, c, n, h):  # without a stabiliser
        raw = {gate: self.affine(gate, x, U=h) for gate in "ifzo"}
        i, f = [z.exp() for z in raw["i"]], sigmoid(raw["f"])
        c, n = add(times(f, c), times(i, tanh(raw["z"]))), add(times(f, n), i)
        return c, n, times(sigmoid(raw["o"]), [z / y for z, y in zip(c, n, strict=True)])

    def ttt(self, x, _, *learnt):
        q, k, v = (self.column(name, x) for name in "qkv")
        many = DecimalInterval(Decimal(len(k)), Decimal(len(k)))

        def normed(matrix, vector):
            z = [dot(add(row, more), vector) for row, more in zip(self.w["W_0"], matrix, strict=True)]
            z = [number - sum(z, ZERO) / many for number in z]
            deviation = (dot(z, z) / many + self.w["eps"]).sqrt()
            return [number / deviation for number in z], deviation

        hat, deviation = normed(learnt, k)
        fit = add(k, times(self.w["scale"], hat), self.w["shift"])
        error = [(y - z + y - z) * scale for y, z, scale in zip(fit, v, self.w["scale"], strict=True)]
        level, along = sum(error, ZERO) / many, dot(error, hat) / many
        slope = [
            (e - level - z * along) / deviation * self.w["eta"][x] for e, z in zip(error, hat, strict=True)
        ]
        learnt = [
            [z - e * y for z, y in zip(row, k, strict=True)] for row, e in zip(learnt, slope, strict=True)
        ]
        return add(q, times(self.w["scale"], normed(learnt, q)[0]), self.w["shift"]), *learnt


def determinant(rows):
    """By elimination; where the pivot that is farthest from 0 has 0 in its interval, the division by it
    fails.
    """
    result = ONE
    while rows:
        best = max(range(len(rows)), key=lambda i: max(rows[i][0].lo, rows[i][0].hi.copy_negate()))
        pivot, *after = rows.pop(best)
        result = (ZERO - result if best % 2 else result) * pivot
        inverse = ONE / pivot  # of the last pivot too, where no row is left
        rows = [
            [a - m * b for a, b in zip(row[1:], after, strict=True)]
            for row in rows
            for m in [row[0] * inverse]
        ]
    return result


def count(words):
    """The number of prefixes of the words."""
    tree, number = {}, 1
    for word in words:
        node = tree
        for x in word:
            number += x not in node
            node = node.setdefault(x, {})
    return number


def verdict(data):
    """The certificate's claim, where it is shown; else some error."""
    known(data, ["format"], data)
    need(
        data["format"] == FORMAT, f"its format is {data['format']!r:.60}, where this program reads {FORMAT!r}"
    )
    need(data.get("about", ABOUT) == ABOUT, f"it is about {data.get('about')!r:.60}, not about {ABOUT}")
    need(
        str(data.get("claims")).startswith("at least "),
        f"{data.get('claims')!r:.40} is no claim that this program knows",
    )
    fields = [
        "cell",
        "units",
        "unit",
        "states",
        "bits",
        "determinant",
        "letters",
        "weights",
        "prefixes",
        "suffixes",
    ]
    known(data, ["format", "claims", *fields], ["about", "every size"])
    listed(
        data.get("every size", []), "every size", str
    )  # it speaks of every number of states, and is not checked
    n, units, unit, bits = whole = [data[name] for name in ("states", "units", "unit", "bits")]
    need([*map(type, whole)] == [int] * 4, "states, units, unit and bits are no whole numbers")
    need(data["claims"] == f"at least {n} states", f"{data['claims']!r:.40} is not what {n} states are")
    words = [
        tuple(listed(word, "a string", str))
        for side in ("prefixes", "suffixes")
        for word in listed(data[side], side, list)
    ]
    need(n == len(data["prefixes"]) == len(data["suffixes"]) > 0, f"it needs {n} prefixes and {n} suffixes")
    need(0 <= unit < units <= 10**4 and 0 < bits <= 2**16, "there is no such unit, or no such precision")
    letters = {*listed(data["letters"], "letters", str)}
    need(len(letters) == len(data["letters"]) and "" not in letters, "a letter is there twice, or is empty")
    need(all(x in letters for word in words for x in word), "a string has another letter")
    need(
        type(data["cell"]) is str and data["cell"] in CELLS,
        f"{data['cell']!r:.40} is no cell that this program knows",
    )
    number = r"-?\d{1,999}([eE][-+]?\d{1,9})?"
    ends = listed(data["determinant"], "determinant", str)
    need(
        len(ends) == 2 and all(re.fullmatch(number, end, re.ASCII) for end in ends),
        "the determinant is no middle and radius",
    )
    DOWN.prec = UP.prec = digits = bits // 3 + n + 20  # elimination loses about half a digit a row
    cell, (middle, radius) = CheckedCell(data), map(Decimal, ends)
    length, seconds = n * sum(map(len, words)), n**3 / 3 * (4e-6 + digits * 5e-8)
    terms = max(map(len, words)) * 2 if CELLS[data["cell"]][0] == 0 else units
    if length < 10**7 and seconds < SECONDS:
        each = 1e-5 + digits**2 * 3e-8 + units * (1e-5 + digits * 1e-7)
        seconds += count((*p, *s) for p in words[:n] for s in words[n:]) * terms * len(cell.w) * each
    if length >= 10**7 or seconds >= SECONDS:
        raise TimeoutError(f"it may take more than the {SECONDS} seconds that this program takes at most")
    value = determinant([[cell.read((*p, *s))[cell.shown][unit] for s in words[n:]] for p in words[:n]])
    need(
        value.lo <= UP.add(middle, radius) and value.hi >= DOWN.subtract(middle, radius),
        "the determinant is elsewhere",
    )
    return data["claims"]


def about(data):
    """The subject of an accepted certificate, in full; ``says`` is a sentence about it."""
    part = {name: data[name] for name in ("cell", "units", "letters", "weights")}
    unit = (
        f"unit {data['unit']} of the cell {data['cell']} with {many(data['units'], 'unit')} and these weights"
        f" ({digest(part)[:16]})"
    )
    says = (
        "no automaton over a field that holds the real numbers with fewer than"
        f" {many(data['states'], 'state')} computes {unit}"
    )
    unseen = "; what is written there of every number of states is not checked" * ("every size" in data)
    rest = {name: data[name] for name in ("claims", "cell", "units", "unit", "states", "letters")}
    return {
        "says": f"{says} on strings over {shown(data['letters'])}{unseen}",
        **rest,
        "digest": digest(part),
    }


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
