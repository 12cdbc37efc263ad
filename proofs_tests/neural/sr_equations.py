"""A second implementation of the equations of Wang & Niepert (2019), elementwise in NumPy, with error bounds.

The weights come from a state dict, by their names; nothing else is shared with ``neural/``. Each value is
computed in float64 together with a bound. The bound holds for every evaluation in the network's dtype, with
sums in any order (Higham, *Accuracy and Stability of Numerical Algorithms*, 3.1). It also covers the
evaluation in this module, because float64 is at least as precise. Two evaluations therefore differ by at most
twice the bound. As in ``neural/rounding.py``, exp, tanh and the sigmoid are assumed to be within 4 units in
the last place.
"""

from dataclasses import dataclass

import numpy as np

UNITS = {"float32": 2.0**-24, "float64": 2.0**-53}
TINY = {"float32": 2.0**-126, "float64": 2.0**-1022}
FUNCTION = 8  # 4 units in the last place are at most 8 unit roundoffs


@dataclass
class Near:
    """Values, with a bound on the rounding error of computing them in the network's dtype."""

    value: np.ndarray
    error: np.ndarray
    dtype: str

    def rounded(self, value, error, roundings, size=None):
        """Return the result of an operation that propagates this error and rounds values of this size."""
        u = UNITS[self.dtype]
        size = np.abs(value) if size is None else size
        gamma = roundings * u / (1 - roundings * u)
        return Near(value, error + gamma * (size + error) + roundings * TINY[self.dtype], self.dtype)

    def __add__(self, other):
        return self.rounded(self.value + other.value, self.error + other.error, 1)

    def __mul__(self, other):
        carried = (
            np.abs(self.value) * other.error + np.abs(other.value) * self.error + self.error * other.error
        )
        return self.rounded(self.value * other.value, carried, 1)

    def __getitem__(self, index):
        return Near(self.value[index], self.error[index], self.dtype)

    def map(self, function, slope=1):
        """Apply an elementary function with at most this slope."""
        return self.rounded(function(self.value), slope * self.error, FUNCTION + 1)

    def split(self, parts):
        d = len(self.value) // parts
        return [self[i * d : (i + 1) * d] for i in range(parts)]


def exactly(value, dtype):
    value = np.asarray(value, dtype=np.float64)
    return Near(value, np.zeros_like(value), dtype)


def sigmoid(x):
    return x.map(lambda z: np.exp(-np.logaddexp(0, -z)), slope=0.25)


def tanh(x):
    return x.map(np.tanh)


def of(weight, bias, x):
    """Return W x + b: sums of n + 1 terms."""
    n = weight.shape[1]
    b = np.zeros(len(weight)) if bias is None else bias
    value = np.array([sum(weight[i, j] * x.value[j] for j in range(n)) + b[i] for i in range(len(weight))])
    return x.rounded(value, np.abs(weight) @ x.error, n + 1, np.abs(weight) @ np.abs(x.value) + np.abs(b))


# The recurrent component: u_t = f(h_{t-1}, c_{t-1}, x_t), and c_t.


def maps(p, x, h, gates):
    """Return W x + b and U h + b' for each gate."""
    read = of(p["part.input.weight"], p.get("part.input.bias"), x).split(gates)
    return read, of(p["part.hidden.weight"], p.get("part.hidden.bias"), h).split(gates)


def elman(p, x, h, c):
    (read,), (inside,) = maps(p, x, h, 1)
    return tanh(read + inside), None


def gru(p, x, h, c):
    """Return u of torch.nn.GRU with gates r, z and n, where r multiplies U_n h + b'_n."""
    (xr, xz, xn), (hr, hz, hn) = maps(p, x, h, 3)
    r, z = sigmoid(xr + hr), sigmoid(xz + hz)
    n = tanh(xn + r * hn)
    value = (1 - z.value) * n.value + z.value * h.value
    carried = z.error * (np.abs(n.value) + np.abs(h.value) + n.error + h.error) + n.error + h.error
    return z.rounded(value, carried, 4, np.abs(n.value) + np.abs(h.value)), None


def lstm(p, x, h, c):
    """Return u and the new cell state of torch.nn.LSTM with gates i, f, g and o."""
    i, f, g, o = (a + b for a, b in zip(*maps(p, x, h, 4), strict=True))
    c = sigmoid(f) * c + sigmoid(i) * tanh(g)
    return sigmoid(o) * tanh(c), c


def lstm_p(p, x, h, c):
    """Return u and the new cell state of an LSTM with peepholes (equations 6 to 8)."""
    i, f, g, o = (a + b for a, b in zip(*maps(p, x, h, 4), strict=True))
    p_i, p_f, p_o = (exactly(row, c.dtype) for row in p["part.peepholes"])
    f_t = sigmoid(f + p_f * c)  # equation 6
    i_t = sigmoid(i + p_i * c)  # equation 7
    c_t = f_t * c + i_t * tanh(g)
    o_t = sigmoid(o + p_o * c_t)  # equation 8
    return o_t * tanh(c_t), c_t


PARTS = {"sr-elman": elman, "sr-gru": gru, "sr-lstm": lstm, "sr-lstm-p": lstm_p} | {
    "gru": gru,
    "lstm": lstm,
    "lstm-p": lstm_p,
}


# The stochastic component: S has the shape (d, k), with one centroid per column.


def alphas(centroids, u, similarity, temperature):
    """Return alpha by equation 2 (``"dot"``) or 3 (``"euclidean"``)."""
    d, k = centroids.shape
    values, errors = [], []
    for s in centroids.T:
        if similarity == "dot":
            one = u.rounded(
                sum(u.value[j] * s[j] for j in range(d)), np.abs(s) @ u.error, d, np.abs(s) @ np.abs(u.value)
            )
        else:
            # A difference that underflows when squared is below the root of the smallest normal number.
            lost = np.sqrt(d * TINY[u.dtype])
            one = u.rounded(
                -np.sqrt(sum((u.value[j] - s[j]) ** 2 for j in range(d))),
                np.linalg.norm(u.error) + lost,
                d + 4,
            )
        values.append(one.value)
        errors.append(one.error)
    b, e = np.array(values), np.array(errors)
    # (b - max b) / tau: the subtraction rounds twice; tau, the quotient and the dtype round three more times.
    with np.errstate(over="ignore", divide="ignore"):
        off = np.max(e + 8 * UNITS[u.dtype] * (np.abs(b) + e)) / temperature + 8 * TINY[u.dtype]
        # alpha_i = 1 / sum_j exp((b_j - b_i) / tau), with exponents off by at most 2 off; if that is large,
        # every value is possible.
        value = np.array([1 / sum(np.exp((b[j] - b[i]) / temperature) for j in range(k)) for i in range(k)])
        carried = value * np.expm1(2 * off) if off < 1 else np.ones(k)
    near = u.rounded(value, carried, k + 2 * FUNCTION + 4)
    return Near(value, np.minimum(near.error, 1), u.dtype)


def mixture(centroids, alpha):
    """Return h, the mixture of the centroids (equation 5)."""
    d, k = centroids.shape
    value = np.array([sum(alpha.value[i] * centroids[j, i] for i in range(k)) for j in range(d)])
    return alpha.rounded(value, np.abs(centroids) @ alpha.error, k, np.abs(centroids) @ np.abs(alpha.value))


def step(kind, p, x, state, similarity="dot", temperature=1.0):
    """Return alpha and the new state (h, c) of one step, with h by equation 5."""
    u, c = PARTS[kind](p, x, *state)
    if "component.centroids" not in p:
        return None, (u, c)
    alpha = alphas(p["component.centroids"], u, similarity, temperature)
    return alpha, (mixture(p["component.centroids"], alpha), c)


def numbers(module, prefix=""):
    """Return a module's parameters by name, in float64."""
    return {
        name[len(prefix) :]: p.double().numpy()
        for name, p in module.state_dict().items()
        if name.startswith(prefix)
    }


def dtype_of(module):
    return str(next(module.parameters()).dtype).removeprefix("torch.")


def layers(network, kind, inputs, states, similarity="dot", temperature=1.0):
    """Return the last layer's h and alpha after each symbol of a string, and the last state of each cell."""
    values, ends, alpha = [exactly(x, dtype_of(network)) for x in inputs], [], []
    ways = 1 + network.bidirectional
    for layer in range(network.num_layers):
        both = []
        for way in range(ways):
            index = layer * ways + way
            p, state, hidden, alpha = numbers(network, f"cells.{index}."), states[index], [], []
            for x in values[::-1] if way else values:
                a, state = step(kind, p, x, state, similarity, temperature)
                alpha.append(a)
                hidden.append(state[0])
            both.append(hidden[::-1] if way else hidden)
            ends.append(state)
        values = [
            Near(np.concatenate([h.value for h in hs]), np.concatenate([h.error for h in hs]), hs[0].dtype)
            for hs in zip(*both, strict=True)
        ]
    return values, ends, alpha


# Section 3.3.


def logit(network, kind, string, start_token=True, similarity="dot", temperature=1.0):
    """Return the logit of a string, and the last layer's alpha after each symbol.

    The network reads a start token, the symbols and an end token, and then applies the classifier. The last
    layer's step on the end token has no stochastic component. In a network without centroids, u is the next
    h, and the initial h is zero if there is no start token.
    """
    dtype = dtype_of(network)
    embedding, size = numbers(network)["embedding.weight"], len(network.alphabet)
    classifier = numbers(network, "classifier.")
    cells = [numbers(network, f"layers.cells.{i}.") for i in range(network.layers.num_layers)]
    centroids = [p.get("component.centroids") for p in cells]
    zero = np.zeros(network.layers.hidden_size)
    first = [zero if start_token or s is None else s[:, 0] for s in centroids]
    states = [(exactly(h, dtype), exactly(zero, dtype)) for h in first]
    tokens = ([size] if start_token else []) + [network.alphabet.index(symbol) for symbol in string]
    alone = centroids[-1] is None
    read = [] if start_token or alone else [exactly(np.eye(centroids[-1].shape[1])[0], dtype)]
    for token in tokens:
        x = exactly(embedding[token], dtype)
        for index, p in enumerate(cells):
            alpha, states[index] = step(kind, p, x, states[index], similarity, temperature)
            x = states[index][0]
        read.append(alpha)
    x = exactly(embedding[size + 1], dtype)
    for p, s, state in zip(cells, centroids, states, strict=True):
        u, _ = PARTS[kind](p, x, *state)
        x = u if s is None else mixture(s, alphas(s, u, similarity, temperature))
    return of(classifier["weight"], classifier["bias"], u), read


def close(tensor, near):
    """Assert that two evaluations differ by at most the sum of their bounds."""
    value = tensor.detach().double().numpy()
    assert value.shape == near.value.shape
    difference = np.abs(value - near.value)
    assert (difference <= 2 * near.error).all(), (
        f"{difference.max()} apart, where {2 * near.error.max()} is the bound"
    )
