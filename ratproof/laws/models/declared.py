"""A model as its author declares it, and the formats that it runs in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import torch

from ratproof.laws.models.copies import fresh, in_float64, parameters, perturbed
from ratproof.laws.models.inputs import Inputs, Vectors
from ratproof.laws.models.model import CAPABILITIES, StatefulModel
from ratproof.laws.models.precision import FORMATS, NarrowRounding
from ratproof.laws.models.problem import StatefulProblem
from ratproof.laws.models.session import Perturbation, Session, Unusable


@dataclass(frozen=True)
class Declared:
    """A model, and what is said of it.

    Attributes:
        name: of the claim.
        model: what is called.
        inputs: what it reads.
        without: what it does not take, names of :data:`~ratproof.laws.models.model.CAPABILITIES`.
        precision: the lowest precision inside, whatever the operators show; a name of
            :data:`~ratproof.laws.models.precision.FORMATS`, or ``None`` to go by the operators.
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

    def says(self, formats: dict[str, ModelFormat]) -> str:
        """What is run, on one line."""
        lacks = [words for name, words in CAPABILITIES.items() if name in self.without]
        lacking = f"; it does without {', '.join(lacks)}" if lacks else ""
        return f"{self.model.name()} on {self.inputs.says()}, in {' and '.join(formats)}{lacking}"

    def formats(self) -> dict[str, ModelFormat]:
        """Return the formats that it runs in, by name: its own, and float64 if a copy of it, or a function of
        vectors, runs in that.
        """
        dtype = self._own_format()
        own = ModelFormat(self, self.model, dtype)
        formats = {own.name: own}
        wide = None
        if dtype != torch.float64 and not self.precision:
            if parameters(self.model):
                wide = in_float64(self.model)
            elif self.model.module is None and isinstance(self.inputs, Vectors):
                wide = self.model  # a function computes in the format of its inputs, or raises
        if wide is not None:
            other = ModelFormat(self, wide, torch.float64)
            with suppress(Unusable):  # it may run in its own format alone
                session = other.session(StatefulProblem(2, 1, (2,), other.name, 0))
                session.run(session.tokens())
                formats[other.name] = other
        return formats

    def _own_format(self) -> torch.dtype:
        """Return the format of most numbers among the parameters."""
        numbers: Counter[torch.dtype] = Counter()
        for parameter in parameters(self.model):
            if parameter.is_floating_point():
                numbers[parameter.dtype] += parameter.numel()
        return numbers.most_common(1)[0][0] if numbers else torch.float32


@dataclass(frozen=True)
class ModelFormat:
    """A model in a format.

    Attributes:
        declared: the model as it is declared.
        model: the model, or a copy of it in this format.
        dtype: of parameters, and of inputs that are floats.
    """

    declared: Declared
    model: StatefulModel
    dtype: torch.dtype

    @property
    def name(self) -> str:
        """The format's name."""
        return str(self.dtype).removeprefix("torch.")

    @property
    def unit(self) -> float:
        """The unit in the last place, of numbers from 1 to 2, of the format or of a lower declared one."""
        own = torch.finfo(self.dtype).eps
        precision = self.declared.precision
        return max(own, torch.finfo(FORMATS[precision]).eps) if precision else own

    @property
    def wide(self) -> bool:
        """Whether it is float64, and no lower precision is declared."""
        return self.unit == torch.finfo(torch.float64).eps

    def session(self, problem: StatefulProblem) -> Session:
        """Return a fresh model that is asked about a problem."""
        return Session(fresh(self.model), self.declared.inputs, problem, self.dtype, self.declared.device)

    def perturbed(self, problem: StatefulProblem, seed: int) -> Session:
        """Return the same with rounding that is another: inputs and parameters are moved by one unit in the
        last place, and so are results that operators round to a narrower format.
        """
        operators = None if self.declared.precision else NarrowRounding(self.dtype, seed)
        model = perturbed(self.model, self.unit, seed)
        return self._perturbed(model, problem, Perturbation(self.unit, seed, operators))

    def with_narrow_rounding(self, problem: StatefulProblem, seed: int) -> Session:
        """Return the same in which nothing is moved but results that operators round to a narrower format."""
        moves = Perturbation(0.0, seed, NarrowRounding(self.dtype, seed))
        return self._perturbed(fresh(self.model), problem, moves)

    def _perturbed(self, model: StatefulModel, problem: StatefulProblem, moves: Perturbation) -> Session:
        declared = self.declared
        return Session(model, declared.inputs, problem, self.dtype, declared.device, moves)


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
