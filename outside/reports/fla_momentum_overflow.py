"""flash-linear-attention 0.6.0: chunk_momentum_delta_rule_ref loses all digits if the momentum is 1/2.

In `fla.ops.momentum_delta_rule.naive.chunk_momentum_delta_rule_ref`, all digits are lost after 32 tokens, and
later the result is NaN. The recurrent reference in the same file is correct. `temp` is 1 - exp(b - a), where
a and b are logcumsumexps of mu^t. If mu = 0.5, a and b differ only in their last digits. The difference is
then multiplied by `gamma_mask_q`, which is as large as 1 / mu^t. If this factor overflows, inf * 0 gives NaN.
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
