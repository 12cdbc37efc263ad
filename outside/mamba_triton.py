"""Table entries for the Triton kernel of Mamba-2, compiled on a GPU.

The kernel is not tested in Triton's interpreter, where a call takes ten seconds. Its backward pass requires
CUDA.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

from outside.fla_triton import on_gpu
from outside.kernels import function
from ratproof.laws.kernels.published import ssd

LIBRARY = "mamba-ssm"


def mamba(path: str) -> Callable[..., Any]:
    """Import a function of mamba_ssm without its compiled extension.

    The functions in Triton and plain torch do not need the extension, so an empty module replaces it.
    """
    sys.modules.setdefault("selective_scan_cuda", types.ModuleType("selective_scan_cuda"))
    return function(path)


ON_GPU = on_gpu(
    "mamba-chunk-scan",
    "mamba_ssm.ops.triton.ssd_combined.mamba_chunk_scan_combined",
    "mamba-2",
    chunk=64,
    library=LIBRARY,
    load=lambda path: ssd(mamba(path), 64),
)
