"""Check that a soft network follows its automaton: ``python check_boxes.py FILE``. Needs Python 3.11 and
nothing else.

It shares no code with the rest of ratproof: here a number is an interval of two integers, in units of 2^-96,
rounded outwards. The certificate has a network's weights, an automaton, and nodes: each stands for a state of
the automaton and has a box of mixtures alpha. Checked: the first mixture is in the box of node 0; each symbol
takes every mixture of a node's box into the box of the node that the arrow leads to, with that node's label
as the most probable centroid; and after the end token the classifier decides for every mixture in the box as
the state says. So, by induction, after every string the label and the decision are the automaton's.

A value over a box is its value at one mixture in it, plus the range of its gradient (over the box) times how
far mixtures are from that one. These differences sum to 0, so any one number may be taken off all entries of
a gradient; a good one is where greedy filling stops.
"""

import hashlib
import json
import re
import sys
from decimal import Context, Decimal
from fractions import Fraction
from math import isqrt
from operator import mul as times
from pathlib import Path

ABOUT = "a soft network"
FORMAT, CLAIM = "ratproof certificate 1", "the soft network follows its automaton"
OPTIONS = ("kind", "similarity", "temperature", "alphabet", "start_token")
ARRAYS = {
    "W": 2,
    "b": 1,
    "U": 2,
    "c": 1,
    "S": 2,
    "w": 1,
    "v": 0,
    "embedding": 2,
}  # each with its number of dimensions
P, DECIMAL, LABELS = 96, Context(70), ("after", "label", "accepts")
ONE, LESS, MORE = 1 << P, DECIMAL.subtract(1, Decimal("1e-45")), DECIMAL.add(1, Decimal("1e-45"))
UNIT, EVERY = (ONE, ONE), (-ONE, ONE)


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
sub = lambda x, y: (x[0] - y[1], x[1] - y[0])
hull = lambda x, y: (min(x[0], y[0]), max(x[1], y[1]))
meet = lambda x, y: (max(x[0], y[0]), min(x[1], y[1]))
total = lambda xs: (sum(x[0] for x in xs), sum(x[1] for x in xs))


def mul(x, y):
    ends = (x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1])
    return min(ends) >> P, ceil(max(ends))


def div(x, y):
    need(y[0] > 0, "a divisor may be 0")
    return (x[0] << P) // y[x[0] >= 0], -((-x[1] << P) // y[x[1] < 0])


def exp(n):
    need(n < ONE << 14, "the numbers are too large")
    # Python's decimal rounds exp correctly, to 70 digits; with what is lost before and behind, far less than
    # a share of 1e-45
    value = DECIMAL.multiply(DECIMAL.exp(DECIMAL.divide(n, ONE)), ONE)
    return int(DECIMAL.multiply(value, LESS)), int(DECIMAL.multiply(value, MORE)) + 1


def fixed(text, dimensions=0):  # floats in hexadecimal, as Python writes them, or nested lists of them
    if dimensions:
        return [
            fixed(part, dimensions - 1) for part in listed(text, "an array", str if dimensions == 1 else list)
        ]
    written = type(text) is str and re.fullmatch(
        r"-?0x[01]\.[0-9a-f]{1,13}p[+-](\d{1,3}|10[01]\d|102[0-3])", text
    )
    need(written and float.fromhex(text).hex() == text, f"{text!r:.40} is no finite float")
    top, bottom = float.fromhex(text).as_integer_ratio()
    return (top << P) // bottom, -((-top << P) // bottom)


def logistic(n):  # exp of negative numbers alone, which never overflows
    e = exp(-abs(n))
    return div(UNIT if n >= 0 else e, add(UNIT, e))


rising = lambda f: lambda xs: [hull(f(x[0]), f(x[1])) for x in xs]
sigmoid = rising(logistic)
tanh = rising(lambda n: tuple(2 * s - ONE for s in logistic(2 * n)))


def slope(
    xs, top, f
):  # of sigmoid or tanh, by their values: it grows up to one value, and falls from there on
    ends = [hull(f((x[0], x[0])), f((x[1], x[1]))) for x in xs]
    return [hull(e, f((top, top))) if x[0] <= top <= x[1] else e for x, e in zip(xs, ends, strict=True)]


sigmoid_slope = lambda xs: slope(xs, ONE // 2, lambda s: mul(s, sub(UNIT, s)))
tanh_slope = lambda xs: slope(xs, 0, lambda t: sub(UNIT, mul(t, t)))
each = lambda f, *vectors: [f(*entries) for entries in zip(*vectors, strict=True)]
rows = lambda vector, matrix: [[mul(x, g) for g in row] for x, row in zip(vector, matrix, strict=True)]
plus = lambda one, other: [each(add, r, s) for r, s in zip(one, other, strict=True)]


def product(one, other):  # with middles and radii, both doubled, summed exactly and rounded once
    split = lambda xs: ([x[0] + x[1] for x in xs], [x[1] - x[0] for x in xs])
    columns = [
        (m, r, [abs(v) + s for v, s in zip(m, r, strict=True)])
        for m, r in map(split, zip(*other, strict=True))
    ]
    rows = []
    need(all(len(row) == len(other) for row in one), "the shapes do not fit")
    for m, r in map(split, one):
        size = [abs(v) for v in m]
        pairs = (
            (sum(map(times, m, c)), sum(map(times, size, s)) + sum(map(times, r, t))) for c, s, t in columns
        )
        rows.append([((v - e) >> (P + 2), ceil(v + e, P + 2)) for v, e in pairs])
    return rows


class Box:
    def __init__(self, low, high):
        spare, left = sum(high) - sum(low), ONE - sum(low)
        need(
            all(a <= b for a, b in zip(low, high, strict=True)) and 0 <= left <= spare, "a box has no mixture"
        )
        self.middle = [a + (b - a) * left // (spare or 1) for a, b in zip(low, high, strict=True)]
        for i, b in enumerate(high):  # what was rounded off, so that they sum to 1 exactly
            self.middle[i] += min(b - self.middle[i], ONE - sum(self.middle))
        self.down, self.up = (
            [a - m for a, m in zip(low, self.middle, strict=True)],
            each(int.__sub__, high, self.middle),
        )

    def most(self, row):
        off, room = row[0][0], sum(self.down)
        for i in sorted(range(len(row)), key=lambda i: -sum(row[i])):
            off, room = sum(row[i]) // 2, room + self.up[i] - self.down[i]
            if room >= 0:
                break
        ends = zip(row, self.down, self.up, strict=True)
        return ceil(
            sum(
                max((g[1] - off) * u, (g[0] - off) * d, (g[1] - off) * d, (g[0] - off) * u)
                for g, d, u in ends
            )
        )

    def reach(self, middle, gradient):
        return [
            (m[0] - self.most([(-g[1], -g[0]) for g in row]), m[1] + self.most(row))
            for m, row in zip(middle, gradient, strict=True)
        ]


class Network:
    def __init__(self, data):
        known(data, [*OPTIONS, *ARRAYS])
        kind, similarity, temperature, alphabet, start_token = (data[name] for name in OPTIONS)
        need(
            kind in ("sr-gru", "sr-elman") and similarity in ("dot", "euclidean"),
            "the network is of another kind",
        )
        need(
            len({*listed(alphabet, "alphabet", str), ""}) == len(alphabet) + 1,
            "an alphabet has a symbol twice, or an empty one",
        )
        need(type(start_token) is bool, "start_token is something else than true or false")
        self.gru, self.dot, self.symbols = kind == "sr-gru", similarity == "dot", len(alphabet)
        W, b, U, c, self.S, self.w, self.v, E = (
            fixed(data[name], dimensions) for name, dimensions in ARRAYS.items()
        )
        written = type(temperature) is str and re.fullmatch(
            r"\d{1,400}(/(?=0*[1-9])\d{1,400})?", temperature, re.ASCII
        )
        need(written, f"the temperature {temperature!r:.40} is no fraction of whole numbers, or too long")
        tau = Fraction(temperature)
        need(tau > 0 and len(E) == self.symbols + 2, "the temperature, or the number of tokens, is wrong")
        self.cool, d = (
            ((ONE * tau.denominator) // tau.numerator, -((-ONE * tau.denominator) // tau.numerator)),
            len(self.S),
        )
        gates = [range(g * d, g * d + d) for g in range(3 if self.gru else 1)]
        need(
            len(W) == len(b) == len(U) == len(c) == d * len(gates) and len(self.w) == d,
            "the shapes do not fit",
        )
        need(
            d > 0 and self.S[0] and len({*map(len, self.S)}) == 1 and len({*map(len, E)}) == 1,
            "the shapes do not fit",
        )
        self.reads = [each(add, [r[0] for r in product(W, [[x] for x in e])], b) for e in E]
        self.gates, self.US, self.c = (
            gates,
            [product([U[i] for i in g], self.S) for g in gates],
            [[c[i] for i in g] for g in gates],
        )

    def u(self, token, box, S, US):  # at the middle, its gradient by alpha, and over the box
        at = lambda matrix: [r[0] for r in product(matrix, [[(m, m)] for m in box.middle])]
        read = [[self.reads[token][i] for i in g] for g in self.gates]
        mids = [each(add, at(M), c) for M, c in zip(US, self.c, strict=True)]
        ins = [each(add, m, r) for m, r in zip(mids, read, strict=True)]
        whole = [box.reach(m, M) for m, M in zip(ins, US, strict=True)]
        if not self.gru:
            mid, grad = tanh(ins[0]), rows(tanh_slope(tanh(whole[0])), US[0])
            return mid, grad, box.reach(mid, grad)
        r, z, h, inner = sigmoid(whole[0]), sigmoid(whole[1]), at(S), box.reach(mids[2], US[2])
        mid = each(add, read[2], each(mul, sigmoid(ins[0]), mids[2]))
        grad = plus(rows(each(mul, sigmoid_slope(r), inner), US[0]), rows(r, US[2]))
        n, n_mid = tanh(box.reach(mid, grad)), tanh(mid)
        grad = rows([sub(UNIT, x) for x in z], rows(tanh_slope(n), grad))
        grad = plus(
            plus(grad, rows(z, S)), rows(each(mul, sigmoid_slope(z), each(sub, box.reach(h, S), n)), US[1])
        )
        mid = each(add, n_mid, each(mul, sigmoid(ins[1]), each(sub, h, n_mid)))
        return mid, grad, box.reach(mid, grad)

    def gaps(self, u, label, box):  # (b_i - b_label) / tau at the middle, and their gradients
        mid, grad, whole = u
        centroids = [list(s) for s in zip(*self.S, strict=True)]
        if self.dot:
            pulls = centroids
            towards = [each(sub, s, centroids[label]) for s in centroids]
            middle = [r[0] for r in product(towards, [[x] for x in mid])]
        else:
            root = lambda xs: (isqrt(sum(x[0] * x[0] for x in xs)), isqrt(sum(x[1] * x[1] for x in xs)) + 1)
            size = lambda x: (max(x[0], -x[1], 0), max(x[1], -x[0]))
            lengths = [root([size(sub(a, b)) for a, b in zip(s, mid, strict=True)]) for s in centroids]
            middle, pulls = [sub(lengths[label], x) for x in lengths], []
            for apart in (each(sub, s, whole) for s in centroids):
                away = root([size(x) for x in apart])
                pulls.append([meet(div(x, away), EVERY) if away[0] > 0 else EVERY for x in apart])
            towards = [each(sub, p, pulls[label]) for p in pulls]
        return [mul(x, self.cool) for x in middle], [
            [mul(x, self.cool) for x in row] for row in product(towards, grad)
        ]

    def softmax(self, gaps):
        low, high = [exp(g[0])[0] for g in gaps], [exp(g[1])[1] for g in gaps]
        under, over = sum(low), sum(high)
        ends = zip(low, high, strict=True)
        return [
            (div((a, a), (1, a + over - b))[0], div((b, b), (b + under - a, b + under - a))[1])
            for a, b in ends
        ]

    def mixed(self, u, label, box):
        middle, grad = self.gaps(u, label, box)
        gaps = box.reach(middle, grad)
        need(all(g[1] < 0 for i, g in enumerate(gaps) if i != label), "the label is not certain")
        gaps[label] = (0, 0)
        alpha = self.softmax(gaps)
        mean = product([alpha], grad)[0]
        grad = rows(alpha, [each(sub, row, mean) for row in grad])
        return each(meet, alpha, box.reach(self.softmax(middle), grad))

    def decision(self, u, box):
        return box.reach(
            [add(product([self.w], [[x] for x in u[0]])[0][0], self.v)], product([self.w], u[1])
        )[0]


def verdict(data):
    """The certificate's claim, where it is shown; else some error."""
    known(data, ["format"], data)
    need(
        data["format"] == FORMAT, f"its format is {data['format']!r:.60}, where this program reads {FORMAT!r}"
    )
    need(data.get("about", ABOUT) == ABOUT, f"it is about {data.get('about')!r:.60}, not about {ABOUT}")
    need(data.get("claims") == CLAIM, f"{data.get('claims')!r:.40} is no claim that this program knows")
    known(data, ["format", "claims", "network", "automaton", "nodes"], ["about"])
    known(data["automaton"], LABELS)
    net, nodes, (after, label, accepts) = (
        Network(data["network"]),
        data["nodes"],
        (data["automaton"][x] for x in LABELS),
    )
    (
        listed(label, "label", int),
        listed(accepts, "accepts", bool),
        listed(after, "after", list),
        listed(nodes, "nodes", dict),
    )
    need(
        0 < len(after) == len(label) == len(accepts) and all(0 <= x < len(net.S[0]) for x in label),
        "states lack labels, decisions or arrows, or a label is no centroid",
    )
    for node in nodes:
        known(node, ["state", "after", "low", "high"])
        need(
            type(node["state"]) is int and 0 <= node["state"] < len(after),
            "a node is for no state of the automaton",
        )
    need(nodes and nodes[0]["state"] == 0, "node 0 is not for state 0")
    for there, rows in ((len(after), after), (len(nodes), [node["after"] for node in nodes])):
        for row in rows:
            fits = len(listed(row, "after", int)) == net.symbols and all(0 <= r < there for r in row)
            need(fits, "an arrow leads nowhere, or there are more or fewer arrows than symbols")
    boxes = [
        [[x[side] for x in fixed(n[name], 1)] for side, name in enumerate(("low", "high"))] for n in nodes
    ]

    def inside(alpha, node):
        need(
            all(a <= x[0] and x[1] <= b for x, a, b in zip(alpha, *boxes[node], strict=True)),
            f"mixtures leave node {node}'s box",
        )

    if data["network"]["start_token"]:
        point, nought = Box([ONE], [ONE]), [[(0, 0)]] * len(net.S)
        inside(net.mixed(net.u(net.symbols, point, nought, [nought] * len(net.gates)), label[0], point), 0)
    else:
        need(label[0] == 0, "the first label is not centroid 0")
        inside([(ONE * (i == 0),) * 2 for i in range(len(net.S[0]))], 0)
    for node, ends in zip(nodes, boxes, strict=True):
        box, state = Box(*ends), node["state"]
        for symbol, target in enumerate(node["after"]):
            need(nodes[target]["state"] == after[state][symbol], "the nodes do not refine the automaton")
            inside(net.mixed(net.u(symbol, box, net.S, net.US), label[after[state][symbol]], box), target)
        low, high = net.decision(net.u(net.symbols + 1, box, net.S, net.US), box)
        need(low > 0 if accepts[state] else high < 0, f"whether state {state} is accepted is not certain")
    return data["claims"]


def apart(network):
    return {name: value for name, value in network.items() if name != "temperature"}


def about(data):
    """The subject of an accepted certificate, in full; ``says`` is a sentence about it."""
    part, automaton = apart(data["network"]), data["automaton"]
    network, machine, tau = digest(part), digest(automaton), data["network"]["temperature"]
    near = float(Fraction(tau)) if Fraction(tau) < 2**1023 else 0.0
    says = (
        f"the {part['kind']} network ({many(len(part['S']), 'unit')}, {many(len(part['S'][0]), 'centroid')},"
        f" {network[:16]}) at temperature {repr(near) if Fraction(near) == Fraction(tau) else tau:.60} has,"
        f" after every string over {shown(part['alphabet'])}, the label of the automaton"
        f" ({many(len(automaton['label']), 'state')}, {machine[:16]}) as its most probable centroid, and"
        " accepts where that does"
    )
    answer = {
        "claims": data["claims"],
        "says": says,
        "network": {"kind": part["kind"], "digest": network, "temperature": tau},
    }
    return {
        **answer,
        "automaton": {"states": len(automaton["label"]), "digest": machine},
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
