"""transformers 5.23.0: xLSTMForCausalLM raises with use_cache=True for most sizes of heads.

It works only if the heads' sizes are multiples of 64 in total. `xLSTMConfig.qk_dim` and `v_dim` round up to a
multiple of 64, and `xLSTMCache` uses them; `xLSTMLayer` computes int(hidden_size * qk_dim_factor) without
rounding.
"""

import torch
from transformers import xLSTMConfig, xLSTMForCausalLM

for size in (128, 160):
    config = xLSTMConfig(vocab_size=32, hidden_size=size, num_heads=2, num_hidden_layers=2, chunk_size=16)
    model = xLSTMForCausalLM(config).eval()
    with torch.no_grad():
        model(torch.tensor([[3, 4]]), use_cache=False)
        try:
            print(size, model(torch.tensor([[3, 4]]), use_cache=True).logits.shape)
        except Exception as error:
            print(size, type(error).__name__, error)
