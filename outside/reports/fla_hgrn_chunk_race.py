"""flash-linear-attention 0.6.0: chunk_hgrn on a GPU has wrong outputs and ignores the final state's gradient.

The kernel is `fla.ops.hgrn.chunk_hgrn`. The probable cause of the wrong outputs is a race.
`chunk_hgrn_fwd_kernel_o` reads the last state of the previous chunk from memory. Other threads of the program
write this state, and there is no barrier between the write and the read.
`ChunkHGRNFunction.backward(ctx, do, dht)` does not use `dht`, so the final state has no gradient. The script
compares the kernel with the recurrent kernel of the same package.
"""

import torch
from fla.ops.hgrn import chunk_hgrn, fused_recurrent_hgrn
from torch.nn.functional import logsigmoid

torch.manual_seed(0)
for shape in ((1, 129, 64), (1, 257, 64), (1, 385, 1), (1, 385, 64), (4, 2049, 64), (2, 2049, 2)):
    x, g = torch.randn(shape, device="cuda"), logsigmoid(torch.randn(shape, device="cuda") + 3)
    right = fused_recurrent_hgrn(x, g)[0]
    runs = [chunk_hgrn(x, g)[0] for _ in range(50)]
    differences = [float((run - right).abs().max()) for run in runs]
    wrong = sum(difference > 1e-3 for difference in differences)
    print(f"B, T, D = {shape}: {wrong} of 50 runs wrong, by {max(differences):.3g} at most")
for kernel in (fused_recurrent_hgrn, chunk_hgrn):
    x, g = (torch.randn(1, 5, 4, device="cuda", requires_grad=True) for _ in range(2))
    final = kernel(x, logsigmoid(g), output_final_state=True)[1]
    if final.requires_grad:
        gradients = torch.autograd.grad(final.sum(), (x, g), allow_unused=True)
        sizes = [None if d is None else round(float(d.abs().sum()), 3) for d in gradients]
        print(f"{kernel.__name__}: sums of the sizes of the final state's gradients {sizes}")
    else:
        print(f"{kernel.__name__}: the final state requires no gradient")
