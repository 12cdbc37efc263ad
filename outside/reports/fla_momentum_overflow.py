"""flash-linear-attention 0.6.0: chunk_momentum_delta_rule_ref loses all digits for a momentum of a half.

With `fla.ops.momentum_delta_rule.naive.chunk_momentum_delta_rule_ref`, this happens after 32 tokens; later
the result is NaN. The recurrent reference in the same file is right. `temp` is 1 - exp(b - a), of
logcumsumexps of mu^t. With mu = 0.5 they differ only in their last digits, and the difference is multiplied
by `gamma_mask_q`, which is as large as 1 / mu^t. If that overflows, inf * 0 is NaN.
"""

import math

import torch
from fla.ops.momentum_delta_rule.naive import chunk_momentum_delta_rule_ref, recurrent_momentum_delta_rule_ref

for mu, length in ((0.9, 32), (0.5, 32), (0.25, 32), (0.1, 64)):
    torch.manual_seed(0)
    q, v = torch.randn(1, length, 1, 4), torch.randn(1, length, 1, 4)
    k = torch.nn.functional.normalize(torch.randn(1, length, 1, 4), dim=-1)
    half, zero = torch.full((1, length, 1), 0.5), torch.zeros(1, length, 1)
    gates = {"p": k, "log_alpha": zero - 0.1, "log_mu": zero + math.log(mu), "beta": half, "eta": half}
    chunk, _ = chunk_momentum_delta_rule_ref(q, k, v, **gates)
    right, _ = recurrent_momentum_delta_rule_ref(q=q, k=k, v=v, **gates)
    difference = (chunk - right).abs().max().item()
    print(
        f"mu = {mu}, {length} tokens: apart by {difference:.2g}, where the largest is {right.abs().max():.2g}"
    )
