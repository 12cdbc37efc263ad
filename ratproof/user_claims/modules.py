"""Claims of your own about a torch module: its states, in floats, against the automaton that you believe it
to be.

>>> import torch
>>> from neural.rrnn_b import RRNNB
>>> claim = believe_module("my-layer", module=RRNNB(2, 3), embeddings=torch.eye(2), alphabet="ab")
>>> claim.variants[0].kinds
('sampled',)
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor, nn

from automata.errors import InputError
from automata.rounding import Deviation, Format, bounded, prefix_bounds, share
from automata.strings import String
from automata.wfsa import WFSA
from neural.layer import Recurrent
from neural.rounding import format_of
from ratproof.record.ledger import TOO_SHORT, ledger
from ratproof.sides.comparison import Compared, Difference, NotAFunction, no_case, no_difference, shortest_of
from ratproof.user_claims.steps import BELIEVED, Given, check_automata, claim_of
from theory.claim import Claim, Recurrence, Variant

NO_RECURRENCE = Recurrence(
    start=lambda case: None, step=lambda case, state, x: None, out=lambda case, state: ()
)


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
    """The claim that each unit of a module, after every nonempty prefix of every string, is within rounding
    of an automaton's score.

    A module shows floats for the strings that it is run on, so the evidence is ``sampled``; for all strings,
    write the recurrence as a step over exact numbers (:func:`ratproof.user_claims.steps.believe`).

    Args:
        name: of the claim, in small letters, digits and hyphens.
        module: called as torch's recurrent layers are: inputs of shape ``(T, 1, input_size)`` give outputs of
            shape ``(T, 1, units)``, alone or first in a tuple. Of a layer of :mod:`neural` the scores are
            compared, before any output gate.
        embeddings: the input for each symbol, shape ``(symbols, input_size)``, in the alphabet's order.
        alphabet: the symbols.
        automaton: one, or one a unit; a layer of :mod:`neural` reads itself off as its own without it.
        slack: by how much the weights that the module computes with may differ from the automaton's, where
            those are not 0 or 1. It is 0 where the automaton has the module's own floats. The roundings of
            the recurrence come on top, and are derived.
        says: the claim in a sentence.

    Raises:
        InputError: automata, embeddings and alphabet do not fit together, or the slack is no number.
    """
    if not 0 <= slack < math.inf:
        raise InputError(f"{name}: the slack is {slack}, where a finite number that is not negative is right")
    if automaton is None:
        if not isinstance(module, Recurrent):
            raise InputError(
                f"{name}: {type(module).__name__} does not read itself off as automata: give the automaton"
            )
        automaton = module.to_automata(embeddings, alphabet)
    automata = check_automata(name, automaton)
    if list(automata[0].alphabet) != list(alphabet):
        raise InputError(
            f"{name}: the automata read {list(automata[0].alphabet)}, where the alphabet is {list(alphabet)}"
        )
    if len(embeddings) != len(alphabet):
        raise InputError(f"{name}: there are {len(embeddings)} embeddings for {len(alphabet)} symbols")
    deviations = [_apart(a, slack) for a in automata]
    if isinstance(module, Recurrent) and slack == 0:
        own = module.deviations(embeddings)
        # those of its own weights are no others' where an automaton of another shape is given
        deviations = own if list(map(_shapes, own)) == list(map(_shapes, deviations)) else deviations
    given = Given(automata)

    def compared(claim: str, variant: str) -> OfModule:
        return OfModule(claim, variant, module, embeddings, automata, deviations, slack)

    variant = Variant(
        name=BELIEVED,
        expected="holds",
        says=says,
        recurrence=NO_RECURRENCE,
        construction=lambda case: case.automata,
        cases=lambda alphabet: st.just(given),
        small_cases=lambda letters: iter(()),
        kinds=("sampled",),
        network=compared,
        alphabet=given.alphabet,
    )
    return claim_of(name, says, given, variant)


def _apart(automaton: WFSA, slack: float) -> Deviation:
    """That much for every weight that is neither 0 nor 1."""
    one, zero = automaton.semiring.one, automaton.semiring.zero
    parts = (automaton.matrices, automaton.initial, automaton.final)
    return Deviation(
        *(np.where((part == one) | (part == zero), 0.0, slack).astype(np.float64) for part in parts)
    )


def _shapes(deviation: Deviation) -> tuple[int, ...]:
    return deviation.matrices.shape


class OfModule:
    """A module's outputs against the scores of automata, within the derived bound: in evaluation mode, one
    string a batch.
    """

    way = "module"

    def __init__(
        self,
        claim: str,
        variant: str,
        module: nn.Module,
        embeddings: Tensor,
        automata: Sequence[WFSA],
        deviations: Sequence[Deviation],
        slack: float = 0.0,
    ) -> None:
        self.claim, self.variant, self.module, self.embeddings = claim, variant, module, embeddings
        self._automata, self.deviations, self.slack = automata, deviations, slack
        self.place = {symbol: i for i, symbol in enumerate(automata[0].alphabet)}

    def automata(self) -> Sequence[WFSA]:
        """Those that the module is believed to be."""
        return self._automata

    def weights(self) -> str:
        """What there is to say of it."""
        return f"the module {type(self.module).__name__} is given"

    def compare(self, strings: Sequence[String]) -> Iterator[Compared]:
        """Every nonempty prefix of every string; a module says nothing of the empty one, which counts as no
        case.
        """
        shortest = max(1, shortest_of(self.claim, self.variant))
        ledger().facts["module"] = self.ran
        for string in strings:
            yield self._compare(string, shortest)

    @property
    def ran(self) -> str:
        """What was run, and how."""
        room = f", with a slack of {self.slack:g} for its weights" if self.slack else ""
        return (
            f"{type(self.module).__name__} in evaluation mode, one string a batch, within the rounding of"
            f" {self._format.name}{room}"
        )

    def _compare(self, string: String, shortest: int) -> Compared:
        if len(string) < shortest:
            return no_case(string, TOO_SHORT)
        states = self.states(string)
        sides = [
            prefix_bounds(automaton, string, self._format, apart)
            for automaton, apart in zip(self._automata, self.deviations, strict=True)
        ]
        worst = 0.0
        for t in range(shortest, len(string) + 1):
            for unit, (scores, bounds) in enumerate(sides):
                used = share(states[t - 1 : t, unit], scores[t : t + 1], bounds[t : t + 1])
                if used > 1:
                    network, score = repr(float(states[t - 1, unit])), repr(float(scores[t]))
                    return Compared(string, worst, Difference(t, unit, network, score, f"{bounds[t]:.2g}"))
                worst = max(worst, used)
        return no_difference(
            string, worst, np.stack([bounded(bounds) for _, bounds in sides], axis=1)[shortest:]
        )

    def confirm(self, compared: Compared) -> None:
        """Raise :class:`~ratproof.sides.comparison.NotAFunction` where a difference that was found is another
        one when the string is run again.
        """
        found = compared.difference
        if found is None:
            return
        string = compared.string[: found.length]
        again = repr(float(self.states(compared.string)[found.length - 1, found.unit]))
        if again != found.network:
            raise NotAFunction(string, found.network, again, "the module is not a function of its inputs")

    @property
    def _format(self) -> Format:
        return format_of(self._dtype)

    @property
    def _dtype(self) -> torch.dtype:
        known = next(self.module.parameters(), self.embeddings)
        return known.dtype if known.is_floating_point() else torch.float32

    @torch.no_grad()
    def states(self, string: String) -> NDArray[np.float64]:
        """c_1, ..., c_T as the module computes them, shape ``(T, units)``."""
        inputs = self.embeddings[[self.place[x] for x in string]].unsqueeze(1)
        training = {part: part.training for part in self.module.modules()}
        self.module.eval()
        try:
            found = self.module.scores(inputs) if isinstance(self.module, Recurrent) else self.module(inputs)
        finally:
            for part, was in training.items():
                part.training = was
        outputs = found[0] if isinstance(found, tuple) else found
        right = (len(string), 1, len(self._automata))
        if not isinstance(outputs, Tensor) or tuple(outputs.shape) != right:
            shape = tuple(outputs.shape) if isinstance(outputs, Tensor) else type(outputs).__name__
            raise InputError(
                f"the module gives {shape}, where outputs of shape (T, 1, units) = {right} are right"
            )
        if not outputs.is_floating_point():
            raise InputError(
                f"the module gives {str(outputs.dtype).removeprefix('torch.')}, where floating-point numbers"
                " are right"
            )
        return np.asarray(outputs[:, 0].double().cpu().numpy())

    def to_json(self) -> dict[str, Any]:
        """The way: the module is in the file that brought the claim."""
        return {"way": self.way}
