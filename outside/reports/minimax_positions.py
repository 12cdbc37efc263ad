"""transformers 5.23.0: MiniMaxForCausalLM with a linear first layer ignores the cache in masks and positions.

MiniMax-Text-01 has such a first layer. `MiniMaxCache` has an empty DynamicLayer for each linear layer.
`find_first_full_attention_index` takes layer 0 for a layer with full attention, so `get_seq_length()` and the
mask use this empty layer, whose length is 0. There are three consequences:

1. If a call with a cache has several tokens, they attend to each other, but not correctly to the cached
   tokens.
2. A token after a left-padded prompt attends to the padding.
3. Without position_ids, positions start at 0 in every call.

If layer 0 has full attention, all three results are correct.
"""

import torch
from transformers import MiniMaxConfig, MiniMaxForCausalLM

tokens = torch.tensor([[5, 9, 17, 11, 23, 8]])


def difference(one, other):
    return f"{(one - other).abs().max().item():.2g} of {other.abs().max().item():.2g}"


for layers in (["full_attention", "linear_attention"], ["linear_attention", "full_attention"]):
    torch.manual_seed(0)
    config = MiniMaxConfig(
        vocab_size=32, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1,
        head_dim=8, intermediate_size=24, num_local_experts=2, num_experts_per_tok=1, block_size=16,
        layer_types=layers,
    )  # fmt: skip
    model = MiniMaxForCausalLM(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.normal_(0, 0.3)
        full = model(tokens, use_cache=True).logits
        print(layers[0], "first")
        cache = model(tokens[:, :3], use_cache=True).past_key_values
        rest = model(
            tokens[:, 3:], past_key_values=cache, use_cache=True, position_ids=torch.tensor([[3, 4, 5]])
        )
        print("  1. three tokens after three:", difference(rest.logits, full[:, 3:]))

        padded = torch.cat([torch.zeros(1, 2, dtype=torch.long), tokens], 1)
        mask = (torch.arange(8) >= 2).long()[None]
        positions = (mask.cumsum(1) - 1).clamp(min=0)
        cache = model(
            padded[:, :7], attention_mask=mask[:, :7], position_ids=positions[:, :7], use_cache=True
        ).past_key_values
        last = model(
            padded[:, 7:],
            attention_mask=mask,
            position_ids=positions[:, 7:],
            past_key_values=cache,
            use_cache=True,
        )
        print("  2. a token after a padded prompt:", difference(last.logits, full[:, 5:]))

        cache = model(tokens[:, :5], use_cache=True).past_key_values
        last = model(tokens[:, 5:], past_key_values=cache, use_cache=True)
        print("  3. a token without position_ids:", difference(last.logits, full[:, 5:]))
