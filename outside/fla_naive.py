"""Table entries for the reference kernels of flash-linear-attention, in plain torch: ``fla.ops.*.naive``.

These kernels compute in float32 for all inputs, so they are tested in float32.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from outside.entry import Entry
from outside.kernels import function, kernel_entry
from ratproof.laws.kernels.adapters import axes, renamed

LIBRARY = "fla-core"
HEADS_FIRST = ("BTH", "BHT")


def outputs_alone(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Adapt a kernel that returns no final state.

    If the kernel returns a tuple, its first value is the outputs, and the other values are not used.
    """

    def adapted(**arguments: Any) -> Any:
        arguments = {n: x for n, x in arguments.items() if n not in _OPTIONS or x is not None}
        arguments.pop("output_final_state", None)
        results = kernel(**arguments)
        return results[0] if isinstance(results, tuple) else results, None

    return adapted


_OPTIONS = ("scale", "initial_state", "cu_seqlens")
STATELESS = ("cu_seqlens", "initial-state", "final-state", "final-state-gradient")


def _entry(
    name: str,
    path: str,
    family: str,
    adapt: Callable[[Any], Any] = lambda kernel: kernel,
    without: tuple[str, ...] = ("cu_seqlens",),
    remark: str = "",
    **declared: Any,
) -> Entry:
    """Return the table entry ``fla-naive-NAME`` for a function of ``fla.ops``."""
    load = lambda path: adapt(function(path))
    about = {"remark": remark}
    path = f"fla.ops.{path}"
    return kernel_entry(
        f"fla-naive-{name}", LIBRARY, path, family, load, about=about, without=without, **declared
    )


def _gated(
    name: str,
    path: str,
    family: str,
    adapt: Callable[[Any], Any] = lambda kernel: kernel,
    without: tuple[str, ...] = ("cu_seqlens",),
    **declared: Any,
) -> tuple[Entry, ...]:
    """Return two table entries for a chunked kernel: without and with gates of -infinity.

    The entries are separate, because NaN for a gate of -infinity would hide all other results.
    """
    finite = (*without, "infinite-gates")
    return (
        _entry(name, path, family, adapt, finite, **declared),
        _entry(f"{name}-infinite-gates", path, family, adapt, without, **declared),
    )


def _heads_first(kernel: Callable[..., Any]) -> Callable[..., Any]:
    return axes(kernel, *HEADS_FIRST)


def _rwkv_6(kernel: Callable[..., Any]) -> Callable[..., Any]:
    return renamed(_heads_first(kernel), r="q")


def _outputs_heads_first(kernel: Callable[..., Any]) -> Callable[..., Any]:
    return _heads_first(outputs_alone(kernel))


def _low_rank(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Adapt a DPLR kernel to the family RWKV-7, whose a, b and w it calls alpha, beta and gk."""
    return _default_scale(renamed(_heads_first(kernel), r="q", w="gk", a="alpha", b="beta"))


def _product(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Adapt the DeltaProduct kernel, which requires a scale: the default is K^(-1/2)."""

    def adapted(*, scale: float | None, q: Any, **arguments: Any) -> Any:
        return kernel(q=q, scale=q.shape[-1] ** -0.5 if scale is None else scale, **arguments)

    return adapted


def _default_scale(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Adapt a kernel that always scales by K^(-1/2) to a family whose scale is 1."""

    def adapted(*, r: Any, scale: float, **arguments: Any) -> Any:
        arguments = {n: x for n, x in arguments.items() if n not in _OPTIONS or x is not None}
        return kernel(r=r * r.shape[-1] ** 0.5 if r.shape[-1] else r, **arguments)

    return adapted


ONE_CHUNK = "one chunk; the bound is that of a chunk of 2,049"
SCALED = "queries are multiplied by the square root of K first, because the kernel divides them by it"
UNSCALED = ("cu_seqlens", "scale")
ENTRIES = (
    _entry("linear-attention", "linear_attn.naive.naive_recurrent_linear_attn", "linear-attention"),
    _entry(
        "linear-attention-chunk",
        "linear_attn.naive.naive_chunk_linear_attn",
        "linear-attention",
        outputs_alone,
        without=(*STATELESS, "empty"),
        multiple=64,
        chunk=64,
    ),
    _entry("simple-gla", "simple_gla.naive.naive_recurrent_simple_gla", "simple-gla"),
    *_gated("simple-gla-chunk", "simple_gla.naive.naive_chunk_simple_gla", "simple-gla", chunk=64),
    *_gated(
        "simple-gla-parallel",
        "simple_gla.naive.naive_parallel_simple_gla",
        "simple-gla",
        outputs_alone,
        without=STATELESS,
        remark=ONE_CHUNK,
        chunk=2049,
    ),
    _entry(
        "gla",
        "gla.naive.naive_recurrent_gla",
        "gla",
        lambda kernel: renamed(kernel, g="gk"),
        without=UNSCALED,
    ),
    _entry(
        "retention",
        "retention.naive.naive_retention",
        "retention",
        _outputs_heads_first,
        without=(*STATELESS, "scale"),
        remark=ONE_CHUNK,
        chunk=2049,
    ),
    _entry(
        "delta-rule", "delta_rule.naive.delta_rule_recurrence", "delta-rule", _heads_first, without=UNSCALED
    ),
    _entry(
        "delta-rule-chunk",
        "delta_rule.naive.delta_rule_chunkwise",
        "delta-rule",
        _heads_first,
        without=(*UNSCALED, "initial-state"),
        multiple=32,
        chunk=32,
        inverse="explicit",
    ),
    _entry(
        "delta-rule-parallel",
        "delta_rule.naive.delta_rule_parallel",
        "delta-rule",
        _outputs_heads_first,
        without=(*STATELESS, "scale"),
        multiple=128,
        chunk=32,
        inverse="explicit",
    ),
    _entry("gated-delta-rule", "gated_delta_rule.naive.naive_recurrent_gated_delta_rule", "gated-delta-rule"),
    *_gated(
        "gated-delta-rule-chunk",
        "gated_delta_rule.naive.naive_chunk_gated_delta_rule",
        "gated-delta-rule",
        chunk=64,
        inverse="explicit",
    ),
    _entry(
        "gated-delta-product",
        "gated_delta_product.naive.naive_recurrent_gated_delta_product",
        "gated-delta-rule",
        _product,
        without=(),
        remark="with one Householder matrix per token",
    ),
    _entry("kda", "kda.naive.naive_recurrent_kda", "kda"),
    *_gated("kda-chunk", "kda.naive.naive_chunk_kda", "kda", multiple=64, chunk=64, inverse="explicit"),
    _entry("rwkv-6", "rwkv6.recurrent_naive.naive_recurrent_rwkv6", "rwkv-6", _rwkv_6),
    _entry(
        "dplr",
        "generalized_delta_rule.dplr.naive.dplr_recurrence",
        "rwkv-7",
        _low_rank,
        without=UNSCALED,
        remark=SCALED,
    ),
    *_gated(
        "dplr-chunk",
        "generalized_delta_rule.dplr.naive.dplr_chunkwise",
        "rwkv-7",
        _low_rank,
        without=(*UNSCALED, "exact"),
        multiple=32,
        chunk=32,
        inverse="explicit",
        remark=SCALED,
    ),
    _entry("hgrn", "hgrn.naive.naive_recurrent_hgrn", "hgrn"),
    _entry(
        "hgrn-chunk",
        "hgrn.naive.naive_chunk_hgrn",
        "hgrn",
        without=("cu_seqlens", "empty"),
        multiple=64,
        chunk=64,
    ),
)
"""The table entries of this module, in the order of the families."""
