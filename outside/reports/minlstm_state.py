"""minGRU-pytorch 0.2.1: minLSTM changes a given state before it reads more than one token.

The parallel branch applies `log_g` to the given state h, so it continues from g(h) = h + 1/2 for h >= 0. The
branch for a single token continues from h. Only this branch is correct: the layer returned this state, so g
was already applied to its candidates. `minGRU` of the same package uses `prev_hidden.log()`, which is
correct.

The loop below is independent of the package: h = f' h + i' g(candidate), in float64.
"""

import torch
from minGRU_pytorch.minLSTM import minLSTM

torch.manual_seed(0)
layer = minLSTM(4).double()
x = torch.randn(1, 6, 4, dtype=torch.float64)


def loop(tokens, h):
    states = []
    for token in tokens[0]:
        candidate, f, i = (layer.to_hidden_and_f_i_gate.weight @ token).chunk(3)
        f, i = 1 / (1 + (-f).exp()), 1 / (1 + (-i).exp())
        candidate = torch.where(candidate >= 0, candidate + 0.5, 1 / (1 + (-candidate).exp()))
        h = (f * h + i * candidate) / (f + i)
        states.append(h)
    return torch.stack(states)[None]


with torch.no_grad():
    right = loop(x, torch.zeros(4, dtype=torch.float64))
    together = layer(x)
    first, state = layer(x[:, :3], return_next_prev_hidden=True)
    several = layer(x[:, 3:], state)
    tokens = []
    for t in range(3, 6):
        output, state = layer(x[:, t : t + 1], state, return_next_prev_hidden=True)
        tokens.append(output)
print("6 tokens in one call:", (together - right).abs().max().item())
print("3 tokens, then 3 single tokens:", (torch.cat(tokens, 1) - right[:, 3:]).abs().max().item())
error = (several - right[:, 3:]).abs().max().item()
print("3 tokens, then 3 tokens in a call:", error, "of", right.abs().max().item())
