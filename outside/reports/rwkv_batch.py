"""transformers 5.23.0: RwkvForCausalLM returns four rows of outputs for a single token in two rows.

For a call of one token, `RwkvSelfAttention.extract_key_value` and `RwkvFeedForward.forward` use the state's
last token with its shape (batch, size), and add it to `hidden` of shape (batch, 1, size). These broadcast to
(batch, batch, size), and each row is mixed with the others' last tokens.
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
