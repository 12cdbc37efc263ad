"""Independent implementations of today's linear recurrences, with which the layers are compared.

Like those in :mod:`ratproof.ladder.written.references`, each reference computes one symbol at a time, and
shares only the weights with ``neural/``. States are tensors of shape ``(K, units)``, with one column for each
unit.
"""

from __future__ import annotations

import torch

from ratproof.ladder.written.references import linear_map, sigmoid, tanh


def softplus(z):
    return torch.logaddexp(z, torch.zeros_like(z))


def rows(cell, values):
    """Reshape the values of a linear map or a parameter to ``(K, units)``, with one row for each key."""
    return values.reshape(-1, cell.hidden_size)


def maps(cell, x, names):
    """Apply the cell's linear maps with these names to x: shape ``(units,)``, or ``(K, units)`` if K > 1."""
    return [rows(cell, linear_map(cell.maps[name], x)).squeeze(0) for name in names.split()]


def vectors(cell, x, names):
    """Apply the cell's linear maps with these names to x: shape ``(K, units)``, also if K = 1."""
    return [rows(cell, linear_map(cell.maps[name], x)) for name in names.split()]


def both(o):
    """Return ``o`` twice: as the score and as the output of a layer in which these are equal."""
    return o, o


def min_gru(cell, v, h):
    for x in v:
        z, u = maps(cell, x, "z u")
        h = (1 - sigmoid(z)) * h + sigmoid(z) * u
        yield both(h)


def min_gru_log_space(cell, v, h):
    for x in v:
        z, u = maps(cell, x, "z u")
        h = (1 - sigmoid(z)) * h + sigmoid(z) * torch.where(u >= 0, u + 0.5, sigmoid(u))
        yield both(h)


def min_lstm(cell, v, h):
    for x in v:
        f, i, u = maps(cell, x, "f i u")
        log_f, log_i = -softplus(-f), -softplus(-i)
        h = sigmoid(log_f - log_i) * h + sigmoid(log_i - log_f) * u
        yield both(h)


def mamba_scalar(cell, v, h):
    for x in v:
        z, u = maps(cell, x, "z u")
        decay = torch.exp(-softplus(z))
        h = decay * h + (1 - decay) * u
        yield both(h)


def mamba_scalar_as_programmed(cell, v, h):
    for x in v:
        z, u = maps(cell, x, "z u")
        h = torch.exp(-softplus(z)) * h + softplus(z) * u
        yield both(h)


def hgrn(cell, v, start):
    theta = 2 * torch.atan(tanh(cell.own["turn"]))
    turn = torch.complex(torch.cos(theta), torch.sin(theta))
    h = torch.complex(start, start)
    odd = torch.arange(len(start)) % 2 == 1
    for x in v:
        f, re, im = maps(cell, x, "f c_re c_im")
        h = sigmoid(f) * turn * h + (1 - sigmoid(f)) * torch.complex(re, im)
        yield both(torch.where(odd, h.imag, h.real))


def hgrn_real(cell, v, h):
    for x in v:
        f, c = maps(cell, x, "f c")
        h = sigmoid(f) * h + (1 - sigmoid(f)) * c
        yield both(h)


def rg_lru(cell, v, h):
    for x in v:
        r, i, value = maps(cell, x, "r i x")
        a = torch.exp(-8 * sigmoid(r) * softplus(-cell.own["Lambda"]))
        h = a * h + torch.sqrt(1 - a * a) * (sigmoid(i) * value)
        yield both(h)


def rg_lru_as_programmed(cell, v, h):
    if len(v):
        _, i, value = maps(cell, v[0], "r i x")
        h = sigmoid(i) * value
        yield both(h)
        yield from rg_lru(cell, v[1:], h)


def lru(scale):
    def reference(cell, v, start):
        own = {name: rows(cell, value) for name, value in cell.own.items()}
        theta = 2 * torch.atan(tanh(own["turn"]))
        factor = sigmoid(own["modulus"]) * torch.complex(torch.cos(theta), torch.sin(theta))
        c = torch.complex(own["c"], own["d"])
        state = torch.complex(start, start).expand(factor.shape)
        for x in v:
            p, r = vectors(cell, x, "p r")
            state = factor * state + torch.complex(p, r)
            yield both(scale * (c * state).sum(0).real + maps(cell, x, "Du")[0])

    return reference


def memory(step, read="q"):
    """Return a reference implementation of a layer with a matrix memory.

    Args:
        step: A function from the cell, an input and the state to the next state.
        read: The name of the query's linear map.
    """

    def reference(cell, v, start):
        s = start.expand(cell.keys, -1)
        for x in v:
            s = step(cell, x, s)
            yield both((vectors(cell, x, read)[0] * s).sum(0))

    return reference


def linear_attention(cell, x, s):
    k, v = vectors(cell, x, "k v")
    return s + k * v


def retnet(cell, x, s):
    k, v = vectors(cell, x, "k v")
    return sigmoid(cell.own["gamma"]) * s + k * v


def gla(cell, x, s):
    alpha, k, v = vectors(cell, x, "alpha k v")
    return sigmoid(alpha) * s + k * v


def hgrn2(cell, x, s):
    f, i = vectors(cell, x, "f i")
    return sigmoid(f) * s + (1 - sigmoid(f)) * i


def delta_net(cell, x, s):
    beta, k, v = vectors(cell, x, "beta k v")
    k = tanh(k)
    return s + sigmoid(beta) * k * (v - (k * s).sum(0))


def without(left, right):
    """Return the matrix I - left right^T for each unit, shape ``(K, K, units)``."""
    identity = torch.eye(len(left), dtype=left.dtype, device=left.device)
    return identity.unsqueeze(-1) - left.unsqueeze(1) * right.unsqueeze(0)


def gated_delta_net(cell, x, s):
    alpha, beta, k, v = vectors(cell, x, "alpha beta k v")
    k, beta = tanh(k), sigmoid(beta)
    return sigmoid(alpha) * (without(beta * k, k) * s.unsqueeze(0)).sum(1) + beta * v * k


def kda(cell, x, s):
    alpha, beta, k, v = vectors(cell, x, "alpha beta k v")
    k, beta = tanh(k), sigmoid(beta)
    return (without(beta * k, k) * (sigmoid(alpha) * s).unsqueeze(0)).sum(1) + beta * v * k


def gated_delta_net_2(cell, x, s):
    alpha, b, w, k, v = vectors(cell, x, "alpha b w k v")
    k = tanh(k)
    held = (sigmoid(alpha) * s).unsqueeze(0)
    return (without(k, sigmoid(b) * k) * held).sum(1) + sigmoid(w) * v * k


def comba(cell, v, start):
    s = start.expand(cell.keys, -1)
    for x in v:
        alpha, erase, beta, q, k, value = vectors(cell, x, "alpha erase beta q k v")
        k = tanh(k)
        there = (k.unsqueeze(1) * k.unsqueeze(0) * s.unsqueeze(0)).sum(1)
        s = sigmoid(alpha) * s - sigmoid(erase) * there + sigmoid(beta) * value * k
        yield both((q * s).sum(0) - cell.own["d"] * (k * s).sum(0))


def gated_delta_product(cell, x, s):
    g, beta1, k1, v1, beta2, k2, v2 = vectors(cell, x, "g beta1 k1 v1 beta2 k2 v2")
    k1, k2, beta1, beta2 = tanh(k1), tanh(k2), sigmoid(beta1), sigmoid(beta2)
    first, second = without(beta1 * k1, k1), without(beta2 * k2, k2)
    both_steps = (second.unsqueeze(2) * first.unsqueeze(0)).sum(1)
    written = (second * (beta1 * v1 * k1).unsqueeze(0)).sum(1) + beta2 * v2 * k2
    return (both_steps * (sigmoid(g) * s).unsqueeze(0)).sum(1) + written


def momentum_delta_net(cell, v, start):
    s = m = start.expand(cell.keys, -1)
    for x in v:
        alpha, mu, beta, eta, p, k, q, value = vectors(cell, x, "alpha mu beta eta p k q v")
        change = sigmoid(eta) * tanh(k) * (value - (tanh(p) * s).sum(0))
        m = sigmoid(mu) * m - change
        s = sigmoid(alpha) * s - sigmoid(beta) * m
        yield both((q * s).sum(0))


def titans(cell, v, start):
    m = s = start.expand(cell.keys, -1)
    for x in v:
        alpha, eta, theta, k, q, value = vectors(cell, x, "alpha eta theta k q v")
        k = tanh(k)
        gradient = 2 * (k.unsqueeze(1) * k.unsqueeze(0) * m.unsqueeze(0)).sum(1) - 2 * value * k
        s = sigmoid(eta) * s - sigmoid(theta) / 32 * gradient
        m = (1 - sigmoid(alpha)) * m + s
        yield both((q * m).sum(0))


def longhorn(cell, x, s):
    beta, k, value = vectors(cell, x, "beta k x")
    beta = sigmoid(beta)
    delta = beta / (1 + beta * (k * k).sum(0))
    # 1 - delta k^2 cancels, and its error would exceed the layer's bound
    others = torch.stack([(k * k)[torch.arange(len(k)) != j].sum(0) for j in range(len(k))])
    return (1 + beta * others) / (1 + beta * (k * k).sum(0)) * s + delta * value * k


def rwkv_7(cell, x, s):
    w, kappa, a, k, v = vectors(cell, x, "w kappa a k v")
    kappa = tanh(kappa)
    return sigmoid(w) * s - sigmoid(a) * kappa * (kappa * s).sum(0) + k * v


def mlstm(cell, x, s):
    f, i, k, v = vectors(cell, x, "f i k v")
    return sigmoid(f) * s + torch.exp(16 * tanh(i / 16)) * v * k


def rwkv(decay):
    """Return a reference implementation of an RWKV layer with a bonus.

    Args:
        decay: A function from the cell and an input to the logits of the decays.
    """

    def reference(cell, v, start):
        s, u = start.expand(cell.keys, -1), rows(cell, cell.own["u"])
        for x in v:
            r, k, value = vectors(cell, x, "r k v")
            yield both((r * (s + u * k * value)).sum(0))
            s = sigmoid(decay(cell, x)) * s + k * value

    return reference


RWKV_5 = rwkv(lambda cell, x: rows(cell, cell.own["w"]))
RWKV_6 = rwkv(lambda cell, x: vectors(cell, x, "w")[0])


def mamba_2(cell, v, start):
    h = start.expand(cell.keys, -1)
    for x in v:
        a, b, c, value = vectors(cell, x, "a B C x")
        h = sigmoid(a) * h + b * value
        yield both((c * h).sum(0) + cell.own["D"] * value[0])


def mamba_3(cell, v, start):
    h = last = torch.complex(start, start).expand(cell.keys, -1)
    for x in v:
        z, rate, step, turn, b, e, c, d, value = vectors(cell, x, "z A lambda turn B E c d x")
        delta, step, theta = softplus(z), sigmoid(step), 2 * torch.atan(tanh(turn))
        factor = torch.exp(-delta * softplus(-rate)) * torch.complex(torch.cos(theta), torch.sin(theta))
        new = torch.complex(b * value, e * value)
        h = factor * (h + (1 - step) * delta * last) + step * delta * new
        last = new
        yield both((c * h.real + d * h.imag).sum(0))


def mamba(cell, v, start):
    h, rate = start.expand(cell.keys, -1), -softplus(-rows(cell, cell.own["A"]))
    padded = torch.cat([v.new_zeros(cell.window - 1, v.shape[1]), v])
    for t in range(len(v)):
        view = padded[t : t + cell.window].flatten()
        z, b, c, value = vectors(cell, view, "z B C x")
        delta = softplus(z)
        h = torch.exp(delta * rate) * h + delta * b * value
        yield both((c * h).sum(0) + cell.own["D"] * value[0])


LINEAR_REFERENCES = {
    "min-gru": min_gru,
    "min-gru-log-space": min_gru_log_space,
    "min-lstm": min_lstm,
    "mamba-scalar": mamba_scalar,
    "mamba-scalar-as-programmed": mamba_scalar_as_programmed,
    "hgrn": hgrn,
    "hgrn-real": hgrn_real,
    "rg-lru": rg_lru,
    "rg-lru-as-programmed": rg_lru_as_programmed,
    "lru": lru(1),
    "s4d": lru(2),
    "linear-attention": memory(linear_attention),
    "retnet": memory(retnet),
    "gla": memory(gla),
    "gla-chunks": memory(gla),
    "hgrn2": memory(hgrn2, "o"),
    "delta-net": memory(delta_net),
    "gated-delta-net": memory(gated_delta_net),
    "delta-chunks": memory(gated_delta_net),
    "kda": memory(kda),
    "gated-delta-net-2": memory(gated_delta_net_2),
    "comba": comba,
    "gated-delta-product": memory(gated_delta_product),
    "longhorn": memory(longhorn),
    "momentum-delta-net": momentum_delta_net,
    "titans": titans,
    "rwkv-7": memory(rwkv_7),
    "rwkv-7-chunks": memory(rwkv_7),
    "mlstm": memory(mlstm),
    "mlstm-stabilised": memory(mlstm),
    "rwkv-5": RWKV_5,
    "rwkv-6": RWKV_6,
    "rwkv-6-chunks": RWKV_6,
    "mamba-2": mamba_2,
    "mamba-2-chunks": mamba_2,
    "mamba": mamba,
    "mamba-3": mamba_3,
    "mamba-without-convolution": mamba,
}
