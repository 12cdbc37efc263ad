"""Claims of your own about a torch module: its states, in floats, against the automaton that you believe it to be.

>>> import torch
>>> from neural.rrnn_b import RRNNB
>>> claim = believe_module("my-layer", module=RRNNB(2, 3), embeddings=torch.eye(2), alphabet="ab")
>>> claim.variants[0].kinds
('sampled',)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor, nn

from automata.errors import InputError
from automata.rounding import Deviation, prefix_bounds, share
from automata.strings import String
from automata.wfsa import WFSA
from neural.layer import Recurrent
from neural.rounding import format_of
from ratproof.believe import BELIEVED, Given, check_automata, claim_of
from ratproof.comparisons import Compared, Difference
from theory.claim import Claim, Recurrence, Variant

NO_RECURRENCE = Recurrence(start=lambda case: None, step=lambda case, state, x: None, out=lambda case, state: ())


def believe_module(
    name: str,
    *,
    module: nn.Module,
    embeddings: Tensor,
    alphabet: Sequence[str],
    automaton: WFSA | Sequence[WFSA] | None = None,
    slack: float = 0.0,
    says: str = "the module is the automaton",
) -> Claim:
    """The claim that each unit of a module, after every nonempty prefix of every string, is within rounding of an automaton's score.

    A module shows floats for the strings that it is run on, so the evidence is ``sampled``; for all strings, write the recurrence as
    a step over exact numbers (:func:`ratproof.believe.believe`).

    Args:
        name: of the claim, in small letters, digits and hyphens.
        module: called as torch's recurrent layers are: inputs of shape ``(T, 1, input_size)`` give outputs of shape
            ``(T, 1, units)``, alone or first in a tuple. Of a layer of :mod:`neural` the scores are compared, before any output gate.
        embeddings: the input for each symbol, shape ``(symbols, input_size)``, in the alphabet's order.
        alphabet: the symbols.
        automaton: one, or one a unit; a layer of :mod:`neural` reads itself off as its own without it.
        slack: by how much the weights that the module computes with may differ from the automaton's, where those are not 0 or 1. It
            is 0 where the automaton has the module's own floats. The roundings of the recurrence come on top, and are derived.
        says: the claim in a sentence.
    """
    ours = isinstance(module, Recurrent)
    if automaton is None:
        if not isinstance(module, Recurrent):
            raise InputError(f"{name}: {type(module).__name__} does not read itself off as automata: give the automaton")
        automaton = module.to_automata(embeddings, alphabet)
    automata = check_automata(name, automaton)
    if list(automata[0].alphabet) != list(alphabet):
        raise InputError(f"{name}: the automata read {list(automata[0].alphabet)}, where the alphabet is {list(alphabet)}")
    if len(embeddings) != len(alphabet):
        raise InputError(f"{name}: there are {len(embeddings)} embeddings for {len(alphabet)} symbols")
    deviations = module.deviations(embeddings) if ours and slack == 0 else [_apart(a, slack) for a in automata]  # type: ignore[operator]
    given = Given(automata)

    def compared(claim: str, variant: str) -> OfModule:
        return OfModule(claim, variant, module, embeddings, automata, deviations)

    variant = Variant(
        name=BELIEVED, expected="holds", says=says, recurrence=NO_RECURRENCE, construction=lambda case: case.automata,
        cases=lambda alphabet: st.just(given), small_cases=lambda letters: iter(()), kinds=("sampled",), network=compared,
        alphabet=given.alphabet,
    )  # fmt: skip
    return claim_of(name, says, given, variant)


def _apart(automaton: WFSA, slack: float) -> Deviation:
    """That much for every weight that is neither 0 nor 1."""
    one, zero = automaton.semiring.one, automaton.semiring.zero
    parts = (automaton.matrices, automaton.initial, automaton.final)
    return Deviation(*(np.where((part == one) | (part == zero), 0.0, slack).astype(np.float64) for part in parts))


class OfModule:
    """A module's outputs against the scores of automata, within the derived bound."""

    way = "module"

    def __init__(
        self,
        claim: str,
        variant: str,
        module: nn.Module,
        embeddings: Tensor,
        automata: Sequence[WFSA],
        deviations: Sequence[Deviation],
    ) -> None:
        self.claim, self.variant, self.module, self.embeddings = claim, variant, module, embeddings
        self._automata, self.deviations = automata, deviations
        self.place = {symbol: i for i, symbol in enumerate(automata[0].alphabet)}

    def automata(self) -> Sequence[WFSA]:
        """Those that the module is believed to be."""
        return self._automata

    def weights(self) -> str:
        """What there is to say of it."""
        return f"the module {type(self.module).__name__} is given"

    def compare(self, strings: Sequence[String]) -> Iterator[Compared]:
        """Every nonempty prefix of every string; a module says nothing of the empty one, which counts as no case."""
        for string in strings:
            yield self._compare(string) if len(string) else Compared(string, None, None, cases=0)

    def _compare(self, string: String) -> Compared:
        states, worst = self.states(string), 0.0
        for unit, (automaton, apart) in enumerate(zip(self._automata, self.deviations, strict=True)):
            scores, bounds = prefix_bounds(automaton, string, format_of(self._dtype), apart)
            for t in range(1, len(string) + 1):
                used = share(states[t - 1 : t, unit], scores[t : t + 1], bounds[t : t + 1])
                if used > 1:
                    network, score = repr(float(states[t - 1, unit])), repr(float(scores[t]))
                    return Compared(string, worst, Difference(t, unit, network, score, f"{bounds[t]:.2g}"))
                worst = max(worst, used)
        return Compared(string, worst, None)

    @property
    def _dtype(self) -> torch.dtype:
        known = next(self.module.parameters(), self.embeddings)
        return known.dtype if known.is_floating_point() else torch.float32

    @torch.no_grad()
    def states(self, string: String) -> NDArray[np.float64]:
        """C_1, ..., c_T as the module computes them, shape ``(T, units)``."""
        inputs = self.embeddings[[self.place[x] for x in string]].unsqueeze(1)
        training = self.module.training
        self.module.eval()
        found = self.module.scores(inputs) if isinstance(self.module, Recurrent) else self.module(inputs)
        self.module.train(training)
        outputs = found[0] if isinstance(found, tuple) else found
        right = (len(string), 1, len(self._automata))
        if not isinstance(outputs, Tensor) or tuple(outputs.shape) != right:
            shape = tuple(outputs.shape) if isinstance(outputs, Tensor) else type(outputs).__name__
            raise InputError(f"the module gives {shape}, where outputs of shape (T, 1, units) = {right} are right")
        return np.asarray(outputs[:, 0].double().cpu().numpy())

    def to_json(self) -> dict[str, Any]:
        """The way: the module is in the file that brought the claim."""
        return {"way": self.way}
