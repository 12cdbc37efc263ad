"""The adapter for causal language models with the calling convention of transformers.

It depends only on the names of arguments, and does not import transformers.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from automata.errors import InputError
from ratproof.laws.models.inputs import Inputs, Tokens
from ratproof.laws.models.model import State, StatefulModel


class CausalModel(StatefulModel):
    """A module called with ``input_ids`` or ``inputs_embeds``, ``attention_mask``, a cache and ``use_cache``.

    Its state is a pair of the cache and the mask of all tokens that the cache has seen. These models require
    the mask of all tokens in every call, and positions that do not count padding.
    """

    # caches are updated in place by design, and generate requires padding on the left
    without = frozenset({"state-twice", "after-right-padding", "rewind", "gradient"})
    module: nn.Module

    def __init__(
        self,
        module: nn.Module,
        inputs: Inputs,
        cache: str,
        new_cache: Callable[[int], Any] | None,
        masked: str,
        rewind: bool = False,
    ) -> None:
        self.module, self.inputs, self.cache, self.new_cache = module, inputs, cache, new_cache
        self.masked = masked
        self.takes = set(inspect.signature(module.forward).parameters)
        self.longest = getattr(getattr(module, "config", None), "max_position_embeddings", None)
        self.without = type(self).without - ({"rewind"} if rewind else set())

    def run(self, inputs: Tensor, state: State = None, mask: Tensor | None = None) -> tuple[Tensor, State]:
        """Call the module with the arguments that ``generate`` would pass."""
        cache, seen = self._start(len(inputs)) if state is None else state
        here = torch.ones(inputs.shape[:2], dtype=torch.bool, device=inputs.device) if mask is None else mask
        full = here if seen is None else torch.cat([seen, here], 1)
        result = self.module(**self._arguments(inputs, cache, full))
        outputs = result.logits if getattr(result, "logits", None) is not None else result.last_hidden_state
        return outputs, (getattr(result, self.cache, cache), full)  # a result may omit the cache

    def reorder(self, state: State, rows: Tensor) -> State:
        """Reorder rows with the cache's ``reorder_cache``, or the model's ``_reorder_cache`` for a tuple."""
        cache, seen = state
        if hasattr(cache, "reorder_cache"):
            result = cache.reorder_cache(rows)
            cache = cache if result is None else result
        elif hasattr(self.module, "_reorder_cache"):
            by_model: Any = self.module._reorder_cache
            cache = by_model(cache, rows)
        else:
            raise InputError(
                f"the cache, a {type(cache).__name__}, must have reorder_cache(rows); pass"
                " without=('reorder',) to skip this law"
            )
        return cache, seen.index_select(0, rows)

    def clear(self, state: State) -> State:
        """Clear the cache with its ``reset``."""
        cache, _ = state
        if not hasattr(cache, "reset"):
            raise InputError(
                f"the cache, a {type(cache).__name__}, must have reset(); pass without=('clear',) to skip"
                " cleared states"
            )
        cache.reset()
        return cache, None

    def rewind(self, state: State, tokens: int) -> State:
        """Shorten the cache with its ``crop``."""
        cache, seen = state
        if not hasattr(cache, "crop"):
            raise InputError(f"the cache, a {type(cache).__name__}, must have crop(length) for rewind=True")
        length = seen.shape[1] - tokens
        cache.crop(length)
        return cache, seen[:, :length]

    def snapshot(self, state: State) -> State:
        """Return a deep copy of the cache."""
        return copy.deepcopy(state)

    def name(self) -> str:
        """Return the module's class name."""
        return type(self.module).__name__

    def _start(self, rows: int) -> tuple[State, None]:
        return None if self.new_cache is None else self.new_cache(rows), None

    def _arguments(self, inputs: Tensor, cache: State, mask: Tensor) -> dict[str, Any]:
        time = inputs.shape[1]
        positions = (mask.long().cumsum(1) - 1).clamp(min=0)[:, -time:]
        visible = mask if self.masked == "seen" else mask[:, -time:]
        maybe = {
            "position_ids": positions,
            "cache_position": torch.arange(mask.shape[1] - time, mask.shape[1], device=inputs.device),
            "return_dict": True,
        }
        return {
            "inputs_embeds" if inputs.is_floating_point() else "input_ids": inputs,
            "attention_mask": visible.long(),
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
    rewind: bool = False,
) -> CausalModel:
    """Return the adapter for a causal language model with the calling convention of transformers.

    Args:
        model: The model. It is called with ``input_ids`` (or ``inputs_embeds``, if ``inputs`` are vectors),
            ``attention_mask`` of all tokens so far, the cache and ``use_cache=True``. It also receives
            ``position_ids``, ``cache_position`` and ``return_dict`` if its ``forward`` has them. It must
            return an object with ``logits`` (or ``last_hidden_state``) and the cache.
        inputs: Kind of the inputs. Defaults to tokens below ``model.config.vocab_size``.
        cache: The name of the cache among arguments and results, such as ``cache_params`` for Mamba.
        new_cache: A function that returns the initial cache for a number of rows. By default, the model
            creates the cache.
        masked: The tokens that ``attention_mask`` covers: ``seen`` for all tokens so far, or ``call`` for the
            tokens of the current call, as for Mamba.
        rewind: Whether the cache can be shortened with its ``crop``, as after rejected drafts.

    Raises:
        InputError: If the model lacks the cache argument or a vocabulary size, or ``masked`` is unknown.
    """
    if masked not in ("seen", "call"):
        raise InputError(f"masked must be 'seen' or 'call', got {masked!r:.60}")
    if not isinstance(model, nn.Module):
        raise InputError(f"the model must be a torch module, got a {type(model).__name__}")
    parameters = inspect.signature(model.forward).parameters
    if cache not in parameters and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        raise InputError(
            f"{type(model).__name__}.forward must have the argument {cache}; cache= sets its name"
        )
    return CausalModel(model, inputs or _tokens(model), cache, new_cache, masked, rewind)


def _tokens(model: nn.Module) -> Inputs:
    size = getattr(getattr(model, "config", None), "vocab_size", None)
    if type(size) is not int:
        raise InputError(
            f"{type(model).__name__} must have config.vocab_size; pass inputs=Tokens(...) with its"
            " vocabulary size"
        )
    return Tokens(size)
