"""Comparison of the strings that a torch module accepts with those that a DFA accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np
import torch
from torch import Tensor, nn

from automata.dfa import DFA
from automata.errors import InputError
from automata.strings import String
from automata.testing.distinguishing_strings import TestStrings, dfa_strings
from automata.testing.pumped_strings import pumped_strings
from automata.wfsa import WFSA
from ratproof.evidence.ledger import TOO_SHORT, ledger
from ratproof.implementations.comparison import Difference, NotAFunction, StringResult, no_case
from ratproof.implementations.module_runs import ModuleRun, embedded, outputs_of

Accepts = Callable[[Tensor], object]
"""A function that returns whether a string is accepted, from the module's last output, shape ``(units,)``."""
MOST_IN_A_BATCH = 1024


class DecisionComparison(ModuleRun):
    """A comparison of a module's decisions with those of a DFA.

    A decision depends on the module's output after the last symbol. The module reads each string as a whole,
    so it need not be causal.
    """

    way = "decision"
    subject = "the decisions of a module"

    def __init__(
        self,
        claim: str,
        variant: str,
        module: nn.Module,
        embeddings: Tensor,
        dfa: DFA,
        accepts: Accepts,
        batch_first: bool = False,
    ) -> None:
        self.claim, self.variant, self.module, self.embeddings = claim, variant, module, embeddings
        self.dfa, self.accepts, self.batch_first = dfa, accepts, batch_first
        self.index = {symbol: i for i, symbol in enumerate(dfa.alphabet)}

    def automata(self) -> Sequence[WFSA]:
        """Return the DFA as an automaton over the boolean semiring."""
        return (self.dfa.to_wfsa(),)

    def compare(self, strings: Sequence[String]) -> Iterator[StringResult]:
        """Compare the decisions on each nonempty string.

        The empty string does not count as a case, because a module has no output for it. Consecutive strings
        of the same length are read in one batch.
        """
        ledger().facts["module"] = (
            f"{type(self.module).__name__} in evaluation mode, on whole strings, in batches of up to"
            f" {MOST_IN_A_BATCH:,} strings of the same length"
        )
        decided: set[bool] = set()
        facts = ledger().facts
        facts.setdefault("accepted", 0)
        for length, group in groupby(strings, key=len):
            alike = list(group)
            if length == 0:
                yield from (no_case(string, TOO_SHORT) for string in alike)
                continue
            for start in range(0, len(alike), MOST_IN_A_BATCH):
                batch = alike[start : start + MOST_IN_A_BATCH]
                for string, accepted in zip(batch, self.decisions(batch), strict=True):
                    right = self.dfa.accepts(string)
                    decided.add(right)
                    facts["accepted"] += right
                    yield replace(_result(string, accepted, right), varies=len(decided) > 1)

    def decisions(self, strings: Sequence[String]) -> list[bool | None]:
        """Return whether the module accepts each of several strings of the same length, in one batch.

        An entry is ``None`` if the module's output contains NaN.
        """
        inputs = embedded(self.embeddings, self.index, strings)
        outputs = outputs_of(self.module, inputs, batch_first=self.batch_first, last=True)
        with torch.no_grad():
            return [None if last.isnan().any() else _decision(self.accepts(last)) for last in outputs[-1]]

    def confirm(self, compared: StringResult) -> None:
        """Raise NotAFunction if the module decides differently when it reads only this string."""
        if compared.difference is not None:
            (alone,) = self.decisions([compared.string])
            if _word(alone) != compared.difference.network:
                what = "the module decides differently on a string alone than in a batch"
                raise NotAFunction(compared.string, compared.difference.network, _word(alone), what)

    def test_strings(self) -> TestStrings:
        """Return strings that distinguish the DFA from other DFAs of bounded size."""
        return dfa_strings(self.dfa)

    def pumped_strings(self) -> Sequence[String]:
        """Return long strings with repeated words, on which errors of trained networks accumulate."""
        return pumped_strings(self.dfa)

    def constant(self) -> str:
        """Return a message if the DFA accepts all or no nonempty strings, otherwise an empty string."""
        kinds = {self.dfa.accepts(string) for string in self.test_strings().strings if string}
        which = "every" if True in kinds else "no"
        return f"the automaton accepts {which} nonempty string" if len(kinds) == 1 else ""


def _result(string: String, accepted: bool | None, right: bool) -> StringResult:
    if accepted == right:
        return StringResult(string, None, None)
    return StringResult(string, None, Difference(len(string), 0, _word(accepted), _word(right), "0"))


def _decision(answer: object) -> bool:
    """Convert the result of ``accepts`` to a bool.

    Raises:
        InputError: If the result is not a single truth value.
    """
    value = answer.item() if isinstance(answer, Tensor) and answer.numel() == 1 else answer
    if not isinstance(value, (bool, np.bool_)):
        shown = tuple(answer.shape) if isinstance(answer, Tensor) else type(answer).__name__
        raise InputError(f"accepts must return a single truth value for the output of a string, got {shown}")
    return bool(value)


def _word(accepted: bool | None) -> str:
    return "nan" if accepted is None else "true" if accepted else "false"
