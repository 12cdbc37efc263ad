"""opengdn 0.1.0: gradients of gated_delta_chunkwise are NaN if the decay of a chunk is below 1e-38.

The decay of a chunk is the product of its gates. With a chunk of 64 tokens, alpha = 0.22 is small enough.
`gamma.unsqueeze(-1) / gamma.unsqueeze(-2)` overflows for pairs of tokens in the wrong order, and `tril` masks
these values afterwards. The gradient of a masked value is then 0 * inf = NaN. The outputs are correct, and so
are the gradients of the reference in the same package. For smaller alpha, a cumulative product is 0, and the
function uses the reference.

The loop is independent of the package: S = alpha S, then S += beta k (v - S k), o = S q, in float64.
"""

import torch
from opengdn.chunkwise import gated_delta_chunkwise
from opengdn.reference import gated_delta


def loop(q, k, v, alpha, beta):
    q, k, v, alpha, beta = (x.double() for x in (q, k, v, alpha, beta))
    state, outputs = torch.zeros(1, 1, 4, 4, dtype=torch.float64), []
    for t in range(q.shape[1]):
        state = alpha[:, t, :, None, None] * state
        error = v[:, t] - (state * k[:, t, :, None]).sum(-1)
        state = state + beta[:, t, :, None, None] * error[..., None] * k[:, t, :, None]
        outputs.append((state * q[:, t, :, None]).sum(-1))
    return torch.stack(outputs, 1), state


torch.manual_seed(0)
q, v, beta = torch.randn(1, 64, 1, 4), torch.randn(1, 64, 1, 4), torch.rand(1, 64, 1)
k = torch.nn.functional.normalize(torch.randn(1, 64, 1, 4), dim=-1)
for decay in (0.5, 0.22):
    for kernel in (loop, gated_delta, gated_delta_chunkwise):
        inputs = [x.clone().requires_grad_() for x in (q, k, v, torch.full((1, 64, 1), decay), beta)]
        outputs, _ = kernel(*inputs)
        outputs.sum().backward()
        error = (outputs - loop(*inputs)[0]).abs().max().item()
        names = ("q", "k", "v", "alpha", "beta")
        wrong = {n: int(x.grad.isnan().sum()) for n, x in zip(names, inputs, strict=True)}
        print(f"alpha = {decay}, {kernel.__name__}: error of outputs {error:.1e}, NaN in gradients {wrong}")
