"""Table entries for the kernels in plain torch that transformers uses if no faster library is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from outside.entry import Entry
from outside.fla_naive import function
from ratproof import believe_kernel
from ratproof.evidence.subjects import Subject
from ratproof.laws.kernels.adapters import renamed
from ratproof.laws.kernels.family import LinearRecurrence
from ratproof.laws.kernels.published import ssd

LIBRARY = "transformers"
HIDES = ("fla", "mamba_ssm", "causal_conv1d")
M = "transformers.models."


def always_scaled(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Adapt a kernel that always scales by K^(-1/2).

    The kernel requires the arguments ``initial_state`` and ``output_final_state``, which are optional
    elsewhere.
    """

    def adapted(*, initial_state: Any, output_final_state: bool, **tensors: Any) -> Any:
        return kernel(**tensors, initial_state=initial_state, output_final_state=output_final_state)

    return adapted


def _delta(
    name: str, path: str, family: str | LinearRecurrence, unsupported: tuple[str, ...] = (), **declared: Any
) -> Entry:
    def claim(seconds: float) -> Subject:
        kernel = renamed(always_scaled(function(path)), q="query", k="key", v="value")
        return believe_kernel(
            name,
            seconds=seconds,
            family=family,
            kernel=kernel,
            without=("cu_seqlens", "scale", *unsupported),
            dtypes=("float32",),
            **declared,
        )

    return Entry(name, LIBRARY, path, claim, hides=HIDES)


def _mamba_2(model: str, chunk: int) -> Entry:
    name, path = (
        f"transformers-{model.replace('_', '-')}-chunk-scan",
        f"{M}{model}.modeling_{model}.mamba2_chunk_scan",
    )

    def claim(seconds: float) -> Subject:
        return believe_kernel(
            name,
            seconds=seconds,
            family="mamba-2",
            kernel=ssd(function(path), chunk),
            without=("cu_seqlens",),
            dtypes=("float32",),
            form="chunked",
            chunk=chunk,
        )

    return Entry(name, LIBRARY, path, claim, hides=HIDES)


FINITE_FIRST = (("", ("infinite-gates",)), ("-infinite-gates", ()))
"""Suffixes of the names of entries for chunked kernels, with the capabilities that these entries exclude."""

ENTRIES = (
    *(  # two entries each, because NaN for a gate of -infinity would hide all other results
        _delta(
            f"transformers-{model.replace('_', '-')}-chunk-gated-delta-rule{suffix}",
            f"{M}{model}.modeling_{model}.torch_chunk_gated_delta_rule",
            "gated-delta-rule",
            unsupported,
            form="chunked",
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
            form="chunked",
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
    _mamba_2("mamba2", 64),
)
"""The table entries of this module, without copies of the same function in other models."""
