"""Table entries for causal language models with a recurrence, from the library transformers.

The models are small, have random weights, and use the caches of transformers. Nothing is downloaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from outside.entry import Entry
from outside.transformers_kernels import HIDES, LIBRARY
from ratproof import believe_stateful, of_causal_model
from ratproof.evidence.subjects import Subject

SMALL = {"vocab_size": 32, "hidden_size": 16, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
TWO = {**SMALL, "num_hidden_layers": 2}
ATTENTION = {
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "intermediate_size": 24,
    "max_position_embeddings": 300,
}
EXPERTS = {"num_local_experts": 2, "num_experts_per_tok": 1}
DELTA = {
    "head_dim": 8,
    "linear_conv_kernel_dim": 4,
    "linear_key_head_dim": 4,
    "linear_value_head_dim": 6,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "layer_types": ["linear_attention", "full_attention"],
}
LATENT = {
    **TWO,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "intermediate_size": 24,
    "max_position_embeddings": 300,
    "moe_intermediate_size": 8,
    "kv_lora_rank": 8,
    "qk_rope_head_dim": 4,
    "v_head_dim": 8,
    "qk_nope_head_dim": 4,
    **EXPERTS,
    "layer_types": ["linear_attention", "full_attention"],
    "mlp_layer_types": ["dense", "sparse"],
}
SSD = {"mamba_n_heads": 4, "mamba_d_head": 8, "mamba_n_groups": 2, "mamba_d_state": 4, "mamba_chunk_size": 16}


@dataclass(frozen=True)
class Model:
    """A model class with a small configuration, and options for its test.

    Attributes:
        name: the model's folder in the library.
        prefix: the prefix of its classes.
        sizes: the configuration.
        adapter: further arguments of :func:`~ratproof.laws.models.causal_model.of_causal_model`.
        without: the capabilities that it lacks according to its documentation.
        config: the name of its configuration class, if it is not the usual one.
        new_cache: a function that takes the model and returns a function for the initial cache.
        variant: the part of the name that describes the configuration.
        remark: a note for readers.
    """

    name: str
    prefix: str
    sizes: Mapping[str, Any]
    adapter: Mapping[str, Any] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    config: str = ""
    new_cache: Callable[[nn.Module], Callable[[int], Any]] | None = None
    variant: str = ""
    remark: str = ""

    def entry(self) -> Entry:
        """Return the model's entry in the table of tested programs."""
        title = "-".join(filter(None, ["transformers", self.name.replace("_", "-"), self.variant]))
        path = f"transformers.{self.prefix}ForCausalLM"
        return Entry(
            title, LIBRARY, path, lambda seconds: self._claim(title), hides=HIDES, remark=self.remark
        )

    def _claim(self, title: str) -> Subject:
        import transformers

        transformers.logging.set_verbosity_error()
        torch.manual_seed(0)
        config = getattr(transformers, self.config or f"{self.prefix}Config")(**self.sizes)
        module = getattr(transformers, f"{self.prefix}ForCausalLM")(config)
        enlarge(module)
        begins = None if self.new_cache is None else self.new_cache(module)
        model = of_causal_model(module, new_cache=begins, **self.adapter)
        return believe_stateful(title, model=model, without=self.without)


def enlarge(module: nn.Module) -> None:
    """Enlarge small random weights, because otherwise the outputs would hardly depend on the tokens."""
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.dim() > 1 and parameter.is_floating_point() and parameter.std() < 0.05:
                parameter.normal_(0, 0.3)


def dynamic_cache(module: nn.Module) -> Callable[[int], Any]:
    """Return a factory for the cache that ``generate`` passes to a model that creates none itself."""
    from transformers import DynamicCache

    return lambda rows: DynamicCache(config=module.config)


MAMBA = {**TWO, "state_size": 4, "time_step_rank": 3}
MAMBA_2 = {**TWO, "state_size": 4, "num_heads": 4, "head_dim": 8, "n_groups": 2, "chunk_size": 16}
MAMBA_CACHE = {"cache": "cache_params", "masked": "call"}
ONE_CALL = "attention_mask covers only the tokens of the call, as in its generate"
MODELS = (
    Model("mamba", "Mamba", MAMBA, MAMBA_CACHE, remark=ONE_CALL),
    Model("falcon_mamba", "FalconMamba", MAMBA, MAMBA_CACHE, remark=ONE_CALL),
    Model("mamba2", "Mamba2", MAMBA_2, {"cache": "cache_params"}),
    Model(
        "mamba2",
        "Mamba2",
        {**MAMBA_2, "time_step_limit": (0.0, 0.05)},
        {"cache": "cache_params"},
        variant="time-step-limit",
        remark="time_step_limit = (0, 0.05)",
    ),
    Model(
        "recurrent_gemma",
        "RecurrentGemma",
        {
            **SMALL,
            "num_hidden_layers": 3,
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            "intermediate_size": 32,
            "attention_window_size": 300,
            "lru_width": 16,
        },
        new_cache=dynamic_cache,
    ),
    Model(
        "rwkv",
        "Rwkv",
        {
            "vocab_size": 32,
            "hidden_size": 16,
            "num_hidden_layers": 2,
            "attention_hidden_size": 16,
            "intermediate_size": 24,
        },
        {"cache": "state"},
        without=("padding", "reorder", "clear"),
        remark="it states that it accepts no mask; its state is a list",
    ),
    Model(
        "xlstm",
        "xLSTM",
        {**TWO, "hidden_size": 128, "num_heads": 2, "chunk_size": 16, "autocast_kernel_dtype": "float32"},
        {"cache": "cache_params"},
        without=("padding", "reorder"),
        remark="its forward has no mask argument, and its cache has no reorder_cache",
    ),
    Model(
        "jamba",
        "Jamba",
        {
            **TWO,
            **ATTENTION,
            "num_experts": 2,
            "num_experts_per_tok": 1,
            "attn_layer_period": 2,
            "attn_layer_offset": 1,
            "mamba_d_state": 4,
            "mamba_dt_rank": 3,
        },
    ),
    Model("bamba", "Bamba", {**TWO, **ATTENTION, **SSD, "attn_layer_indices": [1]}),
    Model(
        "granitemoehybrid",
        "GraniteMoeHybrid",
        {
            **TWO,
            **ATTENTION,
            **EXPERTS,
            **SSD,
            "shared_intermediate_size": 24,
            "layer_types": ["mamba", "attention"],
        },
    ),
    Model(
        "nemotron_h",
        "NemotronH",
        {
            **SMALL,
            **ATTENTION,
            "head_dim": 8,
            "ssm_state_size": 4,
            "mamba_num_heads": 4,
            "mamba_head_dim": 8,
            "n_groups": 2,
            "chunk_size": 16,
            "layers_block_type": ["mamba", "attention"],
        },
    ),
    Model("falcon_h1", "FalconH1", {**TWO, **ATTENTION, **SSD, "mamba_d_ssm": 32}),
    Model(
        "zamba2",
        "Zamba2",
        {
            **SMALL,
            "num_hidden_layers": 3,
            "layers_block_type": ["linear_attention", "hybrid", "linear_attention"],
            "num_attention_heads": 2,
            "num_key_value_heads": 2,
            "intermediate_size": 24,
            "max_position_embeddings": 300,
            "n_mamba_heads": 4,
            "mamba_d_state": 4,
            "chunk_size": 16,
        },
    ),
    Model(
        "lfm2",
        "Lfm2",
        {**TWO, **ATTENTION, "layer_types": ["conv", "full_attention"], "block_auto_adjust_ff_dim": False},
    ),
    Model(
        "lfm2_moe",
        "Lfm2Moe",
        {
            **TWO,
            **ATTENTION,
            "moe_intermediate_size": 8,
            "num_experts": 2,
            "num_experts_per_tok": 1,
            "num_dense_layers": 1,
            "layer_types": ["conv", "full_attention"],
        },
    ),
    Model("lfm3", "Lfm3", {**TWO, **ATTENTION, "head_dim": 8, "layer_types": ["conv", "full_attention"]}),
    Model(
        "minimax",
        "MiniMax",
        {
            **TWO,
            **ATTENTION,
            **EXPERTS,
            "head_dim": 8,
            "block_size": 16,
            "layer_types": ["linear_attention", "full_attention"],
        },
    ),
    Model(
        "qwen3_next",
        "Qwen3Next",
        {
            **TWO,
            **ATTENTION,
            **DELTA,
            "moe_intermediate_size": 8,
            "shared_expert_intermediate_size": 8,
            "num_experts": 2,
            "num_experts_per_tok": 1,
        },
    ),
    Model("qwen3_5", "Qwen3_5", {**TWO, **ATTENTION, **DELTA}, config="Qwen3_5TextConfig"),
    Model(
        "olmo_hybrid",
        "OlmoHybrid",
        {
            **TWO,
            **ATTENTION,
            "linear_num_key_heads": 2,
            "linear_num_value_heads": 2,
            "linear_key_head_dim": 4,
            "linear_value_head_dim": 6,
            "layer_types": ["linear_attention", "full_attention"],
        },
    ),
    Model("kimi_linear", "KimiLinear", {**LATENT, "linear_head_dim": 8, "linear_num_heads": 2}),
    Model("bailing_hybrid", "BailingHybrid", {**LATENT, "n_group": 1, "topk_group": 1, "head_dim": 8}),
    Model(
        "zaya",
        "Zaya",
        {
            **TWO,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "max_position_embeddings": 300,
            "moe_intermediate_size": 8,
            "num_experts": 2,
            "head_dim": 8,
            "router_hidden_size": 8,
        },
    ),
)
ENTRIES = tuple(model.entry() for model in MODELS)
"""The table entries of this module, with similar models next to each other."""
