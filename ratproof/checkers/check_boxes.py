"""Check that a soft network follows its automaton: ``python check_boxes.py FILE``.

It needs only Python 3.11 or newer. It shares no code with the rest of ratproof. A number is an interval of
two integers, in units of 2^-96, rounded outwards. The certificate has a network's weights, an automaton, and
nodes. Each node represents a state of the automaton and has a box of mixtures alpha.

The first mixture must be in the box of node 0. Each symbol must map every mixture of a node's box into the
box of the transition's target. The most probable centroid of the result must be the target's label. After the
end token, the classifier's decision for every mixture in the box must be the decision of the state. By
induction, the label and the decision after every string are those of the automaton.

A value over a box is enclosed by the mean-value form. It is the value at one mixture, plus the product of the
gradient's range over the box and the differences from that mixture. The differences sum to 0, so the same
number may be subtracted from all entries of a gradient to make the range narrower.
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

ABOUT, CLAIM = "a soft network", "the soft network follows its automaton"
OPTIONS = ("kind", "similarity", "temperature", "alphabet", "start_token")
ARRAYS = {"W": 2, "b": 1, "U": 2, "c": 1, "S": 2, "w": 1, "v": 0, "embedding": 2}  # name: dimensions
P, DECIMAL, LABELS = 96, Context(70), ("after", "label", "accepts")
ONE, LESS, MORE = 1 << P, DECIMAL.subtract(1, Decimal("1e-45")), DECIMAL.add(1, Decimal("1e-45"))
UNIT, EVERY = (ONE, ONE), (-ONE, ONE)


def ceil(n, bits=P):
    return -(-n >> bits)


def add(x, y):
    return x[0] + y[0], x[1] + y[1]


def sub(x, y):
    return x[0] - y[1], x[1] - y[0]


def hull(x, y):
    return min(x[0], y[0]), max(x[1], y[1])


def meet(x, y):
    return max(x[0], y[0]), min(x[1], y[1])


def mul(x, y):
    ends = (x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1])
    return min(ends) >> P, ceil(max(ends))


def div(x, y):
    need(y[0] > 0, "a divisor may be 0")
    return (x[0] << P) // y[x[0] >= 0], -((-x[1] << P) // y[x[1] < 0])


def exp(n):
    need(n < ONE << 14, "the numbers are too large")
    # decimal rounds exp correctly to 70 digits; the total relative error is far below 1e-45
    value = DECIMAL.multiply(DECIMAL.exp(DECIMAL.divide(n, ONE)), ONE)
    return int(DECIMAL.multiply(value, LESS)), int(DECIMAL.multiply(value, MORE)) + 1


def fixed(text, dimensions=0):
    """Convert floats, or nested lists of them, from Python's hexadecimal notation to intervals."""
    if dimensions:
        inner = str if dimensions == 1 else list
        return [fixed(part, dimensions - 1) for part in listed(text, "an array", inner)]
    form = r"-?0x[01]\.[0-9a-f]{1,13}p[+-](\d{1,3}|10[01]\d|102[0-3])"
    written = type(text) is str and re.fullmatch(form, text) and float.fromhex(text).hex() == text
    need(written, f"{text!r:.40} is not a finite float")
    top, bottom = float.fromhex(text).as_integer_ratio()
    return (top << P) // bottom, -((-top << P) // bottom)


def logistic(n):
    e = exp(-abs(n))  # exp of a number that is at most 0 does not overflow
    return div(UNIT if n >= 0 else e, add(UNIT, e))


def tangent(n):
    low, high = logistic(2 * n)
    return 2 * low - ONE, 2 * high - ONE


def sigmoid(xs):
    return [hull(logistic(x[0]), logistic(x[1])) for x in xs]


def tanh(xs):
    return [hull(tangent(x[0]), tangent(x[1])) for x in xs]


def sigmoid_slope(values):
    """Return an interval that contains s (1 - s), which is largest at s = 1/2, for each interval of s."""
    slopes = []
    for low, high in values:
        ends = [mul((s, s), sub(UNIT, (s, s))) for s in (low, high, min(max(low, ONE // 2), high))]
        slopes.append((min(e[0] for e in ends), max(e[1] for e in ends)))
    return slopes


def tanh_slope(values):
    """Return an interval that contains 1 - t^2, which is largest at t = 0, for each interval of t."""
    slopes = []
    for low, high in values:
        ends = [sub(UNIT, mul((t, t), (t, t))) for t in (low, high, min(max(low, 0), high))]
        slopes.append((min(e[0] for e in ends), max(e[1] for e in ends)))
    return slopes


def each(f, *vectors):
    return [f(*entries) for entries in zip(*vectors, strict=True)]


def rows(vector, matrix):
    return [[mul(x, g) for g in row] for x, row in zip(vector, matrix, strict=True)]


def plus(one, other):
    return [each(add, r, s) for r, s in zip(one, other, strict=True)]


def split(xs):
    """Return the doubled midpoints and the doubled radii of intervals."""
    return [x[0] + x[1] for x in xs], [x[1] - x[0] for x in xs]


def column(vector):
    return [[x] for x in vector]


def first(matrix):
    return [row[0] for row in matrix]


def product(one, other):
    """Return the product of two matrices, summed exactly and rounded once."""
    need(all(len(row) == len(other) for row in one), "a matrix product has factors of different sizes")
    columns = [
        (m, r, [abs(v) + s for v, s in zip(m, r, strict=True)])
        for m, r in each(split, zip(*other, strict=True))
    ]
    result = []
    for m, r in map(split, one):
        size, out = [abs(v) for v in m], []
        for c, s, t in columns:
            value, error = sum(map(times, m, c)), sum(map(times, size, s)) + sum(map(times, r, t))
            out.append(((value - error) >> (P + 2), ceil(value + error, P + 2)))
        result.append(out)
    return result


class Box:
    def __init__(self, low, high):
        spare, left = sum(high) - sum(low), ONE - sum(low)
        fits = all(a <= b for a, b in zip(low, high, strict=True)) and 0 <= left <= spare
        need(fits, "a box contains no probability vector")
        self.middle = [a + (b - a) * left // (spare or 1) for a, b in zip(low, high, strict=True)]
        for i, b in enumerate(high):  # add the rounding remainder, so that the entries sum to 1 exactly
            self.middle[i] += min(b - self.middle[i], ONE - sum(self.middle))
        self.down, self.up = each(int.__sub__, low, self.middle), each(int.__sub__, high, self.middle)

    def most(self, row):
        off, capacity = row[0][0], sum(self.down)
        for i in sorted(range(len(row)), key=lambda i: -sum(row[i])):
            off, capacity = sum(row[i]) // 2, capacity + self.up[i] - self.down[i]
            if capacity >= 0:
                break
        return ceil(
            sum(
                max((g - off) * x for g in ends for x in (d, u))
                for ends, d, u in zip(row, self.down, self.up, strict=True)
            )
        )

    def reach(self, middle, gradient):
        ends = zip(middle, gradient, strict=True)
        return [(m[0] - self.most([(-g[1], -g[0]) for g in row]), m[1] + self.most(row)) for m, row in ends]


def norm(xs):
    sizes = [(max(low, -high, 0), max(high, -low)) for low, high in xs]
    return isqrt(sum(low * low for low, _ in sizes)), isqrt(sum(high * high for _, high in sizes)) + 1


class Network:
    def __init__(self, data):
        known(data, [*OPTIONS, *ARRAYS])
        kind, similarity, temperature, alphabet, start_token = (data[name] for name in OPTIONS)
        fits = kind in ("sr-gru", "sr-elman") and similarity in ("dot", "euclidean")
        need(fits, "'kind' must be sr-gru or sr-elman, and 'similarity' dot or euclidean")
        fits = len({*listed(alphabet, "alphabet", str), ""}) == len(alphabet) + 1
        need(fits, "the symbols of an alphabet must be distinct and nonempty")
        need(type(start_token) is bool, "start_token must be true or false")
        self.gru, self.dot, self.symbols = kind == "sr-gru", similarity == "dot", len(alphabet)
        W, b, U, c, self.S, self.w, self.v, E = (fixed(data[name], size) for name, size in ARRAYS.items())
        form = r"\d{1,400}(/(?=0*[1-9])\d{1,400})?"
        written = type(temperature) is str and re.fullmatch(form, temperature, re.ASCII)
        need(written, f"the temperature {temperature!r:.40} is not a fraction of integers, or is too long")
        tau, d = Fraction(temperature), len(self.S)
        need(tau > 0 and len(E) == self.symbols + 2, "the temperature or the number of tokens is invalid")
        low, high = tau.denominator << P, tau.numerator
        self.cool = low // high, -(-low // high)
        self.gates = [range(g * d, g * d + d) for g in range(3 if self.gru else 1)]
        fits = len(W) == len(b) == len(U) == len(c) == d * len(self.gates) and len(self.w) == d > 0
        need(fits and self.S[0], "W, b, U, c and w must have as many rows as S (sr-gru: 3 times as many)")
        need(len({*map(len, self.S)}) == 1 and len({*map(len, E)}) == 1, "S or embedding has ragged rows")
        self.reads = [each(add, first(product(W, column(e))), b) for e in E]
        self.US = [product([U[i] for i in g], self.S) for g in self.gates]
        self.c = [[c[i] for i in g] for g in self.gates]

    def u(self, token, box, S, US):
        """Return the cell's output u at the box's middle, its gradient in alpha, and u over the box."""
        middle = column([(m, m) for m in box.middle])
        read = [[self.reads[token][i] for i in g] for g in self.gates]
        mids = [each(add, first(product(M, middle)), c) for M, c in zip(US, self.c, strict=True)]
        ins = [each(add, m, r) for m, r in zip(mids, read, strict=True)]
        over_box = [box.reach(m, M) for m, M in zip(ins, US, strict=True)]
        if not self.gru:
            mid, grad = tanh(ins[0]), rows(tanh_slope(tanh(over_box[0])), US[0])
            return mid, grad, box.reach(mid, grad)
        r, z, h, inner = (
            sigmoid(over_box[0]),
            sigmoid(over_box[1]),
            first(product(S, middle)),
            box.reach(mids[2], US[2]),
        )
        mid = each(add, read[2], each(mul, sigmoid(ins[0]), mids[2]))
        grad = plus(rows(each(mul, sigmoid_slope(r), inner), US[0]), rows(r, US[2]))
        n, n_mid = tanh(box.reach(mid, grad)), tanh(mid)
        grad = rows([sub(UNIT, x) for x in z], rows(tanh_slope(n), grad))
        by_z = each(mul, sigmoid_slope(z), each(sub, box.reach(h, S), n))
        grad = plus(plus(grad, rows(z, S)), rows(by_z, US[1]))
        mid = each(add, n_mid, each(mul, sigmoid(ins[1]), each(sub, h, n_mid)))
        return mid, grad, box.reach(mid, grad)

    def gaps(self, u, label):
        """Return the logits minus the label's logit at the box's middle, and their gradients in alpha."""
        mid, grad, over_box = u
        centroids = [list(s) for s in zip(*self.S, strict=True)]
        if self.dot:
            towards = [each(sub, s, centroids[label]) for s in centroids]
            middle = first(product(towards, column(mid)))
        else:
            lengths = [norm(each(sub, s, mid)) for s in centroids]
            middle, pulls = [sub(lengths[label], x) for x in lengths], []
            for difference in (each(sub, s, over_box) for s in centroids):
                away = norm(difference)
                pulls.append([meet(div(x, away), EVERY) if away[0] > 0 else EVERY for x in difference])
            towards = [each(sub, p, pulls[label]) for p in pulls]
        gradients = [[mul(x, self.cool) for x in row] for row in product(towards, grad)]
        return [mul(x, self.cool) for x in middle], gradients

    def softmax(self, gaps):
        low, high = [exp(g[0])[0] for g in gaps], [exp(g[1])[1] for g in gaps]
        under, over = sum(low), sum(high)
        ends = zip(low, high, strict=True)
        return [(div((a, a), (1, a + over - b))[0], div((b, b), (b + under - a,) * 2)[1]) for a, b in ends]

    def mixed(self, u, label, box):
        middle, grad = self.gaps(u, label)
        gaps = box.reach(middle, grad)
        need(all(g[1] < 0 for i, g in enumerate(gaps) if i != label), "the label is not certain")
        gaps[label] = (0, 0)
        alpha = self.softmax(gaps)
        mean = product([alpha], grad)[0]
        grad = rows(alpha, [each(sub, row, mean) for row in grad])
        return each(meet, alpha, box.reach(self.softmax(middle), grad))

    def decision(self, u, box):
        middle = add(product([self.w], column(u[0]))[0][0], self.v)
        return box.reach([middle], product([self.w], u[1]))[0]


def verdict(data):
    """Return the certificate's claim if it is proved; raise an error if not."""
    claim = claimed(data, ABOUT, CLAIM)
    known(data, ["format", "claims", "network", "automaton", "nodes"], ["about"])
    known(data["automaton"], LABELS)
    net, nodes = Network(data["network"]), listed(data["nodes"], "nodes", dict)
    types = (list, int, bool)
    after, label, accepts = (listed(data["automaton"][x], x, t) for x, t in zip(LABELS, types, strict=True))
    fits = 0 < len(after) == len(label) == len(accepts)
    need(fits, "'after', 'label' and 'accepts' must have an entry for each state")
    need(all(0 <= x < len(net.S[0]) for x in label), "a label must be the index of a centroid")
    for node in nodes:
        known(node, ["state", "after", "low", "high"])
        fits = type(node["state"]) is int and 0 <= node["state"] < len(after)
        need(fits, f"'state' of a node must be from 0 to {len(after) - 1}, got {node['state']!r:.40}")
    need(nodes and nodes[0]["state"] == 0, "node 0 must represent state 0")
    for there, targets in ((len(after), after), (len(nodes), [node["after"] for node in nodes])):
        for row in targets:
            fits = len(listed(row, "after", int)) == net.symbols and all(0 <= r < there for r in row)
            need(fits, "'after' must have one existing target for each symbol")
    boxes = [([x[0] for x in fixed(n["low"], 1)], [x[1] for x in fixed(n["high"], 1)]) for n in nodes]

    def inside(alpha, node):
        holds = all(a <= x[0] and x[1] <= b for x, a, b in zip(alpha, *boxes[node], strict=True))
        need(holds, f"mixtures leave node {node}'s box")

    if data["network"]["start_token"]:
        point, nought = Box([ONE], [ONE]), [[(0, 0)]] * len(net.S)
        inside(net.mixed(net.u(net.symbols, point, nought, [nought] * len(net.gates)), label[0], point), 0)
    else:
        need(label[0] == 0, "the first label is not centroid 0")
        inside([(ONE * (i == 0),) * 2 for i in range(len(net.S[0]))], 0)
    for number, (node, ends) in enumerate(zip(nodes, boxes, strict=True)):
        box, state = Box(*ends), node["state"]
        for symbol, target in enumerate(node["after"]):
            fits = nodes[target]["state"] == after[state][symbol]
            need(
                fits,
                f"symbol {symbol} must lead from node {number} to a node of state {after[state][symbol]}",
            )
            inside(net.mixed(net.u(symbol, box, net.S, net.US), label[after[state][symbol]], box), target)
        low, high = net.decision(net.u(net.symbols + 1, box, net.S, net.US), box)
        need(low > 0 if accepts[state] else high < 0, f"the decision at state {state} is not certain")
    return claim


def without_temperature(network):
    return {name: value for name, value in network.items() if name != "temperature"}


def about(data):
    """Return the fields that describe what an accepted certificate proves; ``says`` is a sentence."""
    part, automaton = without_temperature(data["network"]), data["automaton"]
    network, machine, tau = digest(part), digest(automaton), data["network"]["temperature"]
    near = float(Fraction(tau)) if Fraction(tau) < 2**1023 else 0.0
    says = (
        f"after every string over {shown(part['alphabet'])}, the most probable centroid of the network is the"
        " label of the automaton's state, and both accept the same strings; network:"
        f" {part['kind']}, {many(len(part['S']), 'unit')}, {many(len(part['S'][0]), 'centroid')}, temperature"
        f" {repr(near) if Fraction(near) == Fraction(tau) else tau:.60}, digest {network[:16]}; automaton:"
        f" {many(len(automaton['label']), 'state')}, digest {machine[:16]}"
    )
    return {
        "claims": data["claims"],
        "says": says,
        "network": {"kind": part["kind"], "digest": network, "temperature": tau},
        "automaton": {"states": len(automaton["label"]), "digest": machine},
        "alphabet": part["alphabet"],
    }


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
