"""transformers 5.23.0: `reset` and `reorder_cache` of MiniMaxForCausalLM's cache ignore linear layers.

`MiniMaxCache` stores the states of linear layers in `linear_cache`. It overrides batch_repeat_interleave,
batch_select_indices and crop to update `linear_cache`, but it inherits reset and reorder_cache from `Cache`.
In a beam search, a beam therefore continues with the state of another beam.
"""

import torch
from transformers import MiniMaxConfig, MiniMaxForCausalLM

torch.manual_seed(0)
config = MiniMaxConfig(
    vocab_size=32, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1,
    head_dim=8, intermediate_size=24, num_local_experts=2, num_experts_per_tok=1, block_size=16,
    layer_types=["linear_attention", "full_attention"],
)  # fmt: skip
model = MiniMaxForCausalLM(config).eval()
with torch.no_grad():
    for parameter in model.parameters():
        if parameter.dim() > 1:
            parameter.normal_(0, 0.3)


def run(tokens, cache=None):
    with torch.no_grad():
        return model(tokens, past_key_values=cache, use_cache=True)


pair, more = torch.tensor([[5, 9, 17], [20, 4, 13]]), torch.tensor([[11], [11]])
cache = run(pair).past_key_values
cache.reorder_cache(torch.tensor([1, 0]))
step = run(more, cache).logits
right = run(more, run(pair.flip(0)).past_key_values).logits
print("reorder_cache:", (step - right).abs().max().item(), "of", right.abs().max().item())

cache = run(pair[:1]).past_key_values
cache.reset()
again, first = run(more[:1], cache).logits, run(more[:1]).logits
print("reset:", (again - first).abs().max().item(), "of", first.abs().max().item())
