"""Check that a network decides balanced parentheses: ``python check_counter.py FILE``.

It needs only Python 3.11 or newer. It shares no code with the rest of ratproof. A number is an interval of
two integers, in units of 2^-64, rounded outwards. The certificate has a network's weights, with a cell state
c, and one or two theorems. The soft network is correct on all strings up to a height and a length. The
network with saturated gates is correct on strings of every length up to a height. Saturated gates are 0 or 1,
or -1 or 1 for the candidate, if the absolute preactivation is more than 1/2. Each theorem has nodes. A node
has a class of strings (their height, and whether they are dead: see below) and a box of states h and c.

The first state must be in the box of node 0, whose class is that of the empty string. From any state in a
node's box, a symbol must lead to an h in the box of the transition's target. The target's class must be that
of the longer string. A transition is missing exactly if the longer string would exceed the maximum height.
The next cell state is c' = f c + m, with f and m = i g enclosed over the whole box. Bounds on c after n
symbols therefore give bounds after n + 1 symbols. These bounds are iterated for all lengths that the theorem
covers, or until they no longer change, and must stay in the boxes. After the end token, the classifier's
logit must be positive over the boxes of living strings at height 0, and negative over all other boxes. By
induction, the network accepts a string if and only if it is balanced.

A string's height increases by 1 with "(" and decreases by 1 with ")", but not below 0. A ")" at height 0 does
not change the height, and the string is dead from then on. A string is balanced if it is alive and its height
is 0.
"""

import hashlib
import json
import re
import sys
from decimal import Context, Decimal
from fractions import Fraction
from operator import mul as times
from pathlib import Path

ABOUT, CLAIM = "a network that counts", "the network decides balanced parentheses"
OPTIONS = ("kind", "temperature", "alphabet", "start_token")
ARRAYS = {"W": 2, "b": 1, "U": 2, "c": 1, "P": 2, "S": 2, "w": 1, "v": 0, "embedding": 2}
KINDS = {"lstm": (False, False), "lstm-p": (True, False), "sr-lstm": (False, True), "sr-lstm-p": (True, True)}
P, DECIMAL, INF, ROUNDS = 64, Context(40), float("inf"), 20_000
STEPS = 10**8  # transitions that the bounds on the cells may follow, over all units: about half an hour
ONE, LESS, MORE = 1 << P, DECIMAL.subtract(1, Decimal("1e-30")), DECIMAL.add(1, Decimal("1e-30"))
UNIT, HALF, EMPTY = (ONE, ONE), ONE >> 1, (INF, -INF)


def ceil(n, bits=P):
    return -(-n >> bits)


def add(x, y):
    return x[0] + y[0], x[1] + y[1]


def sub(x, y):
    return x[0] - y[1], x[1] - y[0]


def each(f, *vectors):
    return [f(*entries) for entries in zip(*vectors, strict=True)]


def mul(x, y):
    ends = (x[0] * y[0], x[0] * y[1], x[1] * y[0], x[1] * y[1])
    return min(ends) >> P, ceil(max(ends))


def div(x, y):
    need(y[0] > 0, "a divisor may be 0")
    return (x[0] << P) // y[x[0] >= 0], -((-x[1] << P) // y[x[1] < 0])


def exp(n):
    need(n < ONE << 14, "the numbers are too large")
    # decimal rounds exp correctly to 40 digits; the total relative error is far below 1e-30
    value = DECIMAL.multiply(DECIMAL.exp(DECIMAL.divide(max(n, -ONE << 14), ONE)), ONE)
    low = 0 if n < -ONE << 14 else int(DECIMAL.multiply(value, LESS))
    return low, int(DECIMAL.multiply(value, MORE)) + 1


def logistic(n):
    if n in EMPTY:
        return UNIT if n > 0 else (0, 0)
    e = exp(-abs(n))  # exp of a number that is at most 0 does not overflow
    return div(UNIT if n >= 0 else e, add(UNIT, e))


def tangent(n):
    low, high = logistic(2 * n)
    return 2 * low - ONE, 2 * high - ONE


def tanh(x):
    return tangent(x[0])[0], tangent(x[1])[1]


def scale(number, x, upwards):
    """Return a number times a value that may be infinite; zero times infinity is zero."""
    if number == 0 or x in EMPTY:
        return 0 if number == 0 else x if number > 0 else -x
    return ceil(number * x) if upwards else number * x >> P


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


def corner(texts, side, endless):
    """Return the lower (index 0) or upper corner of a box, rounded inwards; infinite if it is unbounded."""
    free, end = ("-inf", -INF) if side == 0 else ("inf", INF)
    return [end if endless and x == free else fixed(x)[1 - side] for x in listed(texts, "a corner", str)]


def product(matrix, vector):
    """Return the product of a matrix and a vector of intervals, summed exactly and rounded outwards once."""
    middle, radius = [x[0] + x[1] for x in vector], [x[1] - x[0] for x in vector]
    size, out = [abs(m) + r for m, r in zip(middle, radius, strict=True)], []
    for row in matrix:
        need(len(row) == len(vector), "a matrix must have as many columns as its vector has entries")
        m = [x[0] + x[1] for x in row]
        value, error = sum(map(times, m, middle)), sum(map(times, map(abs, m), radius))
        error += sum((x[1] - x[0]) * s for x, s in zip(row, size, strict=True) if x[0] != x[1])
        out.append(((value - error) >> (P + 2), ceil(value + error, P + 2)))
    return out


class Network:
    def __init__(self, data):
        known(data, [*OPTIONS, *ARRAYS])
        kind, tau, alphabet, self.start_token = (data[name] for name in OPTIONS)
        need(type(kind) is str and kind in KINDS, f"'kind' must be {' or '.join(KINDS)}, got {kind!r:.40}")
        sees, mixes = KINDS[kind]
        fits = len({*listed(alphabet, "alphabet", str), ""}) == len(alphabet) + 1
        need(fits and {"(", ")"} <= {*alphabet}, "symbols must be distinct and nonempty, and include ( and )")
        need(type(self.start_token) is bool, "start_token must be true or false")
        W, b, self.U, c, self.P, S, self.w, self.v, E = (fixed(data[x], size) for x, size in ARRAYS.items())
        d, self.symbols = len(self.w), len(alphabet)
        self.turns = [(x == "(") - (x == ")") for x in alphabet]
        need(d > 0 and len(W) == len(b) == len(self.U) == len(c) == 4 * d, "W, b, U, c must have 4 d rows")
        need(len(E) == self.symbols + 2 and len({*map(len, E), *map(len, W)}) == 1, "embedding must fit W")
        need([*map(len, self.P)] == [d] * 3, "P must have shape (3, d)")
        need(
            sees or all(x == (0, 0) for row in self.P for x in row),
            "a network without peepholes has peephole weights",
        )
        need(len(S) == (d if mixes else 0) and len({*map(len, S)}) == mixes, "S must have d rows, or none")
        self.S = [list(s) for s in zip(*S, strict=True)]
        need(not mixes or self.S, "there are no centroids")
        form = r"\d{1,400}(/(?=0*[1-9])\d{1,400})?"
        fits = type(tau) is str and re.fullmatch(form, tau, re.ASCII) if mixes else tau == ""
        need(fits and (not mixes or Fraction(tau) > 0), f"the temperature {tau!r:.40} is invalid")
        if mixes:
            low, high = Fraction(tau).denominator << P, Fraction(tau).numerator
            self.cool = (low // high, -(-low // high))
        both = each(add, b, c)
        self.reads = [each(add, product(W, e), both) for e in E]
        self.d, self.saturated = d, False

    def end(self, x, soft, least, upwards):
        """Return a gate's value at the preactivation x, rounded down or up."""
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
        """Return f and m = i g for c' = f c + m, and the output gate's preactivation without its peephole."""
        i, f, g, o = (pre[k * self.d : k * self.d + self.d] for k in range(4))
        blind = [(0, 0)] * self.d
        i, g = self.gate(i, self.P[0], c), self.gate(g, blind, c, tangent, -ONE)
        return self.gate(f, self.P[1], c), each(mul, i, g), o

    def output(self, o, c):
        return each(mul, self.gate(o, self.P[2], c), map(tanh, c))

    def mix(self, u):
        """Return the next h: sum_i alpha_i s_i, computed as s_l + sum_i alpha_i (s_i - s_l) for one l."""
        if not self.S:
            return u
        similarities = [product([s], u)[0] for s in self.S]
        best = max(range(len(self.S)), key=lambda i: sum(similarities[i]))
        towards = [each(sub, s, self.S[best]) for s in self.S]
        gaps = [mul(g, self.cool) for g in product(towards, u)]
        gaps[best] = (0, 0)
        low, high = [exp(g[0])[0] for g in gaps], [exp(g[1])[1] for g in gaps]
        under, over, h = sum(low), sum(high), self.S[best]
        for i, (a, b) in enumerate(zip(low, high, strict=True)):
            if i != best:
                alpha = div((a, a), (1, a + over - b))[0], div((b, b), (b + under - a,) * 2)[1]
                h = each(add, h, [mul(alpha, x) for x in towards[i]])
        return h

    def first(self):
        """Return h and c before the first symbol, as intervals."""
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
    """Return the cell's interval after a step: f c + m, for f >= 0."""
    low = scale(f[0] if c[0] >= 0 else f[1], c[0], False) + m[0]
    return low, scale(f[1] if c[1] >= 0 else f[0], c[1], True) + m[1]


def inside(values, box):
    return all(low <= x[0] and x[1] <= high for x, (low, high) in zip(values, box, strict=True))


def grouped(net, data):
    """Return the groups of symbols, after checking that the symbols of a group change the depth equally."""
    groups = [listed(group, "a group of symbols", int) for group in listed(data, "groups", list)]
    complete = sorted(x for group in groups for x in group) == [*range(net.symbols)] and all(groups)
    need(complete, "the groups must contain each symbol once")
    need(
        all(net.turns[x] == net.turns[group[0]] for group in groups for x in group), "a group mixes brackets"
    )
    return groups


def box_of(net, corners, endless):
    need(len(listed(corners, "a box", list)) == 2, "a box must have two corners")
    low, high = (corner(texts, side, endless) for side, texts in enumerate(corners))
    need(
        len(low) == len(high) == net.d and all(a <= b for a, b in zip(low, high, strict=True)),
        "a box is empty",
    )
    return [*zip(low, high, strict=True)]


def theorem(net, data):
    """Check one theorem, and return the kind of gates that it is about."""
    known(data, ["gates", "height", "groups", "nodes"], ["length"])
    gates, height, length, nodes = data["gates"], data["height"], data.get("length"), data["nodes"]
    need(gates in ("soft", "saturated"), "'gates' must be soft or saturated")
    need(type(height) is int and height >= 0, "'height' must be a non-negative integer")
    need((length is None) == (gates == "saturated"), "'length' must be given for soft gates only")
    need(length is None or (type(length) is int and length >= 0), "'length' must be a non-negative integer")
    net.saturated = gates == "saturated"
    groups = grouped(net, data["groups"])
    h, c, classes = [], [], []
    for node in listed(nodes, "nodes", dict):
        known(node, ["dead", "height", "after", "h", "c"])
        need(fits([node["dead"], node["height"]], bool, int), "dead must be a bool, and height an integer")
        need(0 <= node["height"] <= height, "a node exceeds the height of the theorem")
        need(len(listed(node["after"], "after", int)) == len(groups), "after must have a target per group")
        classes.append((node["dead"], node["height"]))
        h.append(box_of(net, node["h"], False))
        c.append(box_of(net, node["c"], net.saturated))
    need(classes and classes[0] == (False, 0), "node 0 must be the node of the empty string")
    first_h, first_c = net.first()
    need(inside(first_h, h[0]), "h leaves node 0's box")
    reads, arrows = [], []
    for group in groups:
        entries = zip(*(net.reads[x] for x in group), strict=True)
        reads.append([(min(x[0] for x in xs), max(x[1] for x in xs)) for xs in entries])
    for index, (dead, stands) in enumerate(classes):
        state = product(net.U, h[index])
        for group, read, to in zip(groups, reads, nodes[index]["after"], strict=True):
            turn = net.turns[group[0]]
            falls, stood = turn < 0 and stands == 0, max(stands + turn, 0)
            if stood > height:
                need(to == -1, f"node {index} must have the target -1 for strings that are too high")
                continue
            need(0 <= to < len(nodes), f"a target of node {index} must be a node, got {to}")
            need(classes[to] == (dead or falls, stood), f"a target of node {index} has the wrong class")
            f, m, o = net.gates(each(add, state, read), c[index])
            cell = []
            for x, y in zip(each(carry, f, m, c[index]), c[to], strict=True):
                low, high = max(x[0], y[0]), min(x[1], y[1])  # follow() checks that the cell stays in y
                cell.append((low, high) if low <= high else y)
            need(inside(net.mix(net.output(o, cell)), h[to]), f"h leaves node {to}'s box")
            arrows.append((index, to, f, m))
        low, high = net.logit(state, c[index])
        certain = low > 0 if (dead, stands) == (False, 0) else high < 0
        need(certain, f"the decision at node {index} is not certain")
    for unit in range(net.d):
        boxes = [box[unit] for box in c]
        most = STEPS // net.d // max(len(arrows), 1)
        follow([(s, t, f[unit], m[unit]) for s, t, f, m in arrows], boxes, first_c[unit], length, unit, most)
    return gates


def follow(arrows, boxes, start, length, unit, most):
    """Check that the bounds on one unit's cell stay in the boxes after each number of symbols."""
    need(inside([start], boxes[:1]), f"the first cell leaves node 0's box at unit {unit}")
    if all(inside([carry(f, m, boxes[s])], [boxes[t]]) for s, t, f, m in arrows):
        return  # one step maps the boxes into the boxes, so any number of steps does
    free = [(b[0] == -INF, b[1] == INF) for b in boxes]
    now = [start] + [EMPTY] * (len(boxes) - 1)
    now = [(-INF if b[0] else x[0], INF if b[1] else x[1]) for x, b in zip(now, free, strict=True)]
    rounds = ROUNDS if length is None else length
    for _ in range(min(rounds, most)):
        then = list(now)
        for s, t, f, m in arrows:
            if now[s] != EMPTY:
                low, high = carry(f, m, now[s])
                low, high = min(low, then[t][0]), max(high, then[t][1])
                then[t] = (-INF if free[t][0] else low), (INF if free[t][1] else high)
        if then == now:
            return
        for index, (x, box) in enumerate(zip(then, boxes, strict=True)):
            need(x == EMPTY or inside([x], [box]), f"the cell leaves node {index}'s box at unit {unit}")
        now = then
    if rounds > most:
        raise TimeoutError(f"it takes more than {STEPS} steps, the limit of this program")
    need(length is not None, f"the cell's bounds do not converge at unit {unit}")


def verdict(data):
    """Return the certificate's claim if it is proved; raise an error if not."""
    claim = claimed(data, ABOUT, CLAIM)
    known(data, ["format", "claims", "network", "theorems"], ["about"])
    net, theorems = Network(data["network"]), listed(data["theorems"], "theorems", dict)
    need(0 < len(theorems) <= 2, "there must be one or two theorems")
    kinds = [theorem(net, one) for one in theorems]
    need(len({*kinds}) == len(kinds), "two theorems are about the same gates")
    return claim


def without_temperature(network):
    return {name: value for name, value in network.items() if name != "temperature"}


def decimal(tau):
    """Return a fraction as a float if that is exact, else unchanged."""
    near = float(Fraction(tau)) if Fraction(tau) < 2**1023 else 0.0
    return repr(near) if Fraction(near) == Fraction(tau) else tau


def about(data):
    """Return the fields that describe what an accepted certificate proves; ``says`` is a sentence."""
    part, tau = without_temperature(data["network"]), data["network"]["temperature"]
    network, d = digest(part), len(part["w"])
    texts, theorems = [], []
    for one in data["theorems"]:
        soft = one["gates"] == "soft"
        reach = f"of length at most {one['length']}" if soft else "of any length"
        texts.append(f"{'' if soft else 'with saturated gates, '}{reach} and height at most {one['height']}")
        theorems.append({name: one[name] for name in ("gates", "height", "length") if name in one})
    says = (
        f"the {part['kind']} network ({many(d, 'unit')}, digest {network[:16]})"
        + (f" at temperature {decimal(tau):.60}" if tau else "")
        + f" accepts exactly the balanced strings, among the strings over {shown(part['alphabet'])}"
        f" {'; '.join(texts)}"
    )
    return {
        "claims": data["claims"],
        "says": says,
        "network": {"kind": part["kind"], "digest": network, "temperature": tau},
        "theorems": theorems,
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
