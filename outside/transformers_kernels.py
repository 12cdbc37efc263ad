"""Table entries for the kernels in plain torch that transformers uses if no faster library is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from outside.entry import Entry
from outside.kernels import function, kernel_entry
from ratproof.laws.kernels.adapters import renamed
from ratproof.laws.kernels.published import ssd

LIBRARY = "transformers"
HIDES = ("fla", "mamba_ssm", "causal_conv1d")
ABOUT = {"hides": HIDES}
M = "transformers.models."


def always_scaled(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Adapt a kernel that always scales by K^(-1/2).

    The kernel requires the arguments ``initial_state`` and ``output_final_state``, which are optional
    elsewhere.
    """

    def adapted(*, initial_state: Any, output_final_state: bool, **tensors: Any) -> Any:
        return kernel(**tensors, initial_state=initial_state, output_final_state=output_final_state)

    return adapted


def _delta(name: str, path: str, family: str, unsupported: tuple[str, ...] = (), **declared: Any) -> Entry:
    load = lambda path: renamed(always_scaled(function(path)), q="query", k="key", v="value")
    without = ("cu_seqlens", "scale", *unsupported)
    return kernel_entry(name, LIBRARY, path, family, load, about=ABOUT, without=without, **declared)


FINITE_FIRST = (("", ("infinite-gates",)), ("-infinite-gates", ()))
"""Suffixes of the names of entries for chunked kernels, with the capabilities that these entries exclude."""

ENTRIES = (
    *(  # two entries each, because NaN for a gate of -infinity would hide all other results
        _delta(
            f"transformers-{model.replace('_', '-')}-chunk-gated-delta-rule{suffix}",
            f"{M}{model}.modeling_{model}.torch_chunk_gated_delta_rule",
            "gated-delta-rule",
            unsupported,
            chunk=64,
            inverse="explicit",
        )
        for model in ("qwen3_next", "olmo_hybrid")
        for suffix, unsupported in FINITE_FIRST
    ),
    *(
        _delta(
            f"transformers-{model.replace('_', '-')}-recurrent-gated-delta-rule",
            f"{M}{model}.modeling_{model}.torch_recurrent_gated_delta_rule",
            "gated-delta-rule",
        )
        for model in ("qwen3_next", "olmo_hybrid")
    ),
    *(
        _delta(
            f"transformers-kimi-linear-chunk{suffix}",
            M + "kimi_linear.modeling_kimi_linear.chunk_kimi_delta_attention",
            "kda",
            unsupported,
            chunk=64,
            inverse="explicit",
        )
        for suffix, unsupported in FINITE_FIRST
    ),
    _delta(
        "transformers-kimi-linear-recurrent",
        M + "kimi_linear.modeling_kimi_linear.recurrent_kimi_delta_attention",
        "kda",
    ),
    kernel_entry(
        "transformers-mamba2-chunk-scan",
        LIBRARY,
        M + "mamba2.modeling_mamba2.mamba2_chunk_scan",
        "mamba-2",
        lambda path: ssd(function(path), 64),
        chunk=64,
        about=ABOUT,
        without=("cu_seqlens",),
    ),
)
"""The table entries of this module, without copies of the same function in other models."""
