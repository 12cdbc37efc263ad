"""Table entries for the Triton kernels of flash-linear-attention.

The kernels run under Triton's interpreter in float32, and compiled on a GPU in float32 and bfloat16.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from outside.entry import Entry
from outside.fla_naive import LIBRARY
from outside.kernels import function, kernel_entry
from ratproof.laws.kernels.adapters import renamed

GPU_LENGTHS = (1, 15, 64, 65, 129, 257, 1025)
"""The sequence lengths on a GPU. There are few, because compiling a kernel for a new length takes seconds."""
CASES, LONGEST, SHORT = 40, 65, 33
"""The number of cases, and the maximum numbers of tokens: for some kernels, and for most of them.

The interpreter takes a millisecond per token. Few tokens are enough for a recurrent kernel, because it has no
chunk boundaries to test.
"""
MODULES = {
    "linear-attention": "linear_attn",
    "retention": "retention",
    "simple-gla": "simple_gla",
    "gla": "gla",
    "delta-rule": "delta_rule",
    "gated-delta-rule": "gated_delta_rule",
    "kda": "kda",
    "rwkv-6": "rwkv6",
    "rwkv-7": "rwkv7",
    "hgrn": "hgrn",
}
"""The module of ``fla.ops`` for each family; the names of its kernels end with that of the module."""
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


def _fused(family: str, suffix: str = "", without: tuple[str, ...] = (), longest: int = SHORT) -> Entry:
    """Return the table entry for a family's recurrent kernel under the interpreter."""
    about = {"interpreted": True, "cases": CASES, "remark": f"strings of {longest} tokens at most"}
    name, path = f"fla-fused-{family}{suffix}", _path("fused_recurrent", family)
    return kernel_entry(name, LIBRARY, path, family, _adapted, about=about, without=without, longest=longest)


def _path(way: str, family: str) -> str:
    module = MODULES[family]
    return f"fla.ops.{module}.{way}_{module}"


def _adapted(path: str) -> Callable[..., Any]:
    """Import a kernel of the library, and adapt it to the names and options of its family."""
    fixed = {"normalize": False} if "linear_attn" in path else {}
    names = {"g": "gk"} if path.endswith("fused_recurrent_gla") else {}
    return renamed(plain(function(path), **fixed), **names)


def on_gpu(
    name: str,
    path: str,
    family: str,
    without: tuple[str, ...] = (),
    chunk: int | None = None,
    inverse: str = "substitution",
    library: str = LIBRARY,
    load: Callable[[str], Callable[..., Any]] = _adapted,
) -> tuple[Entry, Entry]:
    """Return two table entries for a kernel that is compiled for a GPU: in float32 and in bfloat16.

    ``load`` is a function that imports and adapts the kernel.
    """
    sizes = {"D": (64,)} if family == "hgrn" else {"H": (2,), "K": (64,), "V": (64,)}
    declared: dict[str, Any] = {"device": "cuda", "without": without, "inverse": inverse, "chunk": chunk}
    declared |= {"sizes": sizes, "lengths": GPU_LENGTHS}

    def entry(suffix: str, remark: str, **formats: Any) -> Entry:
        about = {"cases": CASES, "remark": remark, "device": "cuda"}
        return kernel_entry(name + suffix, library, path, family, load, about=about, **declared, **formats)

    return (
        entry("", "products of float32 are not rounded to TF32"),
        entry("-bfloat16", "", dtypes=("bfloat16",), accumulation="float32"),
    )


def _not_run(family: str, why: str) -> Entry:
    name, path = f"fla-chunk-{family}", _path("chunk", family)
    return Entry(name, LIBRARY, path, None, interpreted=True, not_run=CHUNKED.format(why))


INTEGER = "it raises AttributeError: 'int' object has no attribute 'to'"
REASONS = {
    "delta-rule": "it refuses float32",
    "rwkv-7": "it raises ValueError: Did you forget to add @triton.jit",
    "hgrn": "it raises ValueError: mask has unsupported dtype",
}
INFINITE, GRADIENT = ("infinite-gates",), ("gradient",)
ENTRIES = (
    _fused("linear-attention", longest=LONGEST),
    _fused("retention"),
    _fused("simple-gla"),
    _fused("gla", longest=LONGEST),
    _fused("delta-rule"),
    # a second entry, because the exceptions would hide the other results
    _fused("delta-rule", "-contiguous", ("non-contiguous",)),
    _fused("gated-delta-rule", without=GRADIENT),
    _fused("kda", without=GRADIENT),
    _fused("rwkv-6"),
    # a second entry, because the lost gradient would hide all other results
    _fused("rwkv-6", "-outputs", ("final-state-gradient",)),
    _fused("rwkv-7", without=GRADIENT),
    _fused("hgrn", longest=LONGEST),
    *(_not_run(family, REASONS.get(family, INTEGER)) for family in MODULES),
)
"""The table entries under the interpreter, in the order of the families, recurrent kernels first."""
WITHOUT_GRADIENT = ("gated-delta-rule", "kda", "rwkv-7")
CHUNKED_ON_GPU: dict[str, dict[str, Any]] = {
    "linear-attention": {},
    "retention": {},
    "simple-gla": {"without": INFINITE},
    "gla": {"without": INFINITE},
    "delta-rule": {"inverse": "explicit"},
    "gated-delta-rule": {"without": INFINITE, "inverse": "explicit"},
    "kda": {"without": INFINITE, "inverse": "explicit"},
    "rwkv-6": {"without": INFINITE},
    "rwkv-7": {"without": INFINITE, "inverse": "explicit"},
    "hgrn": {"without": ("cu_seqlens",), "chunk": 128},
}
"""The arguments of each family's chunked kernel."""
ON_GPU = (
    *(
        entry
        for family in MODULES
        for entry in on_gpu(
            f"fla-fused-{family}",
            _path("fused_recurrent", family),
            family,
            GRADIENT if family in WITHOUT_GRADIENT else (),
        )
    ),
    *(
        entry
        for family, declared in CHUNKED_ON_GPU.items()
        for entry in on_gpu(
            f"fla-chunk-{family}", _path("chunk", family), family, **{"chunk": 64, **declared}
        )
    ),
)
"""The table entries on a GPU.

Chunked kernels subtract cumulative gates, so the gates are finite here.
"""
