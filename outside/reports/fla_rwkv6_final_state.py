"""flash-linear-attention 0.6.0: fused_recurrent_rwkv6 ignores the gradient of the final state.

In `fla.ops.rwkv6.fused_recurrent_rwkv6`, `FusedRecurrentRWKV6Function.backward(ctx, do, dht)` does not use
`dht`, and its kernel starts with zeros. The plain reference in the same package has the correct gradients.
Run this script on a GPU, or with TRITON_INTERPRET=1. In the interpreter, autotuning must be disabled, as
below.
"""

import os

import torch
from fla.ops.rwkv6 import fused_recurrent_rwkv6
from fla.ops.rwkv6.recurrent_naive import naive_recurrent_rwkv6
from triton.runtime.autotuner import Autotuner

device = "cuda"
if os.environ.get("TRITON_INTERPRET") == "1":  # autotuning needs a GPU
    device = "cpu"
    Autotuner._bench = lambda self, *arguments, config, **meta: [1.0, 1.0, 1.0]

torch.manual_seed(0)
r, k, v, w = (torch.randn(1, 3, 1, 4, device=device) for _ in range(4))
u, state = torch.randn(1, 4, device=device), torch.randn(1, 1, 4, 4, device=device)
for name in ("naive_recurrent_rwkv6", "fused_recurrent_rwkv6"):
    inputs = [x.clone().requires_grad_() for x in (k, v, -w.abs(), state)]
    if name.startswith("naive"):  # heads before time
        heads_first = [x.transpose(1, 2) for x in (r, *inputs[:3])]
        _, final = naive_recurrent_rwkv6(*heads_first, u, initial_state=inputs[3], output_final_state=True)
    else:
        _, final = fused_recurrent_rwkv6(r, *inputs[:3], u, initial_state=inputs[3], output_final_state=True)
    final.sum().backward()
    sizes = {
        n: round(float(x.grad.abs().sum()), 3) for n, x in zip(("k", "v", "w", "h0"), inputs, strict=True)
    }
    print(f"{name}: sum of the gradients' sizes {sizes}")
