"""A model with its declared properties, and the dtypes in which it runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch

from ratproof.laws.models.copies import fresh, in_float64, parameters, perturbed
from ratproof.laws.models.gradient import gradients, has_gradients
from ratproof.laws.models.inputs import Inputs, Vectors
from ratproof.laws.models.model import CAPABILITIES, StatefulModel
from ratproof.laws.models.precision import FORMATS, OperatorRounding
from ratproof.laws.models.problem import StatefulProblem
from ratproof.laws.models.session import Perturbation, Session, Unusable


@dataclass(frozen=True)
class Declared:
    """A model and its declared properties.

    Attributes:
        name: Name of the claim.
        model: The model that is called.
        inputs: Kind of its inputs.
        without: Names of :data:`~ratproof.laws.models.model.CAPABILITIES` that it does not support.
        precision: The lowest internal precision, a name of
            :data:`~ratproof.laws.models.precision.FORMATS`; ``None`` to infer it from the operators.
        longest: Maximum number of tokens; ``None`` without a limit.
        device: The device on which it runs.
    """

    name: str
    model: StatefulModel
    inputs: Inputs
    without: frozenset[str] = frozenset()
    precision: str | None = None
    longest: int | None = None
    device: str = "cpu"

    def says(self, formats: dict[str, ModelFormat]) -> str:
        """Return a one-line description of the model and its dtypes."""
        unsupported = [words for name, words in CAPABILITIES.items() if name in self.without]
        lacking = f"; not tested: {', '.join(unsupported)}" if unsupported else ""
        return f"{self.model.name()} on {self.inputs.says()}, in {' and '.join(formats)}{lacking}"

    def formats(self) -> dict[str, ModelFormat]:
        """Return the dtypes in which the model runs, keyed by name.

        These are the model's own dtype and, if the model or a copy of it can run in float64, also float64.
        """
        dtype = self._own_format()
        own = ModelFormat(self, self.model, dtype, dtype)
        formats = {own.name: own}
        wide = None
        if dtype != torch.float64 and not self.precision:
            if parameters(self.model):
                wide = in_float64(self.model)
            elif self.model.module is None and isinstance(self.inputs, Vectors):
                wide = self.model  # a function computes in the dtype of its inputs, or raises an exception
        if wide is not None:
            other = ModelFormat(self, wide, torch.float64, dtype)
            if self._runs(other):
                formats[other.name] = other
        return formats

    def _runs(self, format_: ModelFormat) -> bool:
        """Return whether the model runs in a dtype; some models or states only support their own dtype."""
        problem = StatefulProblem(2, 1, (1, 1), format_.name, 0)
        try:
            session = format_.session(problem)
            session.run(session.tokens())
            if "pieces" not in self.without:
                session = format_.session(problem)
                session.read(session.tokens(), problem.pieces)
            if "gradient" not in self.without:
                gradients(format_.session(problem), problem.pieces)
        except (Unusable, RuntimeError):
            return False
        return True

    def differentiable(self) -> bool:
        """Return whether gradients can be computed through the outputs and states of two calls."""
        if not isinstance(self.inputs, Vectors) and not any(p.requires_grad for p in parameters(self.model)):
            return False
        dtype = self._own_format()
        own = ModelFormat(self, self.model, dtype, dtype)
        problem = StatefulProblem(2, 1, (1, 1), own.name, 0)
        with in_evaluation_mode(self.model), torch.random.fork_rng(devices=[]):
            return has_gradients(own.session(problem))

    def _own_format(self) -> torch.dtype:
        """Return the most common dtype among all elements of the parameters."""
        numbers: Counter[torch.dtype] = Counter()
        for parameter in parameters(self.model):
            if parameter.is_floating_point() or parameter.is_complex():
                numbers[parameter.dtype.to_real()] += parameter.numel()
        return numbers.most_common(1)[0][0] if numbers else torch.float32


@dataclass(frozen=True)
class ModelFormat:
    """A model in a given dtype.

    Attributes:
        declared: The declared model.
        model: The model, or a copy of it in this dtype.
        dtype: Dtype of parameters, and of floating-point inputs.
        original: Dtype of the declared model, which is not ``dtype`` if the model is a copy in float64.
    """

    declared: Declared
    model: StatefulModel
    dtype: torch.dtype
    original: torch.dtype

    @property
    def name(self) -> str:
        """Return the dtype's name."""
        return str(self.dtype).removeprefix("torch.")

    @property
    def unit(self) -> float:
        """Return the unit in the last place of values from 1 to 2.

        It is the unit of the dtype, or of a lower declared precision.
        """
        own = torch.finfo(self.dtype).eps
        precision = self.declared.precision
        return max(own, torch.finfo(FORMATS[precision]).eps) if precision else own

    @property
    def wide(self) -> bool:
        """Return whether the dtype is float64 and no lower precision is declared."""
        return self.unit == torch.finfo(torch.float64).eps

    def session(self, problem: StatefulProblem) -> Session:
        """Return a session of a fresh model for a problem."""
        return Session(fresh(self.model), self.declared.inputs, problem, self.dtype, self.declared.device)

    @contextmanager
    def perturbed(self, problem: StatefulProblem, seed: int, operators: bool) -> Iterator[Session]:
        """Yield a session with perturbed values, for use within the context.

        Inputs, parameters and, if ``operators``, results that operators round are changed by one unit in the
        last place.
        """
        rounds = operators and not self.declared.precision
        mode = OperatorRounding(self.dtype, seed, own_too=True) if rounds else None
        with perturbed(self.model, self.unit, seed) as model:
            yield self._perturbed(model, problem, Perturbation(self.unit, seed, mode))

    def with_narrow_rounding(self, problem: StatefulProblem, seed: int) -> Session:
        """Return a session that perturbs only results that operators round to a narrower dtype."""
        moves = Perturbation(0.0, seed, OperatorRounding(self.dtype, seed))
        return self._perturbed(fresh(self.model), problem, moves)

    def with_original_rounding(self, problem: StatefulProblem, seed: int) -> Session:
        """Return a session that perturbs only results of a copy that are still in the original dtype.

        Results in a dtype between that of the copy and the original are also perturbed. An example is a state
        in a buffer of the default dtype. Such rounding is no fault of the model.
        """
        operators = OperatorRounding(self.dtype, seed, narrowest=self.original)
        return self._perturbed(fresh(self.model), problem, Perturbation(0.0, seed, operators))

    def _perturbed(self, model: StatefulModel, problem: StatefulProblem, moves: Perturbation) -> Session:
        declared = self.declared
        return Session(model, declared.inputs, problem, self.dtype, declared.device, moves)


@contextmanager
def in_evaluation_mode(model: StatefulModel) -> Iterator[None]:
    """Run the body with the model in evaluation mode, and restore the mode of each submodule afterwards."""
    modules = [] if model.module is None else list(model.module.modules())
    before = [module.training for module in modules]
    try:
        if model.module is not None:
            model.module.eval()
        yield
    finally:
        for module, training in zip(modules, before, strict=True):
            module.training = training
