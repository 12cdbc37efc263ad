"""Check that a network decides balanced parentheses: ``python check_counter.py FILE``. Needs Python 3.11 and
nothing else.

It shares no code with the rest of ratproof: here a number is an interval of two integers, in units of 2^-64,
rounded outwards. The certificate has a network's weights, with a cell state c, and one or two theorems: the
soft network is right on all strings up to a height and a length; the network with saturated gates (0 or 1,
the candidate's -1 or 1, where the pre-activation is more than 1/2 from zero) on those of every length up to
a height. Each theorem has nodes: a class of strings (dead or alive, and the height: see below) with a box of
states h and c.

Checked: the first state is in the box of node 0, of the class of the empty string. A symbol leads from any
state in a node's box to an h in the box of the node that the arrow names, whose class is that of the longer
string; there is no arrow exactly where the string would stand too high. The cell becomes c' = f c + m, with
f and m = i g enclosed
over the whole box: so bounds on c after n symbols give those after n + 1. They are followed for all lengths
that the theorem speaks of, or until they rest, and must stay in the boxes. After the end token the
classifier's logit is positive over the boxes of living strings at height 0, and negative over all others.
So, by induction, the network accepts a string if and only if it is balanced.

A string's height goes up by 1 with "(" and down by 1 with ")", not below 0: a ")" at height 0 leaves it
there and the string is dead from then on. A string is balanced if it is alive and its height is 0.
"""

import hashlib
import json
import re
import sys
from decimal import Context, Decimal
from fractions import Fraction
from operator import mul as times
from pathlib import Path

ABOUT = "a network that counts"
FORMAT, CLAIM = "ratproof certificate 1", "the network decides balanced parentheses"
OPTIONS = ("kind", "temperature", "alphabet", "start_token")
ARRAYS = {"W": 2, "b": 1, "U": 2, "c": 1, "P": 2, "S": 2, "w": 1, "v": 0, "embedding": 2}
KINDS = {"lstm": (False, False), "lstm-p": (True, False), "sr-lstm": (False, True), "sr-lstm-p": (True, True)}
P, DECIMAL, INF, ROUNDS = 64, Context(40), float("inf"), 20_000
ONE, LESS, MORE = 1 << P, DECIMAL.subtract(1, Decimal("1e-30")), DECIMAL.add(1, Decimal("1e-30"))
UNIT, HALF, NOBODY = (ONE, ONE), ONE >> 1, (INF, -INF)


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


ceil = lambda n, bits=P: -(-n >> bits)
add = lambda x, y: (x[0] + y[0], x[1] + y[1])
hull = lambda x, y: (min(x[0], y[0]), max(x[1], y[1]))
each = lambda f, *vectors: [f(*entries) for entries in zip(*vectors, strict=True)]


def mul(x, y):
    ends = (x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1])
    return min(ends) >> P, ceil(max(ends))


def div(x, y):
    need(y[0] > 0, "a divisor may be 0")
    return (x[0] << P) // y[x[0] >= 0], -((-x[1] << P) // y[x[1] < 0])


def exp(n):
    need(n < ONE << 14, "the numbers are too large")
    # Python's decimal rounds exp correctly, to 40 digits; with what is lost before and behind, far less than
    # a share of 1e-30
    value = DECIMAL.multiply(DECIMAL.exp(DECIMAL.divide(max(n, -ONE << 14), ONE)), ONE)
    return (0 if n < -ONE << 14 else int(DECIMAL.multiply(value, LESS))), int(
        DECIMAL.multiply(value, MORE)
    ) + 1


def logistic(n):  # exp of negative numbers alone, which never overflows
    if n in NOBODY:
        return UNIT if n > 0 else (0, 0)
    e = exp(-abs(n))
    return div(UNIT if n >= 0 else e, add(UNIT, e))


tangent = lambda n: tuple(2 * s - ONE for s in logistic(2 * n))
tanh = lambda x: (tangent(x[0])[0], tangent(x[1])[1])


def scale(number, x, upwards):
    """A number times a value that may be infinite; zero of it is zero."""
    if number == 0 or x in NOBODY:
        return 0 if number == 0 else x if number > 0 else -x
    return ceil(number * x) if upwards else number * x >> P


def fixed(text, dimensions=0):
    """Floats in hexadecimal, as Python writes them, or nested lists of them."""
    if dimensions:
        inner = str if dimensions == 1 else list
        return [fixed(part, dimensions - 1) for part in listed(text, "an array", inner)]
    top, bottom = ratio(text)
    return (top << P) // bottom, -((-top << P) // bottom)


def ratio(text):
    form = r"-?0x[01]\.[0-9a-f]{1,13}p[+-](\d{1,3}|10[01]\d|102[0-3])"
    need(
        type(text) is str and re.fullmatch(form, text) and float.fromhex(text).hex() == text,
        f"{text!r:.40} is no finite float",
    )
    return float.fromhex(text).as_integer_ratio()


def corner(texts, place, endless):
    """The lower (place 0) or upper corner of a box, rounded inwards; infinite where it is endless."""
    free = ("-inf", "inf")[place]
    return [
        (-INF, INF)[place] if endless and x == free else fixed(x)[1 - place]
        for x in listed(texts, "a corner", str)
    ]


def product(matrix, vector):
    """A matrix of intervals times a vector of them, summed exactly with doubled middles and radii."""
    middle, radius = [x[0] + x[1] for x in vector], [x[1] - x[0] for x in vector]
    size = [abs(m) + r for m, r in zip(middle, radius, strict=True)]
    out = []
    for row in matrix:
        need(len(row) == len(vector), "the shapes do not fit")
        m = [x[0] + x[1] for x in row]
        value = sum(map(times, m, middle))
        error = sum(map(times, map(abs, m), radius)) + sum(
            (x[1] - x[0]) * s for x, s in zip(row, size, strict=True) if x[0] != x[1]
        )
        out.append(((value - error) >> (P + 2), ceil(value + error, P + 2)))
    return out


class Network:
    def __init__(self, data):
        known(data, [*OPTIONS, *ARRAYS])
        kind, tau, alphabet, self.start_token = (data[name] for name in OPTIONS)
        need(type(kind) is str and kind in KINDS, "the network is of another kind")
        sees, mixes = KINDS[kind]
        need(
            len({*listed(alphabet, "alphabet", str), ""}) == len(alphabet) + 1 and {"(", ")"} <= {*alphabet},
            "an alphabet has a symbol twice, or an empty one, or it lacks a bracket",
        )
        need(type(self.start_token) is bool, "start_token is something else than true or false")
        W, b, self.U, c, self.P, S, self.w, self.v, E = (fixed(data[x], size) for x, size in ARRAYS.items())
        d, self.symbols = len(self.w), len(alphabet)
        self.turns = [(x == "(") - (x == ")") for x in alphabet]
        need(d > 0 and len(W) == len(b) == len(self.U) == len(c) == 4 * d, "the shapes do not fit")
        need(len(E) == self.symbols + 2 and len({*map(len, E), *map(len, W)}) == 1, "the shapes do not fit")
        need([*map(len, self.P)] == [d] * 3, "the shapes do not fit")
        need(sees or all(x == (0, 0) for row in self.P for x in row), "a network without peepholes has some")
        need(len(S) == (d if mixes else 0) and len({*map(len, S)}) == mixes, "the shapes do not fit")
        self.S = [list(s) for s in zip(*S, strict=True)]
        need(not mixes or self.S, "there are no centroids")
        form = r"\d{1,400}(/(?=0*[1-9])\d{1,400})?"
        fits = type(tau) is str and re.fullmatch(form, tau, re.ASCII) if mixes else tau == ""
        need(fits and (not mixes or Fraction(tau) > 0), f"the temperature {tau!r:.40} is wrong")
        if mixes:
            low, high = Fraction(tau).denominator << P, Fraction(tau).numerator
            self.cool = (low // high, -(-low // high))
        both = each(add, b, c)
        self.reads = [each(add, product(W, e), both) for e in E]
        self.d, self.saturated = d, False

    def end(self, x, soft, least, upwards):
        """A gate's value where its pre-activation is x: from below, or from above."""
        if self.saturated and abs(x) > HALF:
            return ONE if x > 0 else least
        return soft(x)[upwards]

    def gate(self, pre, row, c, soft=logistic, least=0):
        ends = []
        for x, peephole, cell in zip(pre, row, c, strict=True):
            below = min(scale(p, y, False) for p in peephole for y in cell)
            above = max(scale(p, y, True) for p in peephole for y in cell)
            ends.append((self.end(x[0] + below, soft, least, 0), self.end(x[1] + above, soft, least, 1)))
        return ends

    def gates(self, pre, c):
        """f, m = i g, and the output gate's pre-activation."""
        i, f, g, o = (pre[k * self.d : k * self.d + self.d] for k in range(4))
        blind = [(0, 0)] * self.d
        i, g = self.gate(i, self.P[0], c), self.gate(g, blind, c, tangent, -ONE)
        return self.gate(f, self.P[1], c), each(mul, i, g), o

    def output(self, o, c):
        return each(mul, self.gate(o, self.P[2], c), map(tanh, c))

    def mix(self, u):
        """The next h: s_l + sum_i alpha_i (s_i - s_l), which holds for every l."""
        if not self.S:
            return u
        apart = [product([s], u)[0] for s in self.S]
        best = max(range(len(self.S)), key=lambda i: sum(apart[i]))
        towards = [each(lambda x, y: (x[0] - y[1], x[1] - y[0]), s, self.S[best]) for s in self.S]
        gaps = [mul(g, self.cool) for g in product(towards, u)]
        gaps[best] = (0, 0)
        low, high = [exp(g[0])[0] for g in gaps], [exp(g[1])[1] for g in gaps]
        under, over, h = sum(low), sum(high), self.S[best]
        for i, (a, b) in enumerate(zip(low, high, strict=True)):
            if i != best:
                alpha = div((a, a), (1, a + over - b))[0], div((b, b), (b + under - a, b + under - a))[1]
                h = each(add, h, [mul(alpha, x) for x in towards[i]])
        return h

    def first(self):
        """The state before the first symbol."""
        nought = [(0, 0)] * self.d
        if not self.start_token:
            return (self.S[0] if self.S else nought), nought
        f, m, o = self.gates(self.reads[self.symbols], nought)
        c = [carry(*x, (0, 0)) for x in zip(f, m, strict=True)]
        return self.mix(self.output(o, c)), c

    def logit(self, inside, c):
        f, m, o = self.gates(each(add, inside, self.reads[self.symbols + 1]), c)
        u = self.output(o, each(carry, f, m, c))
        return add(product([self.w], u)[0], self.v)


def carry(f, m, c):
    """The cell's interval after a step: f c + m, where f is from 0 on."""
    return (
        scale(f[0] if c[0] >= 0 else f[1], c[0], False) + m[0],
        scale(f[1] if c[1] >= 0 else f[0], c[1], True) + m[1],
    )


def theorem(net, data):
    """Check one theorem; its gates, height and length."""
    known(data, ["gates", "height", "groups", "nodes"], ["length"])
    gates, height, length, nodes = data["gates"], data["height"], data.get("length"), data["nodes"]
    need(gates in ("soft", "saturated") and type(height) is int and height >= 0, "gates or height are wrong")
    need((length is None) == (gates == "saturated"), "soft gates have a length, and saturated ones have none")
    need(length is None or (type(length) is int and length >= 0), "a length is wrong")
    net.saturated = gates == "saturated"
    groups = [listed(group, "a group of symbols", int) for group in listed(data["groups"], "groups", list)]
    need(
        sorted(x for group in groups for x in group) == [*range(net.symbols)] and all(groups),
        "the groups are not all symbols once",
    )
    turns = [net.turns[group[0]] for group in groups]
    need(
        all(net.turns[x] == t for g, t in zip(groups, turns, strict=True) for x in g),
        "a group mixes brackets",
    )
    h, c, classes = [], [], []
    for node in listed(nodes, "nodes", dict):
        known(node, ["dead", "height", "after", "h", "c"])
        need(type(node["dead"]) is bool and type(node["height"]) is int, "a node has no class")
        need(0 <= node["height"] <= height, "a node is higher than the theorem")
        need(len(listed(node["after"], "after", int)) == len(groups), "arrows are more or fewer than groups")
        classes.append((node["dead"], node["height"]))
        for boxes, name in ((h, "h"), (c, "c")):
            need(len(listed(node[name], "a box", list)) == 2, "a box has not two corners")
            low, high = (corner(node[name][side], side, net.saturated and name == "c") for side in (0, 1))
            need(
                len(low) == len(high) == net.d
                and all(map(int.__le__ if name == "h" else lambda a, b: a <= b, low, high)),
                "a box is empty",
            )
            boxes.append([*zip(low, high, strict=True)])
    need(classes and classes[0] == (False, 0), "node 0 is not that of the empty string")

    def holds(values, node):
        need(
            all(low <= x[0] and x[1] <= high for x, (low, high) in zip(values, h[node], strict=True)),
            f"h leaves node {node}'s box",
        )

    first_h, first_c = net.first()
    holds(first_h, 0)
    reads = [
        [*map(lambda *xs: (min(x[0] for x in xs), max(x[1] for x in xs)), *(net.reads[x] for x in g))]
        for g in groups
    ]
    arrows = []
    for place, (dead, stands) in enumerate(classes):
        inside = product(net.U, h[place])
        for group, to in enumerate(nodes[place]["after"]):
            turn = turns[group]
            falls, stood = turn < 0 and stands == 0, max(stands + turn, 0)
            if stood > height:
                need(to == -1, f"node {place} has an arrow to a string that stands too high")
                continue
            need(0 <= to < len(nodes), f"an arrow of node {place} leads nowhere")
            need(classes[to] == (dead or falls, stood), f"an arrow of node {place} leads to another class")
            f, m, o = net.gates(each(add, inside, reads[group]), c[place])
            cell = [
                (max(x[0], y[0]), min(x[1], y[1]))
                for x, y in zip(each(carry, f, m, c[place]), c[to], strict=True)
            ]  # what is not in the target's box is looked for below
            cell = [x if x[0] <= x[1] else y for x, y in zip(cell, c[to], strict=True)]
            holds(net.mix(net.output(o, cell)), to)
            arrows.append((place, to, f, m))
        low, high = net.logit(inside, c[place])
        need(
            high < 0 if (dead, stands) != (False, 0) else low > 0,
            f"the decision at node {place} is not certain",
        )
    for unit in range(net.d):
        boxes = [box[unit] for box in c]
        follow([(s, t, f[unit], m[unit]) for s, t, f, m in arrows], boxes, first_c[unit], length, unit)
    return gates, height, length


def follow(arrows, boxes, start, length, unit):
    """The bounds on one unit's cell after each number of symbols, which must stay in the boxes."""
    closed = all(
        boxes[t][0] <= x[0] and x[1] <= boxes[t][1] for s, t, f, m in arrows for x in (carry(f, m, boxes[s]),)
    )
    need(
        boxes[0][0] <= start[0] and start[1] <= boxes[0][1],
        f"the first cell leaves node 0's box at unit {unit}",
    )
    if closed:  # one step leads from the boxes into the boxes, so that any number does
        return
    free = [(b[0] == -INF, b[1] == INF) for b in boxes]
    now = [NOBODY] * len(boxes)
    now[0] = start
    now = [(-INF if b[0] else x[0], INF if b[1] else x[1]) for x, b in zip(now, free, strict=True)]
    for _ in range(ROUNDS if length is None else length):
        then = list(now)
        for s, t, f, m in arrows:
            if now[s] != NOBODY:
                low, high = carry(f, m, now[s])
                low, high = min(low, then[t][0]), max(high, then[t][1])
                then[t] = (-INF if free[t][0] else low), (INF if free[t][1] else high)
        if then == now:
            return
        for place, (x, b) in enumerate(zip(then, boxes, strict=True)):
            need(
                x == NOBODY or (b[0] <= x[0] and x[1] <= b[1]),
                f"the cell leaves node {place}'s box at unit {unit}",
            )
        now = then
    need(length is not None, f"the cell's bounds never come to rest at unit {unit}")


def verdict(data):
    """The certificate's claim, where it is shown; else some error."""
    known(data, ["format"], data)
    need(
        data["format"] == FORMAT, f"its format is {data['format']!r:.60}, where this program reads {FORMAT!r}"
    )
    need(data.get("about", ABOUT) == ABOUT, f"it is about {data.get('about')!r:.60}, not about {ABOUT}")
    need(data.get("claims") == CLAIM, f"{data.get('claims')!r:.40} is no claim that this program knows")
    known(data, ["format", "claims", "network", "theorems"], ["about"])
    net, shown = Network(data["network"]), listed(data["theorems"], "theorems", dict)
    need(0 < len(shown) <= 2, "there is no theorem, or there are too many")
    kinds = [theorem(net, one)[0] for one in shown]
    need(len({*kinds}) == len(kinds), "two theorems are about the same gates")
    return data["claims"]


def apart(network):
    return {name: value for name, value in network.items() if name != "temperature"}


def about(data):
    """The subject of an accepted certificate, in full; ``says`` is a sentence about it."""
    part, tau = apart(data["network"]), data["network"]["temperature"]
    network, d = digest(part), len(part["w"])
    texts, theorems = [], []
    for one in data["theorems"]:
        soft = one["gates"] == "soft"
        reach = f"of length at most {one['length']}" if soft else "of every length"
        texts.append(
            f"{'' if soft else 'with saturated gates '}on all strings {reach} and"
            f" height at most {one['height']}"
        )
        theorems.append({name: one[name] for name in ("gates", "height", "length") if name in one})
    says = (
        f"the {part['kind']} network ({many(d, 'unit')}, {network[:16]})"
        + (f" at temperature {float(Fraction(tau))!r:.60}" if tau else "")
        + f" accepts, among the strings over {shown(part['alphabet'])}, those with balanced parentheses"
        f" and no others: {'; '.join(texts)}"
    )
    return {
        "claims": data["claims"],
        "says": says,
        "network": {"kind": part["kind"], "digest": network, "temperature": tau},
        "theorems": theorems,
        "alphabet": part["alphabet"],
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
