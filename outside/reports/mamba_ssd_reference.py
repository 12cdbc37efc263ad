"""mamba-ssm 2.3.2.post1: two defects of the reference `ssd_chunk_scan_combined_ref`.

1. Its gradients are NaN if the decay over a chunk is strong. `chunk_scan_ref` also computes exp(difference)
   for pairs of tokens in the wrong order, which overflows, and masks these values afterwards. The gradient
   of a masked value is then 0 * inf = NaN. The outputs are correct. `segsum` in `ssd_minimal.py` of the same
   package masks before exp, and its gradients are correct.
2. It raises an AssertionError if the length is not a multiple of the chunk size. It pads `dt` and
   `chunk_state_ref` pads the other tensors, but `chunk_scan_ref` asserts that the length is a multiple.

These functions do not need the package's compiled extension, so an empty module replaces it.
The loop is independent of the package: S = exp(dt A) S + dt B x, y = C S, in float64.
"""

import sys
import types

import torch

sys.modules["selective_scan_cuda"] = types.ModuleType("selective_scan_cuda")
from mamba_ssm.modules.ssd_minimal import ssd_minimal_discrete  # noqa: E402
from mamba_ssm.ops.triton.ssd_combined import ssd_chunk_scan_combined_ref  # noqa: E402

CHUNK = 64


def loop(x, dt, a, b, c, _):
    x, dt, a, b, c = (t.double() for t in (x, dt, a, b, c))
    state, outputs = 0, []
    for t in range(x.shape[1]):
        update = (dt[:, t, :, None] * x[:, t])[..., None] * b[:, t, :, None]
        state = (dt[:, t] * a).exp()[..., None, None] * state + update
        outputs.append((state * c[:, t, :, None]).sum(-1))
    return torch.stack(outputs, 1)


def minimal(x, dt, a, b, c, chunk):
    return ssd_minimal_discrete(x * dt[..., None], dt * a, b, c, chunk)[0]


torch.manual_seed(0)
x, b, c = torch.randn(1, CHUNK, 1, 2), torch.randn(1, CHUNK, 1, 4), torch.randn(1, CHUNK, 1, 4)
for step in (1.0, 2.0):
    right = None
    for kernel in (loop, minimal, ssd_chunk_scan_combined_ref):
        values = (x, torch.full((1, CHUNK, 1), step), torch.tensor([-1.0]), b, c)
        inputs = [t.clone().requires_grad_() for t in values]
        outputs = kernel(*inputs, CHUNK)
        outputs.sum().backward()
        right = outputs if right is None else right
        error = (outputs - right).abs().max().item()
        wrong = {
            n: int(t.grad.isnan().sum()) for n, t in zip(("x", "dt", "A", "B", "C"), inputs, strict=True)
        }
        print(f"dt A = {-step}, {kernel.__name__}: error of outputs {error:.1e}, NaN in gradients {wrong}")

values = (x[:, :40], torch.ones(1, 40, 1), torch.tensor([-1.0]), b[:, :40], c[:, :40])
try:
    print((ssd_chunk_scan_combined_ref(*values, CHUNK) - loop(*values, CHUNK)).abs().max().item())
except AssertionError:
    print(f"40 tokens in chunks of {CHUNK}: AssertionError")
