"""The soft aggregation layer of Jiang et al. 2020 (section 3.5 and Table 2).

For each label, it evaluates a propositional formula over the rules' matches. It consists of two layers with
ReLU-like activations.

>>> import torch
>>> from automata.rules.logic import parse
>>> layer = SoftLogic({"spam": parse("(free | win) & !question")}, ("free", "win", "question"))
>>> layer(torch.tensor([[3.0, 0.0, 0.0], [1.0, 1.0, 2.0], [0.0, 0.0, 0.0]])).tolist()
[[1.0], [0.0], [0.0]]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from automata.errors import InputError
from automata.rules.logic import Formula
from automata.text.number_text import shorten


class SoftLogic(nn.Module):
    """A module that computes, for each label, the soft value of a formula in conjunctive normal form.

    A clause is min(1, sum), where a negated literal contributes 1 - a. The conjunction of n clauses is max(0,
    sum - (n - 1)). On zeros and ones, the values are exactly those of propositional logic. Scores count
    paths, so they are first clamped to the interval from 0 to 1. Without the clamp, ``!A`` would be -1 if A
    matches twice.

    Args:
        formulas: a formula for each label.
        names: the names in the formulas, in the order of the scores.
        device: as in torch.
        dtype: as in torch.

    Attributes:
        literals: 1 for a name in a clause, -1 for a negated name, otherwise 0, shape ``(clauses, names)``.
            All attributes are trainable parameters.
        negations: the number of negations in each clause, shape ``(clauses,)``.
        members: 1 for each clause of a label's formula, otherwise 0, shape ``(labels, clauses)``.
        spare: n - 1 for each label, shape ``(labels,)``.
    """

    def __init__(
        self, formulas: Mapping[str, Formula], names: Sequence[str], device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        factory_kwargs: Any = {"device": device, "dtype": dtype or torch.get_default_dtype()}
        self.labels, self.names = tuple(formulas), tuple(names)
        for label, formula in formulas.items():
            unknown = [name for name in formula.names if name not in self.names]
            if unknown:
                raise InputError(
                    f"the formula of {shorten(label)} must use the names {', '.join(self.names)}, got"
                    f" {shorten(unknown[0])}"
                )
        clauses = [
            (row, clause) for row, formula in enumerate(formulas.values()) for clause in formula.clauses
        ]
        literals, members = (
            torch.zeros(len(clauses), len(self.names), **factory_kwargs),
            torch.zeros(len(self.labels), len(clauses), **factory_kwargs),
        )
        for number, (row, clause) in enumerate(clauses):
            members[row, number] = 1
            for name, positive in clause:
                literals[number, self.names.index(name)] += 1 if positive else -1
        both = [
            {name for name, positive in clause if positive}
            & {name for name, positive in clause if not positive}
            for _, clause in clauses
        ]
        if any(both):
            raise InputError(
                "a clause must not contain a name and its negation, got both for"
                f" {shorten(min(set().union(*both)))}; omit the clause, because it is always true"
            )
        self.literals, self.negations = (
            nn.Parameter(literals),
            nn.Parameter((literals < 0).sum(dim=1).to(**factory_kwargs)),
        )
        self.members, self.spare = nn.Parameter(members), nn.Parameter(members.sum(dim=1) - 1)

    def forward(self, scores: Tensor) -> Tensor:
        """Return the soft values, shape ``(B, labels)``, of scores of shape ``(B, names)``."""
        clauses = (scores.clamp(0, 1) @ self.literals.T + self.negations).clamp(max=1)
        values: Tensor = (clauses @ self.members.T - self.spare).clamp(min=0)
        return values
