"""A small causal language model with the interface of transformers, and mistakes for it."""

import math
from types import SimpleNamespace

import torch
from torch import nn

WIDTH, HEADS, LAYERS = 16, 2, 2


class Cache:
    """Keys and values of all layers, to which calls append."""

    def __init__(self, mistake):
        self.mistake, self.cleared = mistake, False
        self.keys, self.values = [None] * LAYERS, [None] * LAYERS

    def length(self):
        return 0 if self.keys[0] is None else self.keys[0].shape[2]

    def update(self, layer, key, value):
        if self.keys[layer] is not None:
            if self.mistake == "cleared for one call" and self.cleared:
                value = value * 1.1
            key = torch.cat([self.keys[layer], key], 2)
            value = torch.cat([self.values[layer], value], 2)
        self.keys[layer], self.values[layer] = key, value
        return key, value

    def reorder_cache(self, rows):
        if self.mistake == "rows taken back":
            rows = rows.argsort()
        for layer in range(LAYERS):
            self.keys[layer] = self.keys[layer].index_select(0, rows)
            if self.mistake != "values left where they were":
                self.values[layer] = self.values[layer].index_select(0, rows)

    def reset(self):
        self.cleared = True
        if self.mistake == "zeroed and not emptied":
            for part in (*self.keys, *self.values):
                part.zero_()
        else:
            self.keys, self.values = [None] * LAYERS, [None] * LAYERS


class CausalAttention(nn.Module):
    """Causal attention with several heads."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer
        self.read, self.write = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x, cache, mask):
        batch, time, _ = x.shape
        split = (y.view(batch, time, HEADS, -1).transpose(1, 2) for y in self.read(x).chunk(3, -1))
        query, key, value = split
        key, value = cache.update(self.layer, key, value)
        scores = query @ key.transpose(2, 3) / math.sqrt(WIDTH / HEADS)
        past = key.shape[2] - time
        seen = (
            torch.ones(time, key.shape[2], dtype=torch.bool).tril(past) & mask[:, None, None, -key.shape[2] :]
        )
        scores = scores.masked_fill(~seen, torch.finfo(scores.dtype).min)
        return self.write((scores.softmax(-1) @ value).transpose(1, 2).reshape(batch, time, WIDTH))


class CausalLM(nn.Module):
    """A causal language model.

    Args:
        mistake: The mistake in the model, if any.
        lower: Lower-precision dtype in which its layers compute. Defaults to the dtype of the parameters.
    """

    def __init__(self, mistake="", lower=None, vocabulary=11, longest=300):
        super().__init__()
        self.mistake, self.lower = mistake, lower
        self.config = SimpleNamespace(vocab_size=vocabulary, max_position_embeddings=longest)
        self.tokens, self.places = nn.Embedding(vocabulary, WIDTH), nn.Embedding(longest, WIDTH)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(LAYERS))
        self.layers = nn.ModuleList(CausalAttention(layer) for layer in range(LAYERS))
        self.dropout = nn.Dropout(0.5)
        self.out = nn.Linear(WIDTH, vocabulary)
        self.kept = None

    def forward(
        self,
        input_ids=None,
        attention_mask=None,
        position_ids=None,
        past_key_values=None,
        inputs_embeds=None,
        use_cache=False,
    ):
        cache = past_key_values
        if cache is None and self.mistake == "a cache that survives":
            cache = self.kept
        cache = cache or Cache(self.mistake)
        x = self.tokens(input_ids) if inputs_embeds is None else inputs_embeds
        time, past = x.shape[1], cache.length()
        mask = attention_mask.bool()
        if self.mistake == "padding is read":
            mask = torch.ones_like(mask)
        if self.mistake == "positions from 0 in every call":
            position_ids = torch.arange(time)[None]
        if self.mistake == "positions count padding":
            position_ids = torch.arange(past, past + time)[None]
        x = self.dropout(x + self.places(position_ids))
        if self.mistake == "centred over the batch":
            x = x - 0.1 * x.mean(0, keepdim=True)
        if self.lower is not None:
            x = x.to(self.lower)
        for norm, layer in zip(self.norms, self.layers, strict=True):
            x = x + layer(norm(x), cache, mask)
        if self.mistake == "the last token of a piece dropped" and time > 1:
            for layer in range(LAYERS):
                cache.keys[layer] = cache.keys[layer].clone()
                cache.keys[layer][:, :, -1] = 0
        self.kept = cache
        return SimpleNamespace(
            logits=self.out(x).float() if self.lower else self.out(x), past_key_values=cache
        )
