"""flash-linear-attention 0.6.0: the gradients of naive_chunk_kda are NaN if the decay over a chunk is strong.

The outputs of `fla.ops.kda.naive.naive_chunk_kda` are correct, and so is the recurrent reference in the same
file. `(g - g_i).exp()` is also computed for pairs of tokens in the wrong order. There it overflows if the
cumulative log decay of 64 tokens is below -88, and is masked afterwards. The gradient of a masked value is
then 0 * inf = NaN. The gradient would be 0 if the mask were applied before the exponential, as in
transformers' `chunk_kimi_delta_attention`.
"""

import torch
from fla.ops.kda.naive import naive_chunk_kda, naive_recurrent_kda

torch.manual_seed(0)
q, v = torch.randn(1, 64, 1, 4), torch.randn(1, 64, 1, 4)
k = torch.nn.functional.normalize(torch.randn(1, 64, 1, 4), dim=-1)
beta = torch.rand(1, 64, 1)
for gate in (-1.0, -2.0):
    for kernel in (naive_recurrent_kda, naive_chunk_kda):
        inputs = [x.clone().requires_grad_() for x in (q, k, v, torch.full((1, 64, 1, 4), gate), beta)]
        outputs, _ = kernel(*inputs)
        outputs.sum().backward()
        wrong = {n: int(x.grad.isnan().sum()) for n, x in zip("qkvgb", inputs, strict=True)}
        print(
            f"g = {gate}, {kernel.__name__}: nan in outputs {int(outputs.isnan().sum())}, in gradients", wrong
        )
