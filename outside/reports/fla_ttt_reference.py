"""flash-linear-attention 0.6.0: fla.ops.ttt.naive.chunk_ttt_linear_ref has three defects.

1. `ttt_linear` scales q in place (`q *= scale`). transpose, reshape and .to with the same dtype return views,
so this changes the caller's tensor, and a second call gets a different q.

2. For the same reason, the function raises an error for a q that requires a gradient if the length is a
multiple of 16.

3. The function fills the last mini-batch with padding tokens, which change the final bias. The keys and
values of these tokens are 0, but the gradient of the inner model's bias is not.
"""

import torch
from fla.ops.ttt.naive import chunk_ttt_linear_ref

torch.manual_seed(0)
q, k, v = (torch.randn(1, 16, 1, 4) for _ in range(3))
w, b, eta = torch.randn(1, 4), torch.randn(1, 4), torch.full((1, 16, 1, 1), 0.1)
kept = q.clone()
one = chunk_ttt_linear_ref(q, k, v, w, b, eta)[0]
two = chunk_ttt_linear_ref(q, k, v, w, b, eta)[0]
print("1. q after the call, over q before:", (q / kept).mean().item(), "; outputs differ by",
      (one - two).abs().max().item())  # fmt: skip
try:
    chunk_ttt_linear_ref(kept.clone().requires_grad_(), k, v, w, b, eta)
except RuntimeError as error:
    print("2. RuntimeError:", error)

parts = [x[:, :1] for x in (kept, k, v)]
_, _, bias = chunk_ttt_linear_ref(*parts, w, b, eta[:, :1], output_final_state=True)
_, _, right = chunk_ttt_linear_ref(*parts, w, b, eta[:, :1], mini_batch_size=1, output_final_state=True)
print("3. final bias after one token, in a mini-batch of 16:", bias.flatten().tolist())
print("   in a mini-batch of 1, without padding:            ", right.flatten().tolist())
