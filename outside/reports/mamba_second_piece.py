"""transformers 5.23.0: MambaForCausalLM loses its state if a call with a cache has more than one token.

FalconMamba and Jamba have the same defect. `mamba_selective_scan` has no argument for an initial state, and
starts with zeros in every call of more than one token. The state of the convolution is not lost. The second
turn of a chat, a prompt that is read in pieces, and assisted decoding therefore give wrong logits without an
error. The result is correct without a cache, and if the cache is used token by token.
"""

import torch
from transformers import MambaConfig, MambaForCausalLM

torch.manual_seed(0)
config = MambaConfig(vocab_size=32, hidden_size=16, state_size=4, time_step_rank=3, num_hidden_layers=2)
model = MambaForCausalLM(config).eval()
with torch.no_grad():
    for parameter in model.parameters():
        if parameter.dim() > 1 and parameter.std() < 0.05:
            parameter.normal_(0, 0.3)
    for layer in model.backbone.layers:
        layer.mixer.dt_proj.bias.zero_()
tokens = torch.randint(32, (1, 16))
with torch.no_grad():
    full = model(tokens).logits[:, 12:]
    cache = model(tokens[:, :12], use_cache=True).cache_params
    pieces = model(tokens[:, 12:], cache_params=cache, use_cache=True).logits
    cache = model(tokens[:, :12], use_cache=True).cache_params
    single = [model(tokens[:, t : t + 1], cache_params=cache, use_cache=True).logits for t in range(12, 16)]
print("token by token:", (torch.cat(single, 1) - full).abs().max().item(), "(rounding)")
print("4 tokens at once:", (pieces - full).abs().max().item(), "of", full.abs().max().item())
