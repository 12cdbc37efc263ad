"""flash-linear-attention 0.6.0: the backward pass of fused_recurrent_delta_rule fails for some states.

`fla.ops.delta_rule.fused_recurrent_delta_rule` raises an error in its backward pass if the initial state does
not require a gradient, or is not contiguous. `dh0` is None unless `initial_state.requires_grad`, but the
kernel writes to `dh0` whenever there is an `h0`. `input_guard` replaces a non-contiguous tensor by a copy
that does not require a gradient, with the same effect. Run this script on a GPU, or with TRITON_INTERPRET=1.
"""

import os

import torch
from fla.ops.delta_rule import fused_recurrent_delta_rule

device = "cpu" if os.environ.get("TRITON_INTERPRET") == "1" else "cuda"
torch.manual_seed(0)
q, k, v = (torch.randn(1, 3, 1, 4, device=device) for _ in range(3))
k, beta = torch.nn.functional.normalize(k, dim=-1), torch.rand(1, 3, 1, device=device)
state = torch.randn(1, 1, 4, 4, device=device)
states = {
    "with a gradient": state.clone().requires_grad_(),
    "with a gradient, not contiguous": state.mT.detach().requires_grad_(),
    "without a gradient": state,
}
for name, start in states.items():
    values = v.clone().requires_grad_()
    outputs, _ = fused_recurrent_delta_rule(q, k, values, beta, initial_state=start, output_final_state=True)
    try:
        outputs.sum().backward()
        print(f"a state {name}: the gradient of v has the size {values.grad.norm():.4f}")
    except Exception as error:
        print(f"a state {name}: {type(error).__name__}: {error}")
