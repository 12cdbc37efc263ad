"""Table entries for the Triton kernels of flash-linear-attention.

The kernels run under Triton's interpreter in float32, and compiled on a GPU in float32 and bfloat16.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from outside.entry import Entry
from outside.fla_naive import LIBRARY, function
from ratproof import believe_kernel
from ratproof.evidence.subjects import Subject
from ratproof.laws.kernels.adapters import renamed
from ratproof.laws.kernels.family import LinearRecurrence

GPU_LENGTHS = (1, 15, 64, 65, 129, 257, 1025)
"""The sequence lengths on a GPU. There are few, because compiling a kernel for a new length takes seconds."""
CASES, LONGEST, SHORT = 40, 65, 33
"""The number of cases, and the maximum numbers of tokens: for some kernels, and for most of them.

The interpreter takes a millisecond per token. Few tokens are enough for a recurrent kernel, because it has no
chunk boundaries to test.
"""
CHUNKED = "under Triton's interpreter {}; it needs a GPU"


def plain(kernel: Callable[..., Any], **fixed: Any) -> Callable[..., Any]:
    """Adapt a kernel that has fixed options and may lack the options ``scale`` and ``cu_seqlens``."""
    knows = inspect.signature(kernel).parameters

    def adapted(*, scale: float | None = None, **arguments: Any) -> Any:
        passed = dict(arguments)
        if passed.get("cu_seqlens") is None:
            passed.pop("cu_seqlens", None)
        if "scale" in knows:
            passed["scale"] = scale
        return kernel(**passed, **fixed)

    return adapted


def _entry(
    name: str,
    path: str,
    family: str | LinearRecurrence,
    names: dict[str, str] | None = None,
    fixed: dict[str, Any] | None = None,
    without: tuple[str, ...] = (),
    longest: int = SHORT,
    **declared: Any,
) -> Entry:
    def claim(seconds: float) -> Subject:
        kernel = renamed(plain(function(path), **fixed or {}), **names or {})
        return believe_kernel(
            name,
            seconds=seconds,
            family=family,
            kernel=kernel,
            without=without,
            longest=longest,
            dtypes=("float32",),
            **declared,
        )

    remark = f"strings of {longest} tokens at most"
    return Entry(name, LIBRARY, path, claim, interpreted=True, cases=CASES, remark=remark)


def on_gpu(
    name: str,
    path: str,
    family: str | LinearRecurrence,
    names: dict[str, str] | None = None,
    fixed: dict[str, Any] | None = None,
    without: tuple[str, ...] = (),
    chunk: int | None = None,
    inverse: str = "substitution",
    library: str = LIBRARY,
    load: Callable[[str], Callable[..., Any]] | None = None,
) -> tuple[Entry, Entry]:
    """Return two table entries for a kernel that is compiled for a GPU: in float32 and in bfloat16.

    ``load`` is a function that imports and adapts the kernel. It replaces ``names`` and ``fixed``.
    """

    def adapted(path: str) -> Callable[..., Any]:
        return renamed(plain(function(path), **fixed or {}), **names or {})

    kernel_at = load or adapted
    lanes = family == "hgrn"
    sizes = {"D": (64,)} if lanes else {"H": (2,), "K": (64,), "V": (64,)}
    declared: dict[str, Any] = {"device": "cuda", "without": without, "inverse": inverse}
    declared |= {"sizes": sizes, "lengths": GPU_LENGTHS}
    if chunk is not None:
        declared |= {"form": "chunked", "chunk": chunk}

    def entry(suffix: str, remark: str, **formats: Any) -> Entry:
        def claim(seconds: float) -> Subject:
            kernel = kernel_at(path)
            return believe_kernel(
                name + suffix, family=family, kernel=kernel, seconds=seconds, **declared, **formats
            )

        return Entry(name + suffix, library, path, claim, cases=CASES, remark=remark, device="cuda")

    return (
        entry("", "products of float32 are not rounded to TF32", dtypes=("float32",)),
        entry("-bfloat16", "", dtypes=("bfloat16",), accumulation="float32"),
    )


def _not_run(name: str, path: str, why: str) -> Entry:
    return Entry(name, LIBRARY, path, None, interpreted=True, not_run=CHUNKED.format(why))


OPS = "fla.ops."
INTEGER = "it raises AttributeError: 'int' object has no attribute 'to'"
ENTRIES = (
    _entry(
        "fla-fused-linear-attention",
        OPS + "linear_attn.fused_recurrent_linear_attn",
        "linear-attention",
        fixed={"normalize": False},
        longest=LONGEST,
    ),
    _entry("fla-fused-retention", OPS + "retention.fused_recurrent_retention", "retention"),
    _entry("fla-fused-simple-gla", OPS + "simple_gla.fused_recurrent_simple_gla", "simple-gla"),
    _entry("fla-fused-gla", OPS + "gla.fused_recurrent_gla", "gla", {"g": "gk"}, longest=LONGEST),
    _entry("fla-fused-delta-rule", OPS + "delta_rule.fused_recurrent_delta_rule", "delta-rule"),
    _entry(  # a second entry, because the exceptions would hide the other results
        "fla-fused-delta-rule-contiguous",
        OPS + "delta_rule.fused_recurrent_delta_rule",
        "delta-rule",
        without=("non-contiguous",),
    ),
    _entry(
        "fla-fused-gated-delta-rule",
        OPS + "gated_delta_rule.fused_recurrent_gated_delta_rule",
        "gated-delta-rule",
        without=("gradient",),
    ),
    _entry("fla-fused-kda", OPS + "kda.fused_recurrent_kda", "kda", without=("gradient",)),
    _entry("fla-fused-rwkv-6", OPS + "rwkv6.fused_recurrent_rwkv6", "rwkv-6"),
    _entry(  # a second entry, because the lost gradient would hide all other results
        "fla-fused-rwkv-6-outputs",
        OPS + "rwkv6.fused_recurrent_rwkv6",
        "rwkv-6",
        without=("final-state-gradient",),
    ),
    _entry("fla-fused-rwkv-7", OPS + "rwkv7.fused_recurrent_rwkv7", "rwkv-7", without=("gradient",)),
    _entry("fla-fused-hgrn", OPS + "hgrn.fused_recurrent_hgrn", "hgrn", longest=LONGEST),
    _not_run("fla-chunk-linear-attention", OPS + "linear_attn.chunk_linear_attn", INTEGER),
    _not_run("fla-chunk-retention", OPS + "retention.chunk_retention", INTEGER),
    _not_run("fla-chunk-simple-gla", OPS + "simple_gla.chunk_simple_gla", INTEGER),
    _not_run("fla-chunk-gla", OPS + "gla.chunk_gla", INTEGER),
    _not_run("fla-chunk-delta-rule", OPS + "delta_rule.chunk_delta_rule", "it refuses float32"),
    _not_run("fla-chunk-gated-delta-rule", OPS + "gated_delta_rule.chunk_gated_delta_rule", INTEGER),
    _not_run("fla-chunk-kda", OPS + "kda.chunk_kda", INTEGER),
    _not_run("fla-chunk-rwkv-6", OPS + "rwkv6.chunk_rwkv6", INTEGER),
    _not_run(
        "fla-chunk-rwkv-7",
        OPS + "rwkv7.chunk_rwkv7",
        "it raises ValueError: Did you forget to add @triton.jit",
    ),
    _not_run("fla-chunk-hgrn", OPS + "hgrn.chunk_hgrn", "it raises ValueError: mask has unsupported dtype"),
)
"""The table entries under the interpreter, in the order of the families, recurrent kernels first."""
ON_GPU = tuple(
    entry
    for pair in (
        on_gpu(
            "fla-fused-linear-attention",
            OPS + "linear_attn.fused_recurrent_linear_attn",
            "linear-attention",
            fixed={"normalize": False},
        ),
        on_gpu("fla-fused-retention", OPS + "retention.fused_recurrent_retention", "retention"),
        on_gpu("fla-fused-simple-gla", OPS + "simple_gla.fused_recurrent_simple_gla", "simple-gla"),
        on_gpu("fla-fused-gla", OPS + "gla.fused_recurrent_gla", "gla", {"g": "gk"}),
        on_gpu("fla-fused-delta-rule", OPS + "delta_rule.fused_recurrent_delta_rule", "delta-rule"),
        on_gpu(
            "fla-fused-gated-delta-rule",
            OPS + "gated_delta_rule.fused_recurrent_gated_delta_rule",
            "gated-delta-rule",
            without=("gradient",),
        ),
        on_gpu("fla-fused-kda", OPS + "kda.fused_recurrent_kda", "kda", without=("gradient",)),
        on_gpu("fla-fused-rwkv-6", OPS + "rwkv6.fused_recurrent_rwkv6", "rwkv-6"),
        on_gpu("fla-fused-rwkv-7", OPS + "rwkv7.fused_recurrent_rwkv7", "rwkv-7", without=("gradient",)),
        on_gpu("fla-fused-hgrn", OPS + "hgrn.fused_recurrent_hgrn", "hgrn"),
        on_gpu(
            "fla-chunk-linear-attention",
            OPS + "linear_attn.chunk_linear_attn",
            "linear-attention",
            fixed={"normalize": False},
            chunk=64,
        ),
        on_gpu("fla-chunk-retention", OPS + "retention.chunk_retention", "retention", chunk=64),
        on_gpu(
            "fla-chunk-simple-gla",
            OPS + "simple_gla.chunk_simple_gla",
            "simple-gla",
            without=("infinite-gates",),
            chunk=64,
        ),
        on_gpu("fla-chunk-gla", OPS + "gla.chunk_gla", "gla", without=("infinite-gates",), chunk=64),
        on_gpu(
            "fla-chunk-delta-rule",
            OPS + "delta_rule.chunk_delta_rule",
            "delta-rule",
            chunk=64,
            inverse="explicit",
        ),
        on_gpu(
            "fla-chunk-gated-delta-rule",
            OPS + "gated_delta_rule.chunk_gated_delta_rule",
            "gated-delta-rule",
            without=("infinite-gates",),
            chunk=64,
            inverse="explicit",
        ),
        on_gpu(
            "fla-chunk-kda",
            OPS + "kda.chunk_kda",
            "kda",
            without=("infinite-gates",),
            chunk=64,
            inverse="explicit",
        ),
        on_gpu(
            "fla-chunk-rwkv-6", OPS + "rwkv6.chunk_rwkv6", "rwkv-6", without=("infinite-gates",), chunk=64
        ),
        on_gpu(
            "fla-chunk-rwkv-7",
            OPS + "rwkv7.chunk_rwkv7",
            "rwkv-7",
            without=("infinite-gates",),
            chunk=64,
            inverse="explicit",
        ),
        on_gpu("fla-chunk-hgrn", OPS + "hgrn.chunk_hgrn", "hgrn", without=("cu_seqlens",), chunk=128),
    )
    for entry in pair
)
"""The table entries on a GPU.

Chunked kernels subtract cumulative gates, so the gates are finite here.
"""
