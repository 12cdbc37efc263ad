"""Check that an ordinary recurrent network agrees with an automaton: ``python check_regions.py FILE``.

It needs only Python 3.11 or newer. Numbers are integers, in units of 2^-64. The certificate has a network's
float32 weights, an automaton, and nodes. Each node represents a state of the automaton and has a region of
network states: an ellipsoid |factor (x - center)| <= 1, or a box |x - center| <= width in each entry.

The first network state, zeros, must be in the region of node 0. Each symbol must map every network state of a
node's region into the region of its successor, whose automaton state must be the next state of the automaton.
The network's decision in the whole region of a successor must be the label of its automaton state. Instead of
a successor, a symbol can have a list, with a successor or a list for each next symbol. Then the decision must
be right in the whole image, which is followed as affine forms. By induction, the network's decision after
every nonempty string is the automaton's. If symbols that the automaton does not distinguish form ``groups``,
a successor is for a group, whose input lies anywhere between its symbols' inputs.

A form describes an entry of a vector over a region: c + g.xi, plus an error of at most e. |xi| is at most 1
in the 2-norm (an ellipsoid) or in the maximum norm (a box). The entry also lies between low and high. Every
operation adds the rounding of float32, according to the premise: (n + 4) 2^-24 times the sum of the absolute
values for a sum of n products in any order, 8 * 2^-24 for tanh and sigmoid, and 2 * 2^-24 times the absolute
value of the result otherwise. It also adds 2^-44 for float32 underflow and this program's own rounding.
"""

import hashlib
import json
import re
import sys
from decimal import Context, Decimal
from math import isqrt
from operator import mul as times
from pathlib import Path

ABOUT, CLAIM = "an ordinary network", "the network decides as the automaton after every nonempty string"
PREMISE = "float32, sums in any order, tanh and sigmoid within 8 * 2^-24"
BLOCKS = {"rnn_tanh": 1, "rnn_relu": 1, "gru": 3, "lstm": 4}
ARRAYS = {"input_weight": 2, "weight": 2, "input_bias": 1, "bias": 1}  # name: dimensions
P, DIGITS = 64, Context(40)
ONE, ERROR_TERM, FLAT, LARGEST = 1 << P, 1 << (P - 44), 1 << (P - 40), 1 << (P + 60)
ERROR_STEPS = 2  # along a list of successors, the errors of this many last steps are generators
SHAPES, LARGE = "has the wrong shape", "the numbers are too large for float32"


def fixed(text, dimensions=0):
    """Return float32 numbers, or nested lists of them, from hexadecimal notation, rounded down."""
    if dimensions:
        return [fixed(x, dimensions - 1) for x in listed(text, "an array", list if dimensions > 1 else str)]
    form = r"-?0x[01]\.[0-9a-f]{1,13}p[+-]\d{1,3}"
    written = type(text) is str and re.fullmatch(form, text) and float.fromhex(text).hex() == text
    need(written, f"{text!r:.40} is not a finite float")
    top, bottom = float.fromhex(text).as_integer_ratio()
    exact = abs(top) % (1 << max(top.bit_length() - 24, 0)) == 0 and bottom <= 1 << 149
    need(exact and abs(top) < bottom << 128, f"{text!r:.40} is not a float32 number")
    return (top << P) // bottom


def dot(xs, ys):
    return sum(map(times, xs, ys)) >> P


def norm(xs):
    return isqrt(sum(map(times, xs, xs))) + 1  # an upper bound


class Form:
    __slots__ = ("box", "c", "e", "g", "high", "length", "low")

    def __init__(self, c, g, e, box, low=None, high=None, units=0, more=0):
        """Make a form whose error includes ``units`` float32 roundings of its value, and ``more``."""
        self.length = sum(map(abs, g)) if box else norm(g)
        ends = c - self.length - e, c + self.length + e
        low, high = ends if low is None else (max(low, ends[0]), min(high, ends[1]))
        more += (units * max(abs(low), abs(high)) >> 24) + ERROR_TERM
        self.c, self.g, self.e, self.box = c, g, e + more, box
        self.low, self.high = low - more, high + more


def hull(xs):
    """Return a constant that can have the value of any of these constants."""
    low, high = min(x.low for x in xs), max(x.high for x in xs)
    return Form((low + high) >> 1, [], (high - low + 1) >> 1, True, low, high)


def add(x, y):
    g = [a + b for a, b in zip(x.g, y.g, strict=True)] if x.g else y.g  # x may be a constant
    return Form(x.c + y.c, g, x.e + y.e, y.box, x.low + y.low, x.high + y.high, 2)


def sub(x, y):
    g = [a - b for a, b in zip(x.g, y.g, strict=True)]
    return Form(x.c - y.c, g, x.e + y.e, x.box, x.low - y.high, x.high - y.low, 2)


def mul(x, y):
    """Return x y. In an ellipsoid, (a.xi)(b.xi) lies between (a.b - |a| |b|) / 2 and (a.b + |a| |b|) / 2."""
    g = [(x.c * b + y.c * a) >> P for a, b in zip(x.g, y.g, strict=True)]
    c, second = x.c * y.c >> P, x.length * y.length >> P
    if not x.box:
        c, second = c + (dot(x.g, y.g) >> 1), second >> 1
    e = (abs(x.c) * y.e + abs(y.c) * x.e + x.length * y.e + y.length * x.e + x.e * y.e) >> P
    ends = [a * b >> P for a in (x.low, x.high) for b in (y.low, y.high)]
    return Form(c, g, e + second, x.box, min(ends), max(ends), 2)


def blend(x, y, share):
    """Return y + share (x - y) for a share from 0 to 1, which increases with x and y."""
    z = add(y, mul(share, sub(x, y)))
    shares = [min(max(s, 0), ONE) for s in (share.low, share.high)]
    low = min(s * x.low + (ONE - s) * y.low >> P for s in shares)
    high = max(s * x.high + (ONE - s) * y.high >> P for s in shares)
    # 6 * 2^-24 for any way to compute it, and 16 * 2^-24 for a share that is rounded below 0 or above 1
    more = 24 * max(abs(x.low), abs(x.high), abs(y.low), abs(y.high)) >> 24
    return Form(z.c, z.g, z.e, x.box, low, high, 0, more)


def tangent(n):
    power = DIGITS.exp(DIGITS.divide(Decimal(-2 * abs(n)), ONE))
    value = int(DIGITS.multiply(DIGITS.divide(DIGITS.subtract(1, power), DIGITS.add(1, power)), ONE))
    return value if n >= 0 else -value


def line(low, high):
    """Return slope, offset and error of a line that approximates tanh from low to high, and tanh there.

    Any slope would be valid. tanh(x) - slope x is extreme at the ends, or where 1 - tanh(x)^2 = slope.
    """
    ends = tangent(low), tangent(high)
    slope = ((ends[1] - ends[0]) << P) // (high - low) if high - low > FLAT else ONE - (ends[0] ** 2 >> P)
    slope = 0 if slope < FLAT else min(slope, ONE) & -4  # divisible by 4, for sigmoid
    rest = [t - (slope * x >> P) for t, x in zip(ends, (low, high), strict=True)]
    if slope:
        root = isqrt((ONE - slope) << P)
        quotient = DIGITS.divide(ONE + root, ONE - root)
        turn = int(DIGITS.multiply(DIGITS.ln(quotient), ONE >> 1))
        rest += [sign * (root - (slope * turn >> P)) for sign in (1, -1) if low < sign * turn < high]
    return slope, (min(rest) + max(rest)) >> 1, (max(rest) - min(rest) + 1) >> 1, *ends


def along(x, slope, offset, error, low, high, more=ONE >> 21):
    g, e = [slope * a >> P for a in x.g], (slope * x.e >> P) + error
    return Form((slope * x.c >> P) + offset, g, e, x.box, low, high, 0, more)


def tanh(x):
    return along(x, *line(x.low, x.high))


def sigmoid(x):
    slope, offset, error, *ends = line(x.low >> 1, x.high + 1 >> 1)
    return along(x, slope >> 2, (ONE + offset) >> 1, (error + 1) >> 1, *((ONE + end) >> 1 for end in ends))


def relu(x):
    slope = ONE if x.low >= 0 else (max(x.high, 0) << P) // max(x.high - x.low, 1)
    gap = max(-slope * x.low, (ONE - slope) * x.high, 0) >> P  # both are positive if the signs differ
    return along(x, slope, gap >> 1, (gap >> 1) + 1, max(x.low, 0), max(x.high, 0), 0)


def linear(weight, bias, xs, terms):
    """Return the forms of weight x + bias, where float32 computes each entry as a sum of ``terms`` terms."""
    centers, errors, box = [x.c for x in xs], [x.e for x in xs], xs[0].box
    generators = list(zip(*(x.g for x in xs), strict=True))
    middles, halves = [x.low + x.high for x in xs], [x.high - x.low for x in xs]
    sizes, result = [max(abs(x.low), abs(x.high)) for x in xs], []
    for row, b in zip(weight, bias, strict=True):
        absolute = [abs(w) for w in row]
        size = dot(absolute, sizes) + abs(b)
        need(size < LARGEST and terms < 1 << 13, LARGE)
        middle, half = dot(row, middles), dot(absolute, halves)
        low, high = b + ((middle - half) >> 1), b + ((middle + half) >> 1) + 1
        g = [dot(row, column) for column in generators]
        more = ((terms + 4) * size >> 24) + (sum(sizes) >> 60)
        result.append(Form(dot(row, centers) + b, g, dot(absolute, errors), box, low, high, 0, more))
    return result


class Network:
    def __init__(self, data, groups=...):
        known(data, ["cell", "alphabet", "layers", "embeddings", "readout", "readout_bias", "threshold"])
        cell, self.symbols = data["cell"], len(listed(data["alphabet"], "alphabet", str))
        need(type(cell) is str and cell in BLOCKS, f"'cell' must be {' or '.join(BLOCKS)}, got {cell!r:.40}")
        need(len({*data["alphabet"], ""}) == self.symbols + 1 > 1, "the symbols must be different strings")
        self.cell, self.layers, self.memory = cell, [], cell == "lstm"
        self.embeddings, self.readout = fixed(data["embeddings"], 2), fixed(data["readout"], 2)
        self.readout_bias, self.threshold = fixed(data["readout_bias"], 1), fixed(data["threshold"])
        need(len(self.embeddings) == self.symbols, f"embeddings {SHAPES}")
        need(len(self.readout) == len(self.readout_bias) > 0, f"readout {SHAPES}")
        need(len(self.readout) == 1 or self.threshold == 0, "'threshold' must be 0 for several outputs")
        width, self.units = len(self.embeddings[0]), len(self.readout[0])
        need(all(len(row) == width > 0 for row in self.embeddings), f"embeddings {SHAPES}")
        for layer in listed(data["layers"], "layers", dict):
            known(layer, [*ARRAYS])
            W, U, b, c = (fixed(layer[name], size) for name, size in ARRAYS.items())
            need(len(W) == len(U) == len(b) == len(c) == BLOCKS[cell] * self.units > 0, f"a layer {SHAPES}")
            need({*map(len, W)} == {width} and {*map(len, U)} == {self.units}, f"a layer {SHAPES}")
            self.layers.append((W, U, b, c))
            width = self.units
        need(self.layers and {*map(len, self.readout)} == {self.units}, f"readout {SHAPES}")
        self.size = self.units * len(self.layers) * (1 + self.memory)
        rows, (W, _, b, _) = [[Form(v, [], 0, True) for v in row] for row in self.embeddings], self.layers[0]
        received = [linear(W, b, xs, len(xs) + self.units + 2) for xs in rows]
        self.groups = [[x] for x in range(self.symbols)] if groups is ... else listed(groups, "groups", list)
        symbols = sorted(x for group in self.groups for x in listed(group, "a group", int))
        need(symbols == [*range(self.symbols)] and all(self.groups), "the groups must have each symbol once")
        entries = [zip(*(received[x] for x in group), strict=True) for group in self.groups]
        self.received = [[*map(hull, constants)] for constants in entries]

    def hidden(self, state, layer):
        return state[layer % len(self.layers) * self.units * (1 + self.memory) :][: self.units]

    def images(self, state):
        """Yield, for each symbol or group, the affine forms of the next state."""
        (W, U, _, c), n = self.layers[0], self.units
        recurrent = linear(U, c, self.hidden(state, 0), len(W[0]) + n + 2)
        for received in self.received:
            xs, result = [], []
            for layer, (W, U, b, c) in enumerate(self.layers):
                old, terms = self.hidden(state, layer), len(W[0]) + n + 2
                inner = linear(U, c, old, terms) if layer else recurrent
                outer = linear(W, b, xs, terms) if layer else received
                memory = state[(2 * layer + 1) * n : (2 * layer + 2) * n] if self.memory else []
                xs, memory = self.step(outer, inner, old, memory)
                result += xs + memory
            yield result

    def step(self, outer, inner, old, memory):
        """Return the next output and memory of a layer."""
        n, total = self.units, [*map(add, outer, inner)]
        if self.cell == "gru":
            reset, update = [*map(sigmoid, total[:n])], [*map(sigmoid, total[n : 2 * n])]
            new = map(tanh, map(add, outer[2 * n :], map(mul, reset, inner[2 * n :])))
            return [*map(blend, old, new, update)], []
        if self.cell != "lstm":
            return [*map(tanh if self.cell == "rnn_tanh" else relu, total)], []
        enter, forget, leave = (map(sigmoid, total[i * n : i * n + n]) for i in (0, 1, 3))
        new = map(tanh, total[2 * n : 3 * n])
        memory = [*map(add, map(mul, forget, memory), map(mul, enter, new))]
        return [*map(mul, leave, map(tanh, memory))], memory

    def decides(self, state, label):
        """Return whether the decision is ``label`` in the whole region."""
        outputs = linear(self.readout, self.readout_bias, self.hidden(state, -1), self.units + 2)
        if len(outputs) == 1:  # the output must exceed the threshold for label 1, and be below it for label 0
            outputs = [Form(self.threshold, [0] * len(state[0].g), 0, state[0].box), *outputs]
        return all(sub(outputs[label], x).low > 0 for i, x in enumerate(outputs) if i != label)


class Ellipsoid:
    def __init__(self, center, factor):
        size = len(center)
        triangular = [len(row) for row in factor] == [*range(size, 0, -1)]
        need(triangular and all(row[0] > 0 for row in factor), f"a factor {SHAPES}, or no inverse")
        self.center, self.factor = center, [[0] * i + row for i, row in enumerate(factor)]
        scale, self.inverse = ONE + (ONE >> 30), [[0] * size for _ in range(size)]
        for i in reversed(range(size)):
            row = self.factor[i]
            for k in range(i, size):
                rest = sum(row[j] * self.inverse[j][k] for j in range(i + 1, k + 1))
                self.inverse[i][k] = ((scale << P) * (i == k) - rest) // row[i]
        # factor inverse = (1 + 2^-30) I + R with |R| <= 2^-31, so the region is in inverse xi, |xi| <= 1
        error = 0
        for i, row in enumerate(self.factor):
            for k, column in enumerate(zip(*self.inverse, strict=True)):
                error += (sum(map(times, row, column)) - (scale << P) * (i == k)) ** 2
        need(error <= 1 << (4 * P - 62), "a factor is too close to one without an inverse")

    def forms(self):
        return [Form(c, g, 0, False) for c, g in zip(self.center, self.inverse, strict=True)]

    def contains(self, state):
        need(not state[0].box, "a box leads to an ellipsoid")
        offset = [x.c - c for x, c in zip(state, self.center, strict=True)]
        errors, columns = [x.e for x in state], list(zip(*(x.g for x in state), strict=True))
        moved = [dot(row, offset) for row in self.factor]
        spread = [dot(map(abs, row), errors) for row in self.factor]
        margin = ONE - norm(moved) - norm(spread) - ERROR_TERM
        turned = [[dot(row, column) for column in columns] for row in self.factor]
        return margin > 0 and shorter(turned, margin)


def shorter(matrix, length):
    """Return whether the matrix maps every unit vector to a vector of at most this length.

    This holds if length^2 I - matrix matrix^T is positive semidefinite. It is L L^T + spare I plus a
    remainder, whose entries' absolute values add up to at most spare.
    """
    spare, lower = ONE >> 32, []
    top = (length * length >> P) - 2 * spare
    goal = [[top * (i == j) - dot(row, matrix[j]) for j in range(i + 1)] for i, row in enumerate(matrix)]
    for i, row in enumerate(goal):
        mine = []
        for j in range(i):
            mine.append(((row[j] << P) - sum(map(times, mine, lower[j]))) // lower[j][j])
        left = (row[i] << P) - sum(map(times, mine, mine))
        if left <= 0:
            return False
        lower.append([*mine, isqrt(left)])
    rest = 0
    for i, row in enumerate(lower):
        for j, other in enumerate(lower[: i + 1]):
            rest += 2 * abs((goal[i][j] << P) - sum(map(times, row, other)))
    return rest <= spare << P


class Box:
    def __init__(self, center, width):
        need(len(width) == len(center) and all(w >= 0 for w in width), f"a width {SHAPES}, or is negative")
        self.center, self.width = center, width

    def forms(self):
        size, ends = len(self.center), zip(self.center, self.width, strict=True)
        return [Form(c, [w * (i == k) for k in range(size)], 0, True) for i, (c, w) in enumerate(ends)]

    def contains(self, state):
        ends = zip(state, self.center, self.width, strict=True)
        return all(c - w <= x.low and x.high <= c + w for x, c, w in ends)


def with_errors_as_generators(state):
    """Return the forms over a box, with the errors of the last ``ERROR_STEPS`` steps as generators."""
    size, result = len(state), []
    for i, x in enumerate(state):
        g, e = x.g, x.e
        if len(g) == (1 + ERROR_STEPS) * size:
            g, e = g[:size] + g[2 * size :], e + sum(map(abs, g[size : 2 * size]))
        result.append(Form(x.c, g + [e * (i == k) for k in range(size)], 0, True, x.low, x.high))
    return result


def region(node):
    known(node, ["state", "next", "center"], ["factor", "width"])
    need(("factor" in node) != ("width" in node), "a node has either a factor or a width")
    kind, name, size = (Ellipsoid, "factor", 2) if "factor" in node else (Box, "width", 1)
    return kind(fixed(node["center"], 1), fixed(node[name], size))


def follow(net, forms, row, state, nodes, regions, automaton, where):
    """Check that the images are in the regions of the targets in ``row``, and return these targets."""
    after, label, targets = automaton["next"][state], automaton["label"], set()
    need(type(row) is list and len(row) == len(net.groups), f"{where} must have a target per symbol or group")
    for number, (group, target, image) in enumerate(zip(net.groups, row, net.images(forms), strict=True)):
        there, then = f"{where}[{number}]", after[group[0]]
        if type(target) is list:
            need(net.decides(image, label[then]), f"{there}: an image has another decision")
            image = with_errors_as_generators(image)
            targets |= follow(net, image, target, then, nodes, regions, automaton, there)
        else:
            fits = type(target) is int and 0 <= target < len(nodes) and nodes[target]["state"] == then
            need(fits, f"{there} must be a node of the state {then}, got {target!r:.40}")
            need(regions[target].contains(image), f"{there} leads out of node {target}'s region")
            targets.add(target)
    return targets


def verdict(data):
    """Return the certificate's claim if it is proved; raise an error if not."""
    claim = claimed(data, ABOUT, CLAIM)
    known(data, ["format", "about", "claims", "premise", "network", "automaton", "nodes"], ["groups"])
    need(data["premise"] == PREMISE, f"its premise must be {PREMISE!r}")
    known(data["automaton"], ["start", "next", "label"])
    net, nodes = Network(data["network"], data.get("groups", ...)), listed(data["nodes"], "nodes", dict)
    start, after, label = (data["automaton"][name] for name in ("start", "next", "label"))
    states = len(listed(after, "next", list))
    fits = all(0 <= x < max(2, len(net.readout)) for x in listed(label, "label", int))
    need(fits and len(label) == states > 0, "'label' must have one decision per state")
    need(type(start) is int and 0 <= start < states, f"'start' must be in [0, {states}), got {start!r:.40}")
    for row in after:
        fits = len(listed(row, "next", int)) == net.symbols and all(0 <= r < states for r in row)
        need(fits, f"'next' must have a target in [0, {states}) for each symbol, got {row!r:.60}")
        fits = all(row[x] == row[group[0]] for group in net.groups for x in group)
        need(fits, "the symbols of a group must have the same next states")
    regions, targets = [region(node) for node in nodes], set()
    for node, area in zip(nodes, regions, strict=True):
        fits = type(node["state"]) is int and 0 <= node["state"] < states and len(area.center) == net.size
        need(fits, f"a node's state must be in [0, {states}), and its center must have {net.size} entries")
    need(nodes and nodes[0]["state"] == start, f"node 0 must have the start state {start}")
    zero = Form(0, [0] * net.size, 0, type(regions[0]) is Box)
    need(regions[0].contains([zero] * net.size), "the network's first state is not in node 0's region")
    for number, (node, area) in enumerate(zip(nodes, regions, strict=True)):
        state, where = area.forms(), f"'next' of node {number}"
        need(all(max(-x.low, x.high) < LARGEST for x in state), LARGE)
        targets |= follow(net, state, node["next"], node["state"], nodes, regions, data["automaton"], where)
    for number in targets:
        fits = net.decides(regions[number].forms(), label[nodes[number]["state"]])
        need(fits, f"node {number} has states with another decision")
    return claim


def about(data):
    """Return the fields that describe what an accepted certificate proves; ``says`` is a sentence."""
    part, automaton = data["network"], data["automaton"]
    network, machine, states = digest(part), digest(automaton), len(automaton["label"])
    size = f"{many(len(part['layers']), 'layer')}, {many(len(part['readout'][0]), 'unit')}"
    size += f", threshold {float.fromhex(part['threshold'])}" if float.fromhex(part["threshold"]) else ""
    says = (
        f"the {part['cell']} network ({size}, digest {network[:16]}) and the automaton"
        f" ({many(states, 'state')}, digest {machine[:16]}) make the same decision on every nonempty string"
        f" over {shown(part['alphabet'])}; premise: {PREMISE}"
    )
    both = {"kind": part["cell"], "digest": network}, {"states": states, "digest": machine}
    parts = {"network": both[0], "automaton": both[1], "alphabet": part["alphabet"]}
    return {"claims": data["claims"], "says": says, "premise": PREMISE, **parts}


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
