"""transformers 5.23.0: RwkvForCausalLM returns outputs of a wrong shape for a batch of single tokens.

For a call of one token, `RwkvSelfAttention.extract_key_value` and `RwkvFeedForward.forward` add the last
token of the state, of shape (batch, size), to `hidden`, of shape (batch, 1, size). These shapes broadcast to
(batch, batch, size), so each row is mixed with the last tokens of the other rows.
"""

import torch
from transformers import RwkvConfig, RwkvForCausalLM

torch.manual_seed(0)
config = RwkvConfig(vocab_size=32, hidden_size=16, num_hidden_layers=2, attention_hidden_size=16)
model = RwkvForCausalLM(config).eval()
tokens = torch.randint(32, (2, 4))
with torch.no_grad():
    state = model(tokens[:, :3], use_cache=True).state
    logits = model(tokens[:, 3:], state=state, use_cache=True).logits
print("inputs", tuple(tokens[:, 3:].shape), "logits", tuple(logits.shape), "where (2, 1, 32) is right")
