"""flash-linear-attention 0.6.0: naive_recurrent_gsa without g is wrong if a sequence is split into two calls.

Two calls of `fla.ops.gsa.naive.naive_recurrent_gsa`, with the state of the first passed to the second, do not
give the result of one call. Without g, the slots are normalised by a running logsumexp of s, which starts
anew in each call. The state is normalised by the sum of the first call, but the second call does not know
this sum.
"""

import torch
from fla.ops.gsa.naive import naive_recurrent_gsa

torch.manual_seed(0)
q, k, v, s = (torch.randn(1, 8, 1, 4) for _ in range(4))
full, _ = naive_recurrent_gsa(q, k, v, s, output_final_state=True)
first = [x[:, :4] for x in (q, k, v, s)]
second = [x[:, 4:] for x in (q, k, v, s)]
_, state = naive_recurrent_gsa(*first, output_final_state=True)
rest, _ = naive_recurrent_gsa(*second, initial_state=state)
print("the last 4 of 8 tokens:", (rest - full[:, 4:]).abs().max().item(), "of", full.abs().max().item())
