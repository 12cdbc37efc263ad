"""A model as its author declares it, and the formats that it runs in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import torch

from ratproof.stateful.copies import fresh, in_float64, parameters, perturbed
from ratproof.stateful.inputs import Inputs, Vectors
from ratproof.stateful.model import LACKS, StatefulModel
from ratproof.stateful.precision import FORMATS, formats_in, unit_of
from ratproof.stateful.problem import StatefulProblem
from ratproof.stateful.session import Session, Unusable

REFUTES, REFUTES_IN_FLOAT64 = 1e-3, 1e-6
"""What share of the results' size refutes, where it is no rounding."""
PROBED = 18
"""Tokens of a prompt and a step, in which the formats inside are looked for."""


@dataclass(frozen=True)
class Declared:
    """A model, and what is said of it.

    Attributes:
        name: of the claim.
        model: what is called.
        inputs: what it reads.
        without: what it does not take, names of :data:`~ratproof.stateful.model.LACKS`.
        precision: the lowest precision inside, where operators do not show it; a name of
            :data:`~ratproof.stateful.precision.FORMATS`, or ``None``.
        longest: tokens that it reads at most; ``None`` for any number.
        device: where it runs.
    """

    name: str
    model: StatefulModel
    inputs: Inputs
    without: frozenset[str] = frozenset()
    precision: str | None = None
    longest: int | None = None
    device: str = "cpu"

    def says(self, formats: dict[str, Format]) -> str:
        """What is run, on one line."""
        lacks = [words for name, words in LACKS.items() if name in self.without]
        lacking = f"; it does without {', '.join(lacks)}" if lacks else ""
        return f"{self.model.name()} on {self.inputs.says()}, in {' and '.join(formats)}{lacking}"

    def formats(self) -> dict[str, Format]:
        """The formats that it runs in, by name: its own, and float64 where a copy of it can, or a function
        of vectors.
        """
        floats = [p.dtype for p in parameters(self.model) if p.is_floating_point()]
        own = self._format(self.model, floats[0] if floats else torch.float32)
        formats = {own.name: own}
        wide = None
        if own.dtype != torch.float64 and not self.precision:
            if floats:
                wide = in_float64(self.model)
            elif self.model.module is None and isinstance(self.inputs, Vectors):
                wide = self.model  # a function computes in the format of its inputs, or raises
        if wide is not None:
            with suppress(Unusable):  # it can run in its own format alone
                self._formats_inside(wide, "float64", torch.float64, (2,))
                formats["float64"] = self._format(wide, torch.float64)
        return formats

    def _format(self, model: StatefulModel, dtype: torch.dtype) -> Format:
        name = str(dtype).removeprefix("torch.")
        seen = {dtype} | ({FORMATS[self.precision]} if self.precision else set())
        with suppress(Unusable):  # the cases of a law say so
            seen |= self._formats_inside(model, name, dtype, (2,))
        if "pieces" not in self.without and (self.longest is None or self.longest >= PROBED):
            with suppress(Unusable):  # the law about pieces says so, of fewer tokens
                seen |= self._formats_inside(model, name, dtype, (PROBED - 1, 1))
        return Format(self, name, model, dtype, unit_of(seen), seen == {torch.float64})

    def _formats_inside(
        self, model: StatefulModel, name: str, dtype: torch.dtype, pieces: tuple[int, ...]
    ) -> set[torch.dtype]:
        """The formats of floats that operators make in calls of so many tokens."""
        problem = StatefulProblem(time=sum(pieces), batch=1, pieces=pieces, format=name, seed=0)
        session = Session(fresh(model), self.inputs, problem, dtype, self.device)
        return formats_in(lambda: session.read(session.tokens(), pieces))


@dataclass(frozen=True)
class Format:
    """A model in a format.

    Attributes:
        declared: the model as it is declared.
        name: of the format of parameters and inputs.
        model: the model, or a copy of it in this format.
        dtype: of inputs that are floats.
        unit: in the last place, of numbers from 1 to 2, in the lowest precision inside.
        wide: is all in float64?
    """

    declared: Declared
    name: str
    model: StatefulModel
    dtype: torch.dtype
    unit: float
    wide: bool

    @property
    def refutes(self) -> float:
        """From which share of the results' size on a difference that is no rounding refutes."""
        return REFUTES_IN_FLOAT64 if self.wide else REFUTES

    def session(self, problem: StatefulProblem) -> Session:
        """A fresh model that is asked about a problem."""
        return Session(fresh(self.model), self.declared.inputs, problem, self.dtype, self.declared.device)

    def perturbed(self, problem: StatefulProblem, seed: int) -> Session:
        """The same with inputs and parameters that are others by one unit in the last place."""
        model = perturbed(self.model, self.unit, seed)
        inputs, device = self.declared.inputs, self.declared.device
        return Session(model, inputs, problem, self.dtype, device, (self.unit, seed))


@contextmanager
def in_evaluation_mode(model: StatefulModel) -> Iterator[None]:
    """What runs inside finds the model in evaluation mode; afterwards each part is in the mode that it was
    in.
    """
    modules = [] if model.module is None else list(model.module.modules())
    before = [module.training for module in modules]
    try:
        if model.module is not None:
            model.module.eval()
        yield
    finally:
        for module, training in zip(modules, before, strict=True):
            module.training = training
