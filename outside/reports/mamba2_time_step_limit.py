"""transformers 5.23.0: Mamba2ForCausalLM ignores time_step_limit for generated tokens.

The limit applies only to the prompt. Bamba, FalconH1 and GraniteMoeHybrid have the same defect.
`Mamba2Mixer.forward` passes dt_limit=self.time_step_limit to `mamba2_chunk_scan`, but not to
`mamba2_selective_state_update`, which has no such argument.
"""

import torch
from transformers import Mamba2Config, Mamba2ForCausalLM

torch.manual_seed(0)
config = Mamba2Config(
    vocab_size=32, hidden_size=16, state_size=4, num_hidden_layers=2, num_heads=4, head_dim=8, n_groups=2,
    chunk_size=16, time_step_limit=(0.0, 0.01),
)  # fmt: skip
model = Mamba2ForCausalLM(config).eval()
with torch.no_grad():
    for layer in model.backbone.layers:
        layer.mixer.dt_bias.zero_()  # softplus(0) = 0.69
tokens = torch.randint(32, (1, 2))
with torch.no_grad():
    full = model(tokens).logits[:, 1]
    cache = model(tokens[:, :1], use_cache=True).cache_params
    single = model(tokens[:, 1:], cache_params=cache, use_cache=True).logits[:, 0]
print("the second token by itself:", (single - full).abs().max().item(), "of", full.abs().max().item())
