"""flash-linear-attention 0.6.0: naive_chunk_hgrn raises an error for every length except one chunk.

In `fla.ops.hgrn.naive.naive_chunk_hgrn`, `g.view(B, chunk_size, D).cumsum(-2)` should be `g.view(B, -1,
chunk_size, D).cumsum(-2)`, which accumulates within chunks. Because of this, the loop over chunks never runs
more than once.
"""

import torch
from fla.ops.hgrn.naive import naive_chunk_hgrn, naive_recurrent_hgrn

for length in (64, 128):
    x, g = torch.randn(1, length, 2), -torch.rand(1, length, 2)
    try:
        print(length, (naive_chunk_hgrn(x, g)[0] - naive_recurrent_hgrn(x, g)[0]).abs().max().item())
    except RuntimeError as error:
        print(length, "RuntimeError:", error)
