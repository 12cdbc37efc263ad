"""Tests that the layers that are not automata agree with torch, with autograd's gradients of TTT's loss."""

import flint
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from theory.not_rational.arithmetic import BALLS
from theory.not_rational.cells import CELLS
from theory.not_rational.weights import some

CLOSE = 1e-9
"""The tolerance for float64 results on words of a few letters; all weights are multiples of 1/8."""


def of_balls(weighted_cell, word):
    state, weights = weighted_cell.start(BALLS), weighted_cell.over(BALLS.number)
    for x in word:
        state = weighted_cell.cell.step(weights, state, weighted_cell.letters.index(x), BALLS)
    return [float(ball.mid()) for ball in weighted_cell.cell.units(state)]


def of_torch(weighted_cell, word):
    w = {name: torch.tensor(value, dtype=torch.float64) for name, value in weighted_cell.over(float).items()}
    return LAYERS[weighted_cell.cell.name](w, [weighted_cell.letters.index(x) for x in word])


def read(w, name, word):
    return w[f"W_{name}"].T[word]


def linear_attention(w, word):
    q, k, v = (read(w, name, word) for name in "qkv")
    weights = q[-1] @ k.T
    return weights @ v / weights.sum()


def softmax_attention(w, word):
    q, k, v = (read(w, name, word)[None] for name in "qkv")
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=1.0)[0, -1]


def rwkv_4(w, word):
    k, v = read(w, "k", word), read(w, "v", word)
    ages = torch.arange(len(word) - 2, -2, -1, dtype=torch.float64)[:, None]
    weights = torch.exp(torch.where(ages < 0, w["u"], -ages * w["w"]) + k)
    return (weights * v).sum(0) / weights.sum(0)


def mlstm(w, word):
    """Return the outputs of mLSTM in its parallel form, stabilised by the largest exponent."""
    q, k, v = (read(w, name, word) for name in "qkv")
    logs = F.logsigmoid(w["f"][word])
    exponents = w["i"][word] + logs.flip(0).cumsum(0).flip(0) - logs
    largest = exponents.max()
    weights = torch.exp(exponents - largest) * (k @ q[-1])
    below = torch.maximum(weights.sum().abs(), torch.exp(-largest))
    return torch.sigmoid(read(w, "o", word)[-1]) * (weights @ v) / below


def gsa(w, word):
    k, v = read(w, "k", word), read(w, "v", word)
    alpha = torch.sigmoid(read(w, "a", word))
    kept = torch.cat([alpha, torch.ones_like(alpha[:1])]).flip(0).cumprod(0).flip(0)[1:]
    weights = kept * (1 - alpha)
    scores = (weights.T @ k) @ read(w, "q", word)[-1]
    return (weights.T @ v).T @ torch.softmax(scores, 0)


def mesa_net(w, word):
    q, k, v = (read(w, name, word) for name in "qkv")
    f, i = torch.sigmoid(w["f"][word]), torch.sigmoid(w["i"][word])
    weights = i * torch.cat([f, torch.ones_like(f[:1])]).flip(0).cumprod(0).flip(0)[1:]
    matrix = (k * weights[:, None]).T @ k + torch.diag(w["w"])
    return (v * weights[:, None]).T @ (k @ torch.linalg.solve(matrix, q[-1]))


def slstm(w, word):
    c = n = h = torch.zeros_like(w["b_i"])
    for x in word:
        i, f, z, o = (w[f"W_{g}"][:, x] + w[f"b_{g}"] + w[f"U_{g}"] @ h for g in "ifzo")
        c = torch.sigmoid(f) * c + torch.exp(i) * torch.tanh(z)
        n = torch.sigmoid(f) * n + torch.exp(i)
        h = torch.sigmoid(o) * c / n
    return h


def ttt(w, word):
    matrix = w["W_0"]

    def model(matrix, x):
        return x + F.layer_norm(matrix @ x, x.shape, w["scale"], w["shift"], float(w["eps"]))

    for x in word:
        q, k, v = (w[f"W_{name}"][:, x] for name in "qkv")
        inner = matrix.detach().requires_grad_()
        loss = ((model(inner, k) - v) ** 2).sum()
        matrix = inner.detach() - w["eta"][x] * torch.autograd.grad(loss, inner)[0]
        output = model(matrix, q)
    return output


LAYERS = {
    "linear-attention": linear_attention,
    "softmax-attention": softmax_attention,
    "rwkv-4": rwkv_4,
    "mlstm": mlstm,
    "gsa": gsa,
    "mesa-net": mesa_net,
    "slstm": slstm,
    "ttt": ttt,
}


def log_linear_attention(length):
    """Compute the outputs from the masks of all levels, with keys, queries and values of 1."""
    i, j = torch.meshgrid(torch.arange(length), torch.arange(length), indexing="ij")
    weights = torch.zeros(length, length, dtype=torch.float64)
    for level in range(1, length.bit_length() + 1):
        block = 2 ** (level - 1)
        end = i - i % block
        mask = (i % (2 * block) >= block) & (end - block <= j) & (j < end)
        weights += mask * 2.0 ** (1 - level)
    return weights.sum(1).tolist()


def test_log_linear_attention_counts_ones():
    assert log_linear_attention(70) == [t.bit_count() for t in range(70)]


@pytest.mark.parametrize("states", [4, 8, 16, 32])
def test_log_linear_attention_needs_many_states(states):
    entries = [(i + j).bit_count() for i in range(states) for j in range(states)]
    assert flint.fmpz_mat(states, states, entries).rank() == states


@pytest.mark.parametrize("name", LAYERS)
@settings(max_examples=25)
@given(st.integers(1, 3), st.integers(0, 10**6), st.text("abc", min_size=1, max_size=7))
def test_a_layer_is_torchs(name, units, seed, word):
    weighted_cell = some(CELLS[name], max(units, CELLS[name].fewest), "abc", seed)
    assert of_balls(weighted_cell, word) == pytest.approx(
        of_torch(weighted_cell, word).tolist(), rel=CLOSE, abs=CLOSE
    )
