"""transformers 5.23.0: the logits of NemotronHForCausalLM with a cache differ from those of a single call.

The scan of a prompt has a lower limit for the time steps. `NemotronHMamba2Mixer` sets time_step_limit to
(config.time_step_min, inf), and passes it to `mamba2_chunk_scan` as dt_limit.
`mamba2_selective_state_update`, which computes the step of one token, has no limit. The results differ if
softplus(dt + dt_bias) is less than time_step_min (usually 0.001).
"""

import torch
from transformers import NemotronHConfig, NemotronHForCausalLM

torch.manual_seed(0)
config = NemotronHConfig(
    vocab_size=32, hidden_size=16, layers_block_type=["mamba", "attention"], num_attention_heads=2,
    num_key_value_heads=1, head_dim=8, intermediate_size=24, ssm_state_size=4, mamba_num_heads=4,
    mamba_head_dim=8, n_groups=2, chunk_size=16,
)  # fmt: skip
model = NemotronHForCausalLM(config).eval()
with torch.no_grad():
    for name, parameter in model.named_parameters():
        if name.endswith("dt_bias"):
            parameter.fill_(-8.0)  # softplus(-8) = 0.0003
        elif parameter.dim() > 1:
            parameter.normal_(0, 0.3)
    tokens = torch.randint(32, (1, 16))
    full = model(tokens).logits
    cache = model(tokens[:, :1], use_cache=True).past_key_values
    single = [model(tokens[:, t : t + 1], past_key_values=cache).logits for t in range(1, 16)]
difference = (torch.cat(single, 1) - full[:, 1:]).abs().max().item()
print("token by token, time_step_min =", config.time_step_min, ":", difference, "of", full.abs().max().item())
