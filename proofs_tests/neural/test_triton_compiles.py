"""Tests that Triton compiles the kernels for an H100; no GPU is needed.

The test detects code that Triton's interpreter accepts and its compiler rejects.
"""

import importlib.util
import os

import pytest

from proofs_tests.processes import python

COMPILES = """
from unittest.mock import patch

import torch
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from neural.fa_rnn import triton_steps
from neural.scan import triton_kernels, triton_outputs
from neural.scan.matrices import on_gpu, triton_kernels as matrix_kernels
from neural.scan.triton_functions import COUNTS


def compiled(kernel, types, fixed, attributes=None, **options):
    names = kernel.arg_names
    types = {name: "constexpr" if name in fixed else types[name] for name in names}
    constants = {(names.index(name),): value for name, value in fixed.items()}
    source = ASTSource(kernel, types, constants, attributes)
    result = triton.compile(source, target=GPUTarget("cuda", 90, 32), options=options)
    assert result.asm["cubin"]
    return result


for kernel in (triton_steps.forward, triton_steps.backward):
    types = dict.fromkeys(kernel.arg_names, "*fp32") | {"rows": "*i64"}
    types |= dict.fromkeys(("steps", "sentences", "states", "columns"), "i32")
    compiled(kernel, types, dict.fromkeys(("SENTENCES", "STATES", "COLUMNS"), 16))

REAL, MAX_PLUS, LOG, GATED = range(4)
WHOLE, SUMMARY, CHUNKS, MARKED = range(4)
# With bfloat16, which is computed in float32, every branch of every kernel; with float64, the functions that
# have a branch for it.
EVERY = [(REAL, WHOLE), (REAL, SUMMARY), (REAL, CHUNKS), (MAX_PLUS, MARKED), (LOG, SUMMARY), (LOG, CHUNKS),
         (GATED, WHOLE)]
TYPES = [("bf16", "fp32", EVERY, range(3)),
         ("fp64", "fp64", [(MAX_PLUS, WHOLE), (LOG, WHOLE), (GATED, WHOLE)], [2])]
for dtype, wide, kinds_and_forms, output_forms in TYPES:
    fixed = {"WIDE": getattr(tl, "float" + wide[2:]), "BLOCK": 32, "STAGES": 4}
    for kernel in (triton_kernels.forward, triton_kernels.backward):
        types = dict.fromkeys(kernel.arg_names, "*" + dtype)
        types |= dict.fromkeys(("steps", "chunk", "lanes"), "i32")
        types |= dict.fromkeys(("ends", "factors", "flows", "sums"), "*" + wide) | {"marks": "*i8"}
        for kind, form in kinds_and_forms:
            one_lane = {"lanes": 1} if kind == GATED else {}  # which Triton takes for a constant
            compiled(kernel, types, fixed | {"KIND": kind, "FORM": form} | one_lane, num_warps=1)
    for kernel in (triton_kernels.pair_forward, triton_kernels.pair_backward):
        types = dict.fromkeys(kernel.arg_names, "*" + dtype) | dict.fromkeys(("steps", "lanes"), "i32")
        compiled(kernel, types, fixed, num_warps=1)
    del fixed["STAGES"]
    for kernel in (triton_outputs.output, triton_outputs.output_backward):
        types = dict.fromkeys(kernel.arg_names, "*" + dtype) | {"number": "i64"}
        for form in output_forms:
            compiled(kernel, types, fixed | {"FORM": form, "HAS_SKIP": form == 2}, num_warps=1)

NAMES = {torch.float32: "*fp32", torch.float64: "*fp64", torch.bfloat16: "*bf16", torch.int64: "*i64",
         torch.int8: "*i8"}
started = []


def start(kernel, grid, arguments, fixed, like, num_warps):
    # what would be started, as Triton specialises it: for whole vectors where n is a multiple of 16
    function = getattr(matrix_kernels, kernel)
    names = function.arg_names
    given = dict(zip(names, (like if a is None else a for a in arguments)))
    # Triton takes a 1 for a constant
    fixed = fixed | {k: 1 for k, v in given.items() if isinstance(v, int) and v == 1 and k not in COUNTS}
    types = {k: "i32" if isinstance(v, int) else NAMES[v.dtype] for k, v in given.items()}
    even = [name for name in names if name not in fixed and (types[name][0] == "*" or
                                                             name == "n" and given["n"] % 16 == 0)]
    attributes = {(names.index(name),): [["tt.divisibility", 16]] for name in even}
    result = compiled(function, types, fixed, attributes, num_warps=num_warps, **on_gpu.FUSED)
    assert result.metadata.shared < 227 * 1024
    started.append(kernel)


SHAPES = [("float64", 1, "real", True), ("float64", 256, "max_plus", False), ("float32", 1024, "log", True),
          ("bfloat16", 24, "max_times", True)]
with patch.object(on_gpu, "_start", start):
    for dtype, n, semiring, added in SHAPES:
        dtype = getattr(torch, dtype)
        wide = torch.float64 if dtype == torch.float64 else torch.float32
        matrices, initial, offsets = (torch.empty(*s, dtype=t) for s, t in
                                      (((min(2, n), n, n), dtype), ((3, n), wide), ((5, 3, n), wide)))
        symbols, offsets = torch.zeros(5, 3, dtype=torch.long), offsets if added else None
        states = on_gpu.forward(matrices, symbols, initial, offsets, semiring)
        on_gpu.backward(states, matrices, symbols, states, initial, offsets, semiring)
print(*started)
"""


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")
def test_the_kernels_compile_for_an_h100(tmp_path):
    surroundings = os.environ | {"TRITON_INTERPRET": "0", "TRITON_CACHE_DIR": str(tmp_path)}
    ran = python("-c", COMPILES, env=surroundings)
    assert (ran.returncode, ran.stdout) == (0, " ".join(["forward backward gather"] * 4) + "\n"), ran.stderr
