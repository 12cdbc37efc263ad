"""transformers 5.23.0: RecurrentGemmaForCausalLM has four defects in the handling of its state.

The state is stored in the modules (`rg_lru.recurrent_states`, `conv1d_state`), not in the cache.

1. A prompt of one token uses the convolution's state of the previous call. Only the first call of `generate`
with a cache could clear this state, but `_setup_cache` runs only without a cache.

2. A second call with several tokens loses the convolution's state. `RecurrentGemmaRecurrentBlock.forward`
treats every call of more than one token as the first.

3. The recurrent block reads left padding, because it ignores attention_mask.

4. Beam search reorders the rows of the attention's cache, but not those of the recurrent states.
"""

import copy

import torch
from transformers import DynamicCache, RecurrentGemmaConfig, RecurrentGemmaForCausalLM

torch.manual_seed(0)
config = RecurrentGemmaConfig(
    vocab_size=32, hidden_size=16, num_hidden_layers=3, num_attention_heads=2, num_key_value_heads=1,
    intermediate_size=32, lru_width=16, pad_token_id=0, bos_token_id=1, eos_token_id=2,
)  # fmt: skip
model = RecurrentGemmaForCausalLM(config).eval()
with torch.no_grad():
    for parameter in model.parameters():
        if parameter.dim() > 1:
            parameter.normal_(0, 0.3)


def run(model, tokens, cache, start=0, mask=None):
    """Return the logits of a call with the arguments that ``generate`` would pass."""
    positions = torch.arange(start, start + tokens.shape[1])[None].expand(len(tokens), -1)
    if mask is not None:
        positions = (mask.cumsum(1) - 1).clamp(min=0)
    with torch.no_grad():
        return model(
            tokens, past_key_values=cache, use_cache=True, position_ids=positions, attention_mask=mask
        ).logits


def fresh():
    return copy.deepcopy(model), DynamicCache(config=config)


def difference(one, other):
    return f"{(one - other).abs().max().item():.3g} of {other.abs().max().item():.3g}"


tokens = torch.tensor([[5, 9, 17, 11, 23, 8]])
first = run(*(lambda m, c: (m, tokens[:, :1], c))(*fresh()))
again, cache = fresh()
run(again, torch.tensor([[7, 3, 19]]), cache)
print(
    "1. one token, after another prompt:",
    difference(run(again, tokens[:, :1], DynamicCache(config=config)), first),
)
greedy = {"max_new_tokens": 2, "do_sample": False, "output_logits": True, "return_dict_in_generate": True}
again = copy.deepcopy(model)
before = again.generate(tokens[:, :1], **greedy).logits[0]
again.generate(torch.tensor([[7, 3, 19]]), **greedy)
after = again.generate(tokens[:, :1], **greedy).logits[0]
print("   the same with generate, its first logits:", difference(after, before))

one, cache = fresh()
full = run(one, tokens, cache)
two, cache = fresh()
run(two, tokens[:, :3], cache)
print(
    "2. the last 3 of 6 tokens in a second call:", difference(run(two, tokens[:, 3:], cache, 3), full[:, 3:])
)

padded = torch.cat([torch.zeros(1, 2, dtype=torch.long), tokens], 1)
three, cache = fresh()
mask = (torch.arange(8) >= 2).long()[None]
print("3. after 2 masked tokens:", difference(run(three, padded, cache, mask=mask)[:, 2:], full))

pair = torch.tensor([[5, 9, 17], [20, 4, 13]])
four, cache = fresh()
run(four, pair, cache)
cache.reorder_cache(torch.tensor([1, 0]))
step = run(four, torch.tensor([[11], [11]]), cache, 3)
right, cache = fresh()
run(right, pair.flip(0), cache)
print(
    "4. rows exchanged by reorder_cache:", difference(step, run(right, torch.tensor([[11], [11]]), cache, 3))
)
