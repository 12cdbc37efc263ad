"""Independent implementations of the papers' equations, with which the layers are compared.

Each reference computes one symbol at a time, as the paper writes the equations. It takes a cell, the inputs
of one string, shape ``(T, input_size)``, and c_0 of every unit. It yields the pairs of c_t and the output for
t = 1, ..., T. It shares only the weights with ``neural/``.
"""

from __future__ import annotations

import torch

sigmoid, tanh = torch.sigmoid, torch.tanh


def g(name):
    return tanh if name == "tanh" else lambda z: z


def linear_map(linear, x):
    """Return W x + b for a linear module, without calling it."""
    product = (linear.weight * x).sum(1)
    return product if linear.bias is None else product + linear.bias


def example_6(cell, v, c):
    for x in v:
        f = sigmoid(linear_map(cell.forget, x))
        c = f * c + (1 - f) * g(cell.nonlinearity)(linear_map(cell.update, x))
        yield c, c


def rrnn_b(cell, v, c):
    for x in v:
        f = sigmoid(linear_map(cell.forget, x))
        c = f * c + (1 - f) * linear_map(cell.update, x)
        yield c, tanh(c if cell.gate is None else sigmoid(linear_map(cell.gate, x)) * c)


def rrnn_b_max_plus(cell, v, c):
    for x in v:
        # the error of this form is bounded, unlike the error of log(sigmoid(z))
        f = torch.nn.functional.logsigmoid(linear_map(cell.forget, x))
        c = torch.maximum(f + c, linear_map(cell.update, x))
        yield c, tanh(c if cell.gate is None else torch.log(sigmoid(linear_map(cell.gate, x))) + c)


def example_15(cell, v, c):
    for x in v:
        c = torch.maximum(
            torch.nn.functional.logsigmoid(linear_map(cell.forget, x)) + c,
            g(cell.nonlinearity)(linear_map(cell.update, x)),
        )
        yield c, c


def gates_of_two(cell, x):
    """Return the gates f1 and f2 and the updates u1 and u2, in the order f1, u1, f2, u2."""
    f1, f2 = sigmoid(linear_map(cell.forget_1, x)), sigmoid(linear_map(cell.forget_2, x))
    return f1, (1 - f1) * linear_map(cell.update_1, x), f2, (1 - f2) * linear_map(cell.update_2, x)


def rrnn_c(cell, v, c):
    c1, c2 = c, c
    for x in v:
        f1, u1, f2, u2 = gates_of_two(cell, x)
        c1, c2 = c1 * f1 + u1, c2 * f2 + c1 * u2
        yield c2, tanh(c2 if cell.gate is None else sigmoid(linear_map(cell.gate, x)) * c2)


def rrnn_f(cell, v, c):
    c1, c2 = c, c
    p1, p2, r = sigmoid(cell.final_1), sigmoid(cell.final_2), sigmoid(cell.skip)
    for x in v:
        f1, u1, f2, u2 = gates_of_two(cell, x)
        c1, c2 = c1 * f1 + u1, c2 * f2 + (c1 + r) * u2
        both = p1 * c1 + p2 * c2
        yield both, tanh(both if cell.gate is None else sigmoid(linear_map(cell.gate, x)) * both)


def sru(cell, v, c):
    for x in v:
        f, r = sigmoid(linear_map(cell.forget, x)), sigmoid(linear_map(cell.reset, x))
        c = f * c + (1 - f) * linear_map(cell.update, x)
        h = r * g(cell.nonlinearity)(c)
        yield c, h + (1 - r) * x if cell.highway else h


def windows(cell, v):
    """Return, for each t, the window x_{t-K+1}, ..., x_t, with zeros before the first input."""
    k = cell.window
    padded = [torch.zeros(v.shape[1], dtype=v.dtype, device=v.device)] * (k - 1) + list(v)
    return [torch.cat(padded[t : t + k]) for t in range(len(v))]


def qrnn(cell, v, c):
    for x in windows(cell, v):
        f, z = sigmoid(linear_map(cell.forget, x)), tanh(linear_map(cell.update, x))
        c = f * c + (1 - f) * z
        yield c, c if cell.gate is None else sigmoid(linear_map(cell.gate, x)) * c


def t_rnn(cell, v, c):
    for x in v:
        f = sigmoid(linear_map(cell.forget, x))
        c = f * c + (1 - f) * linear_map(cell.update, x)
        yield c, c


def pair(linear, before, x):
    """Return V v_{t-1} + W v_t + b, where V and W are the two halves of the weight of ``linear``.

    v_{t-1} is ``before``, and v_t is ``x``.
    """
    n = len(x)
    product = (linear.weight[:, :n] * before).sum(1) + (linear.weight[:, n:] * x).sum(1)
    return product if linear.bias is None else product + linear.bias


def gates_of_pairs(cell, v):
    """Yield z_t, f_t and o_t, which read v_{t-1} and v_t, where v_0 = 0."""
    before = torch.zeros_like(v[0]) if len(v) else None
    for x in v:
        z, f, o = (pair(linear, before, x) for linear in (cell.update, cell.forget, cell.gate))
        yield z, sigmoid(f), tanh(o)
        before = x


def t_gru(cell, v, h):
    for z, f, o in gates_of_pairs(cell, v):
        h = f * h + z * o
        yield h, h


def t_lstm(cell, v, c):
    for z, f, o in gates_of_pairs(cell, v):
        c = f * c + (1 - f) * z
        yield c, o * c


def scrn(cell, v, s):
    alpha = cell.alpha if cell.logit is None else sigmoid(cell.logit)
    h = torch.zeros(cell.output_size, dtype=s.dtype, device=s.device)
    for x in v:
        s = (1 - alpha) * linear_map(cell.context, x) + alpha * s
        h = sigmoid(
            linear_map(cell.from_context, s) + linear_map(cell.inputs, x) + linear_map(cell.recurrent, h)
        )
        yield s, h


def rcnn(cell, v, c):
    states = [c] * cell.order
    for x in v:
        decay = sigmoid(cell.logit) if cell.forget is None else sigmoid(linear_map(cell.forget, x))
        u = [(1 - decay) * g(cell.nonlinearity)(linear_map(update, x)) for update in cell.updates]
        below = [1.0, *states[:-1]]
        states = [decay * c + b * w for c, b, w in zip(states, below, u, strict=True)]
        yield states[-1], g(cell.outputs)(states[-1])


def isan(cell, v, c):
    for x in v.tolist():
        b = 0 if cell.bias is None else cell.bias[x]
        c = torch.stack([(cell.weight[x, i] * c).sum() for i in range(len(c))]) + b
        yield c, c


def linear_elman(cell, v, c):
    for x in v:
        c = torch.stack([(cell.recurrent[i] * c).sum() for i in range(len(c))]) + linear_map(cell.update, x)
        yield c, c


def closed(k, once, h, e):
    """Return the scores at positions 0 to n of a soft pattern after epsilon transitions.

    ``h`` are the scores before these transitions, and ``e`` are their weights. A path takes any number of
    epsilon transitions in a row, or at most one if ``once`` is true.
    """
    plus, times, _ = k
    after = [h[0]]
    for j in range(1, len(h)):
        after.append(plus(h[j], times((h if once else after)[j - 1], e[j - 1])))
    return after


def soft_pattern(k, once):
    """Return a reference implementation of a soft pattern of Schwartz et al. 2018 over a semiring.

    ``k`` has the sum, the product, and the function from logits to weights.
    """
    plus, times, weight = k

    def run(cell, v, c):
        n = cell.words
        e = [weight(skip) for skip in cell.skips]
        one = torch.zeros_like(c) if k is MAX_PLUS else torch.ones_like(c)
        h = closed(k, once, [one] + [c] * n, e)
        c = plus(c, h[n])
        for x in v:
            read = [one]
            for j in range(1, n + 1):
                moved = times(h[j - 1], weight(linear_map(cell.moves[j - 1], x)))
                read.append(plus(moved, times(h[j], weight(linear_map(cell.loops[j - 1], x)))))
            h = closed(k, once, read, e)
            c = plus(c, h[n])
            yield c, c

    return run


SUMS = (torch.add, torch.mul, sigmoid)
MAX_PLUS = (torch.maximum, torch.add, torch.nn.functional.logsigmoid)


def cnn_max_pooled(cell, v, c):
    """Yield the maximum score of the windows that end at or before each symbol, and its activation.

    Each window's score is computed separately, from its oldest symbol to its newest.
    """
    out = {"relu": torch.relu, "tanh": tanh}[cell.outputs]
    for t in range(len(v)):
        window = [(j, t - cell.width + j + 1) for j in range(cell.width)]
        if cell.padding or window[0][1] >= 0:
            score = torch.zeros_like(c)
            for j, index in window:
                score = score + linear_map(cell.places[j], v[index]) if index >= 0 else score
            c = torch.maximum(c, score)
        yield c, out(c)


REFERENCES = {
    "sopa": soft_pattern(SUMS, once=False),
    "sopa-max-plus": soft_pattern(MAX_PLUS, once=False),
    "sopa-one-epsilon": soft_pattern(SUMS, once=True),
    "cnn-max-pooled": cnn_max_pooled,
    "cnn-max-pooled-padded": cnn_max_pooled,
    "example-6": example_6,
    "example-15": example_15,
    "rrnn-b": rrnn_b,
    "rrnn-b-max-plus": rrnn_b_max_plus,
    "rrnn-c": rrnn_c,
    "rrnn-f": rrnn_f,
    "sru": sru,
    "qrnn": qrnn,
    "t-rnn": t_rnn,
    "t-gru": t_gru,
    "t-lstm": t_lstm,
    "scrn": scrn,
    "rcnn": rcnn,
    "isan": isan,
    "linear-elman": linear_elman,
}

KINDS = [
    ("example-6", {}),
    ("example-6", {"nonlinearity": "identity", "bias": False}),
    ("example-15", {}),
    ("example-15", {"nonlinearity": "identity", "bias": False}),
    ("rrnn-b", {}),
    ("rrnn-b", {"output_gate": True, "bias": False}),
    ("rrnn-b-max-plus", {}),
    ("rrnn-b-max-plus", {"output_gate": True}),
    ("rrnn-c", {}),
    ("rrnn-c", {"output_gate": True}),
    ("rrnn-f", {}),
    ("rrnn-f", {"output_gate": True}),
    ("sru", {}),
    ("sru", {"highway": True, "nonlinearity": "identity"}),
    ("qrnn", {"window": 1}),
    ("qrnn", {"window": 2, "output_gate": True}),
    ("qrnn", {"window": 3, "bias": False}),
    ("t-rnn", {}),
    ("t-gru", {}),
    ("t-lstm", {"bias": False}),
    ("t-lstm", {}),
    ("scrn", {"alpha": 0.75, "hidden_units": 4}),
    ("scrn", {"alpha": None}),
    ("rcnn", {"order": 1, "decay": "constant"}),
    ("rcnn", {}),
    ("rcnn", {"order": 4, "nonlinearity": "identity", "output": "identity"}),
    ("isan", {}),
    ("isan", {"bias": False}),
    ("linear-elman", {}),
    ("linear-elman", {"bias": False}),
    ("sopa", {"words": 1}),
    ("sopa", {}),
    ("sopa-max-plus", {"bias": False}),
    ("sopa-one-epsilon", {"words": 1}),
    ("sopa-one-epsilon", {}),
    ("cnn-max-pooled", {"width": 2, "output": "tanh"}),
    ("cnn-max-pooled", {"bias": False}),
    ("cnn-max-pooled-padded", {"padding": True}),
]
"""All kinds of networks, with options that cover each branch of their equations."""
NAMES = [" ".join([kind, *(f"{n}={v}" for n, v in options.items())]) for kind, options in KINDS]
