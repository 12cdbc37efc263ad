"""transformers 5.23.0: xLSTMForCausalLM raises an error with use_cache=True for most head sizes.

The call succeeds only if the total size of all heads is a multiple of 64. `xLSTMCache` uses
`xLSTMConfig.qk_dim` and `v_dim`, which are rounded up to a multiple of 64. `xLSTMLayer` uses
int(hidden_size * qk_dim_factor), which is not rounded.
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
