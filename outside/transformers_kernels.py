"""The kernels of transformers in plain torch, which run where no other library has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from outside.entry import Entry
from outside.fla_naive import KDA, function
from ratproof import believe_kernel
from ratproof.kernels.adapters import renamed
from ratproof.kernels.family import LinearRecurrence
from theory.claim import Claim

LIBRARY = "transformers"
HIDES = ("fla", "mamba_ssm", "causal_conv1d")
UNDECAYED = LinearRecurrence(
    "ssd", {"q": "BTHK", "k": "BTHK", "v": "BTHV"}, scaled="", says="S += k v^T, o = S^T q"
)
"""Mamba-2 with steps of one and no decay: v is its input, k its B, q its C."""
M = "transformers.models."


def always_scaled(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that always scales by K^(-1/2), and demands options that others do without."""

    def adapted(*, initial_state: Any, output_final_state: bool, **tensors: Any) -> Any:
        return kernel(**tensors, initial_state=initial_state, output_final_state=output_final_state)

    return adapted


def _delta(
    name: str, path: str, family: str | LinearRecurrence, lacks: tuple[str, ...] = (), **declared: Any
) -> Entry:
    def claim() -> Claim:
        kernel = renamed(always_scaled(function(path)), q="query", k="key", v="value")
        return believe_kernel(
            name,
            family=family,
            kernel=kernel,
            without=("cu_seqlens", "scale", *lacks),
            dtypes=("float32",),
            **declared,
        )

    return Entry(name, LIBRARY, path, claim, hides=HIDES)


def _mamba_2(model: str, chunk: int) -> Entry:
    name, path = (
        f"transformers-{model.replace('_', '-')}-chunk-scan",
        f"{M}{model}.modeling_{model}.mamba2_chunk_scan",
    )

    def claim() -> Claim:
        kernel = steps_of_one(function(path), chunk)
        return believe_kernel(
            name,
            family=UNDECAYED,
            kernel=kernel,
            without=("cu_seqlens",),
            dtypes=("float32",),
            form="chunked",
            chunk=chunk,
        )

    return Entry(name, LIBRARY, path, claim, hides=HIDES, remark="with steps of 1 and A of 0")


def steps_of_one(kernel: Callable[..., Any], chunk: int) -> Callable[..., Any]:
    """SSD without decay: steps of one and A of 0, states of V x K."""

    def adapted(*, q: Any, k: Any, v: Any, initial_state: Any) -> Any:
        start = None if initial_state is None else initial_state.transpose(-1, -2)
        steps = torch.ones(v.shape[:3], dtype=v.dtype)
        outputs, state = kernel(
            v,
            steps,
            torch.zeros(v.shape[2], dtype=v.dtype),
            k,
            q,
            chunk_size=chunk,
            initial_states=start,
            return_final_states=True,
        )
        return outputs, state.transpose(-1, -2)

    return adapted


ENTRIES = (
    *(
        _delta(
            f"transformers-{model.replace('_', '-')}-chunk-gated-delta-rule",
            f"{M}{model}.modeling_{model}.torch_chunk_gated_delta_rule",
            "gated-delta-rule",
            form="chunked",
            chunk=64,
        )
        for model in ("qwen3_next", "olmo_hybrid")
    ),
    *(
        _delta(
            f"transformers-{model.replace('_', '-')}-recurrent-gated-delta-rule",
            f"{M}{model}.modeling_{model}.torch_recurrent_gated_delta_rule",
            "gated-delta-rule",
        )
        for model in ("qwen3_next", "olmo_hybrid")
    ),
    *(  # twice: NaN for one gate of -infinity would hide all else
        _delta(
            name,
            M + "kimi_linear.modeling_kimi_linear.chunk_kimi_delta_attention",
            KDA,
            lacks,
            form="chunked",
            chunk=64,
            inverse="explicit",
        )
        for name, lacks in (
            ("transformers-kimi-linear-chunk", ("infinite-gates",)),
            ("transformers-kimi-linear-chunk-infinite-gates", ()),
        )
    ),
    _delta(
        "transformers-kimi-linear-recurrent",
        M + "kimi_linear.modeling_kimi_linear.recurrent_kimi_delta_attention",
        KDA,
    ),
    _mamba_2("mamba2", 64),
)
"""Copies of the same function in other models are left out."""
