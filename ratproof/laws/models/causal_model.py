"""The adapter for causal language models that are called as those of transformers are. It imports nothing of
transformers: it goes by the names of arguments.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from automata.errors import InputError
from ratproof.laws.models.inputs import Inputs, Tokens
from ratproof.laws.models.model import StatefulModel


class CausalModel(StatefulModel):
    """A module called with ``input_ids`` or ``inputs_embeds``, ``attention_mask``, a cache and ``use_cache``.

    Its state is the pair of the cache and the mask of all tokens that the cache has seen: such models want
    the mask of all tokens in every call, and positions that count no padding.
    """

    # a cache is updated in place, and meant to be; generate wants padding on the left
    without = frozenset({"state-twice", "after-right-padding"})
    module: nn.Module

    def __init__(
        self,
        module: nn.Module,
        inputs: Inputs,
        cache: str,
        new_cache: Callable[[int], Any] | None,
        masked: str,
    ) -> None:
        self.module, self.inputs, self.cache, self.new_cache = module, inputs, cache, new_cache
        self.masked = masked
        self.takes = set(inspect.signature(module.forward).parameters)
        self.longest = getattr(getattr(module, "config", None), "max_position_embeddings", None)

    def run(self, inputs: Tensor, state: Any = None, mask: Tensor | None = None) -> tuple[Tensor, Any]:
        """Call it with what its ``generate`` would give."""
        cache, seen = self._start(len(inputs)) if state is None else state
        here = torch.ones(inputs.shape[:2], dtype=torch.bool, device=inputs.device) if mask is None else mask
        whole = here if seen is None else torch.cat([seen, here], 1)
        made = self.module(**self._arguments(inputs, cache, whole))
        outputs = made.logits if getattr(made, "logits", None) is not None else made.last_hidden_state
        return outputs, (getattr(made, self.cache, cache), whole)  # it need not return one that it was given

    def reorder(self, state: Any, rows: Tensor) -> Any:
        """By the cache's ``reorder_cache``, or the model's ``_reorder_cache`` for a cache of tuples."""
        cache, seen = state
        if hasattr(cache, "reorder_cache"):
            made = cache.reorder_cache(rows)
            cache = cache if made is None else made
        elif hasattr(self.module, "_reorder_cache"):
            by_model: Any = self.module._reorder_cache
            cache = by_model(cache, rows)
        else:
            raise InputError(
                f"a {type(cache).__name__} has no reorder_cache(rows); without=('reorder',) says that its"
                " rows stay"
            )
        return cache, seen.index_select(0, rows)

    def clear(self, state: Any) -> Any:
        """By the cache's ``reset``."""
        cache, _ = state
        if not hasattr(cache, "reset"):
            raise InputError(
                f"a {type(cache).__name__} has no reset(); without=('clear',) says that it is not cleared"
            )
        cache.reset()
        return cache, None

    def name(self) -> str:
        """The module's class."""
        return type(self.module).__name__

    def _start(self, rows: int) -> tuple[Any, None]:
        return None if self.new_cache is None else self.new_cache(rows), None

    def _arguments(self, inputs: Tensor, cache: Any, mask: Tensor) -> dict[str, Any]:
        time = inputs.shape[1]
        positions = (mask.long().cumsum(1) - 1).clamp(min=0)[:, -time:]
        given = mask if self.masked == "seen" else mask[:, -time:]
        maybe = {
            "position_ids": positions,
            "cache_position": torch.arange(mask.shape[1] - time, mask.shape[1], device=inputs.device),
            "return_dict": True,
        }
        return {
            "inputs_embeds" if inputs.is_floating_point() else "input_ids": inputs,
            "attention_mask": given.long(),
            self.cache: cache,
            "use_cache": True,
            **{name: value for name, value in maybe.items() if name in self.takes},
        }


def of_causal_model(
    model: nn.Module,
    *,
    inputs: Inputs | None = None,
    cache: str = "past_key_values",
    new_cache: Callable[[int], Any] | None = None,
    masked: str = "seen",
) -> CausalModel:
    """The adapter for a causal language model of transformers, or of the same calling convention.

    Args:
        model: called with ``input_ids`` (or ``inputs_embeds``, where ``inputs`` are vectors),
            ``attention_mask`` of all tokens so far, the cache and ``use_cache=True``; with ``position_ids``,
            ``cache_position`` and ``return_dict`` where its ``forward`` names them. It returns an object with
            ``logits`` (or ``last_hidden_state``) and the cache.
        inputs: without, the tokens of ``model.config.vocab_size``.
        cache: the name of the cache among arguments and results: ``cache_params`` for Mamba's like.
        new_cache: from a number of rows, the cache to begin with; without, the model makes one, and returns
            it.
        masked: the tokens that ``attention_mask`` is of: all that were ``seen``, or those of the ``call``
            alone, as Mamba's like read it.

    Raises:
        InputError: the model does not name the cache, or says no vocabulary; ``masked`` is another word.
    """
    if masked not in ("seen", "call"):
        raise InputError(f"masked is {masked!r:.60}, where 'seen' or 'call' is right")
    if not isinstance(model, nn.Module):
        raise InputError(f"the model is a {type(model).__name__}, where a torch module is right")
    parameters = inspect.signature(model.forward).parameters
    if cache not in parameters and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        raise InputError(
            f"{type(model).__name__}.forward has no argument {cache}; cache= is the name of its cache's"
        )
    return CausalModel(model, inputs or _tokens(model), cache, new_cache, masked)


def _tokens(model: nn.Module) -> Inputs:
    size = getattr(getattr(model, "config", None), "vocab_size", None)
    if type(size) is not int:
        raise InputError(
            f"{type(model).__name__} has no config.vocab_size; inputs=Tokens(...) says how large its"
            " vocabulary is"
        )
    return Tokens(size)
