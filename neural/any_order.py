"""Tensors with an error bound that holds for every order of evaluation, and their derivatives.

Derivatives are computed by reverse accumulation. A value is a polynomial in its leaves: parameters, inputs,
and the values of sigmoids and similar functions. In every order of sums and products, and for every
factorisation of sums, each monomial is rounded at most once per operation that it passes through. The error
of a computation is therefore at most

    error + gamma_k magnitude + k tiny reach,

where ``magnitude`` is the sum of the monomials' absolute values, ``error`` is the error propagated from the
leaves in exact arithmetic, and k is the number of roundings of one monomial. ``reach`` is the sum, over the
monomials, of the products of the factors that are larger than 1. The product of the smaller factors may
underflow, with an error of at most ``tiny``, before it is multiplied by the larger factors. The bound also
holds for derivatives, because they are polynomials in the same leaves. :mod:`neural.tracked` has tighter
bounds for a fixed order.

>>> from automata.rounding.formats import FLOAT32
>>> x = ReorderingBound.leaf(torch.tensor([0.5]), FLOAT32)
>>> with evaluating(FLOAT32):
...     y = torch.sigmoid(x) * x
>>> (slope,) = derivatives([(y, torch.ones(1))], [x])
>>> sigmoid = 1 / (1 + math.exp(-0.5))
>>> bool((slope.value - sigmoid - 0.5 * sigmoid * (1 - sigmoid)).abs() <= 1e-15), bool(slope.bound() < 1e-5)
(True, True)
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, TypeVar, cast

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree

from automata.rounding.formats import FLOAT64, Format
from neural import rounding
from neural.tracked import (
    CONSTANTS,
    DATA_MOVEMENT,
    FACTORIES,
    PROPERTIES,
    BoundedTensor,
    in_order,
    operation_of,
)

_OUTWARD = 1 + 2.0**-40
# Another order of evaluation may round a monomial more often than ours if it expands products that we do not.
_TIMES, _MORE = 2, 16
PullBack = Callable[["ReorderingBound"], "ReorderingBound"]
Function = TypeVar("Function", bound=Callable[..., Any])


def _plain(function: Function) -> Function:
    """Wrap the function so that torch computes it on plain tensors, even inside :class:`evaluating`."""

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with torch._C.DisableTorchFunction():
            return function(*args, **kwargs)

    return cast(Function, run)


def _method(operation: str) -> Callable[..., Any]:
    """Return the method that applies the rule of an operation, such as ``+``, to a tensor and numbers."""

    @_plain
    def method(first: ReorderingBound, *others: Any) -> ReorderingBound:
        return RULES[operation](first, *(_number(other, first.kind) for other in others))

    return method


@dataclass(frozen=True, eq=False)
class ReorderingBound(BoundedTensor):
    """A tensor with error bounds that hold for every order of evaluation.

    Attributes:
        value: the value that float64 computes.
        magnitude: the sum of the monomials' absolute values, for leaves as large as their errors allow; 0
            for -infinity.
        error: an upper bound on the error that is propagated from the leaves.
        reach: the sum of the monomials, with every factor below 1 replaced by 1.
        kind: the dtype of the bounded computation.
        roundings: the maximum number of roundings of one monomial.
        parents: the operands, each with its pullback for derivatives.
    """

    value: Tensor
    magnitude: Tensor
    error: Tensor
    reach: Tensor
    kind: Format
    roundings: int = 0
    parents: tuple[tuple[ReorderingBound, PullBack], ...] = field(default=(), repr=False)

    @classmethod
    @_plain
    def leaf(cls, value: Tensor, kind: Format, error: Tensor | None = None) -> ReorderingBound:
        """Return a leaf whose values have errors of at most ``error``; if it is omitted, they are exact."""
        wide = value.detach().double()
        magnitude = wide.abs()
        if not _all_finite(magnitude):
            magnitude = torch.where(wide.isfinite(), magnitude, 0.0)
        off = torch.zeros_like(wide) if error is None else error
        magnitude = magnitude if error is None else magnitude + off
        return cls(wide, magnitude, off, magnitude.clamp(min=1), kind)

    @_plain
    def bound(self, more: int = 0) -> Tensor:
        """Bound the distance between ``value`` and the result of any computation in the dtype.

        The bound includes the rounding errors of ``value`` itself. It is infinite if the result or an
        intermediate value might overflow.

        Args:
            more: the number of additional roundings of each monomial.
        """
        count = _TIMES * self.roundings + _MORE + more
        gamma = self.kind.gamma(count) + FLOAT64.gamma(count)
        total = torch.add(self.error, self.magnitude, alpha=gamma)
        total = total.add_(self.reach, alpha=count * self.kind.tiny).mul_(_OUTWARD)
        if self._is_small and gamma <= 1:
            return total
        return torch.where(self.magnitude + total < self.kind.largest / 4, total, math.inf)

    @_plain
    def rounded(self, more: int = 0) -> ReorderingBound:
        """Return the computed tensor as a leaf whose error is at most :meth:`bound`."""
        return ReorderingBound.leaf(self.value, self.kind, self.bound(more))

    @_plain
    def guarded(self) -> ReorderingBound:
        """Return the same tensor with an infinite error wherever the value might overflow."""
        count = _TIMES * self.roundings + _MORE
        if self._is_small and self.kind.gamma(count) + FLOAT64.gamma(count) <= 1:
            return self
        return replace(self, error=torch.where(self.bound() < math.inf, self.error, math.inf))

    @functools.cached_property
    def _is_small(self) -> bool:
        """Whether all sizes are so small that neither the value nor an intermediate value overflows.

        A magnitude is at most twice the reach. An error that is not infinite is at most the magnitude.
        """
        return not self.reach.numel() or float(self.reach.max()) < self.kind.largest / 64

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None) -> Any:
        """Compute a torch function and a bound on the error of its result."""
        return _apply(func, args, kwargs or {}, None)

    def __getitem__(self, index: Any) -> Any:
        return _apply(Tensor.__getitem__, (self, index), {}, None)

    def __getattr__(self, name: str) -> Any:
        """Return the method of torch.Tensor with this name, if :class:`ReorderingBound` supports it.

        A method is supported if its operation has a rule in :data:`RULES` or only moves elements.
        """
        func = getattr(Tensor, name, None)
        if operation_of(func) not in {*RULES, *DATA_MOVEMENT, *CONSTANTS}:
            raise AttributeError(f"{name} is not supported: {_NO_RULE}")
        return lambda *args, **kwargs: _apply(func, (self, *args), kwargs, None)

    __add__ = __radd__ = _method("add")
    __sub__ = _method("sub")
    __rsub__ = _method("rsub")
    __neg__ = _method("neg")
    __mul__ = __rmul__ = _method("mul")
    __truediv__ = _method("div")
    __matmul__ = _method("matmul")

    @_plain
    def __rtruediv__(self, other: Any) -> ReorderingBound:
        return RULES["div"](_number(other, self.kind), self)

    @_plain
    def __rmatmul__(self, other: Any) -> ReorderingBound:
        return _matmul(_number(other, self.kind), self)

    def __pow__(self, exponent: int) -> ReorderingBound:
        return _power(self, exponent)

    @_plain
    def sum(self, dim: int | tuple[int, ...], keepdim: bool = False) -> ReorderingBound:
        """Return the sum along one or more axes, with a bound that holds for every order of summation."""
        kept = self.value.sum(dim, keepdim=True).shape

        def back(bar: ReorderingBound) -> ReorderingBound:
            return _moved(bar, lambda x: x.reshape(kept).expand(self.shape))

        result = _moved(self, lambda x: x.sum(dim, keepdim=keepdim))
        return _with_parents(result, self.roundings + _terms(self, dim), (self, back))

    @_plain
    def maximum(self, other: ReorderingBound) -> ReorderingBound:
        """Return the elementwise maximum of the two tensors.

        If the larger operand is uncertain, the derivative's bound covers every split of the derivative
        between the two operands.
        """
        a, b = torch.broadcast_tensors(self.value, other.value)  # type: ignore[no-untyped-call]
        unclear = ~((a - b).abs() > self.bound() + other.bound())  # also true if both are -infinity
        larger = a > b
        any_unclear = bool(unclear.any())

        def share(of: Tensor) -> ReorderingBound:
            doubt = torch.where(unclear, 0.5, 0.0)
            return ReorderingBound.leaf(torch.where(unclear, 0.5, of.double()), self.kind, doubt)

        def either(mine: Tensor, others: Tensor) -> Tensor:
            """Return ``mine`` where a is larger, ``others`` where b is larger, else the maximum."""
            chosen = torch.where(larger, mine, others)
            return torch.where(unclear, torch.maximum(mine, others), chosen) if any_unclear else chosen

        parts = ((getattr(self, name), getattr(other, name)) for name in ("magnitude", "error", "reach"))
        magnitude, error, reach = (either(mine, others) for mine, others in parts)
        result = ReorderingBound(torch.maximum(a, b), magnitude, error, reach, self.kind)
        return _with_parents(
            result,
            max(self.roundings, other.roundings),
            (self, lambda bar: _to_shape(bar * share(larger), self)),
            (other, lambda bar: _to_shape(bar * share(~larger), other)),
        )


@_plain
def derivatives(
    results: Sequence[tuple[ReorderingBound, Tensor | ReorderingBound]], leaves: Sequence[ReorderingBound]
) -> list[ReorderingBound]:
    """Differentiate the sum of all ``result * factor`` with respect to each leaf.

    A factor that is a plain tensor is exact. The result has one derivative for each leaf.
    """
    bars: dict[int, ReorderingBound] = {}
    order = _sorted([result for result, _ in results])
    for result, factor in results:
        if isinstance(factor, Tensor):
            factor = ReorderingBound.leaf(factor.expand(result.shape), result.kind)
        _collect(bars, result, factor)
    for number in reversed(order):
        bar = bars.get(id(number))
        for parent, back in number.parents if bar is not None else ():
            _collect(bars, parent, back(bar))  # type: ignore[arg-type]
    zeros = (ReorderingBound.leaf(torch.zeros_like(leaf.value), leaf.kind) for leaf in leaves)
    return [bars.get(id(leaf), zero) for leaf, zero in zip(leaves, zeros, strict=True)]


class evaluating(TorchFunctionMode):
    """A context in which torch functions compute with :class:`ReorderingBound`, even for plain parameters.

    Args:
        kind: the dtype.
        leaves: the leaves that replace tensors, keyed by the tensors' ``id``.
    """

    def __init__(self, kind: Format, leaves: dict[int, ReorderingBound] | None = None) -> None:
        super().__init__()
        self.kind, self.leaves = kind, {} if leaves is None else leaves

    def __torch_function__(self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None) -> Any:
        """Compute a torch function and a bound on the error of its result."""
        if func in FACTORIES or getattr(func, "__name__", "") in PROPERTIES:
            return func(*args, **(kwargs or {}))
        return _apply(func, args, kwargs or {}, self)


def _with_parents(
    result: ReorderingBound, roundings: int, *parents: tuple[ReorderingBound, PullBack]
) -> ReorderingBound:
    x = result  # dataclasses.replace is slow
    return ReorderingBound(x.value, x.magnitude, x.error, x.reach, x.kind, roundings, parents).guarded()


_PARTS = ("value", "magnitude", "error", "reach")


def _moved(number: ReorderingBound, move: Callable[[Tensor], Tensor]) -> ReorderingBound:
    """Apply a function that only moves elements to each of the tensors value, magnitude, error and reach."""
    value, magnitude, error, reach = (move(getattr(number, part)) for part in _PARTS)
    return ReorderingBound(value, magnitude, error, reach, number.kind, number.roundings)


def _to_shape(number: ReorderingBound, like: ReorderingBound) -> ReorderingBound:
    """Sum over the axes that were broadcast, so that the result has the shape of ``like``."""
    if number.shape == like.shape:
        return number
    terms = number.value.numel() // max(1, like.value.numel())
    return _with_parents(_moved(number, lambda x: x.sum_to_size(like.shape)), number.roundings + terms)


def _add(a: ReorderingBound, b: ReorderingBound) -> ReorderingBound:
    value, magnitude, error, reach = (getattr(a, part) + getattr(b, part) for part in _PARTS)
    if not _all_finite(value):  # -infinity plus a number is exact, but plus an overflow it may be NaN
        finite = value.isfinite()
        exact = torch.where((a.bound() < math.inf) & (b.bound() < math.inf), 0.0, math.inf)
        magnitude, error = (torch.where(finite, x, exact) for x in (magnitude, error))
        reach = torch.where(finite, reach, reach + exact)
    result = ReorderingBound(value, magnitude, error, reach, a.kind)
    parents = ((x, lambda bar, x=x: _to_shape(bar, x)) for x in (a, b))
    return _with_parents(result, max(a.roundings, b.roundings) + 1, *parents)


def _scaled(a: ReorderingBound, sign: float) -> ReorderingBound:
    result = replace(a, value=sign * a.value)
    return _with_parents(result, a.roundings, (a, lambda bar: _scaled(bar, sign)))


def _multiply(a: ReorderingBound, b: ReorderingBound) -> ReorderingBound:
    error = _carried(torch.mul, a, b)
    result = ReorderingBound(a.value * b.value, a.magnitude * b.magnitude, error, a.reach * b.reach, a.kind)
    parents = (a, lambda bar: _to_shape(bar * b, a)), (b, lambda bar: _to_shape(bar * a, b))
    return _with_parents(result, a.roundings + b.roundings + 1, *parents)


def _carried(product: Callable[[Tensor, Tensor], Tensor], a: ReorderingBound, b: ReorderingBound) -> Tensor:
    """Bound the error that the errors of a and b cause in the exact product ``product(a, b)``.

    The bound is infinite if a factor is infinite and the other may be 0, because their product is NaN.
    """
    ours, theirs = a.value.abs(), b.value.abs()
    error = product(a.error, theirs + b.error) + product(ours, b.error)
    if _all_finite(error):  # an infinite factor would make it infinite or NaN
        return error
    ours, theirs = (torch.where(x.value.isfinite(), x.value.abs(), 0.0) for x in (a, b))
    error = product(a.error, theirs + b.error) + product(ours, b.error)
    error = torch.where(error.isnan(), math.inf, error)  # an infinite error times 0
    infinite = [x.value.isinf() for x in (a, b)]
    (one, other), (zero, or_zero) = infinite, (~(x.value.abs() > x.bound()) for x in (a, b))
    doubts = product(one.double(), or_zero.double()) + product(zero.double(), other.double())
    return torch.where(doubts > 0, math.inf, error)


def _matmul(a: ReorderingBound, b: ReorderingBound) -> ReorderingBound:
    if min(a.dim(), b.dim()) < 2:
        raise TypeError(f"matmul of a vector is not supported: {_NO_RULE}")
    result = _bilinear(torch.matmul, a, b, a.shape[-1])
    return _with_parents(
        result,
        result.roundings,
        (a, lambda bar: _to_shape(_matmul(bar, b.mT), a)),
        (b, lambda bar: _to_shape(_matmul(a.mT, bar), b)),
    )


def _linear(
    inputs: ReorderingBound, weight: ReorderingBound, bias: ReorderingBound | None = None
) -> ReorderingBound:
    def product(x: Tensor, w: Tensor) -> Tensor:
        return x @ w.T

    terms = weight.shape[1]
    result = _bilinear(product, inputs, weight, terms)

    def to_weight(bar: ReorderingBound) -> ReorderingBound:
        rows = bar.value.numel() // max(1, weight.shape[0])
        return _bilinear(
            lambda g, x: g.reshape(-1, g.shape[-1]).T @ x.reshape(-1, x.shape[-1]), bar, inputs, rows
        )

    def to_inputs(bar: ReorderingBound) -> ReorderingBound:
        return _bilinear(lambda g, w: g @ w, bar, weight, weight.shape[0])

    result = _with_parents(result, result.roundings, (inputs, to_inputs), (weight, to_weight))
    return result if bias is None else result + bias


def _bilinear(
    product: Callable[[Tensor, Tensor], Tensor], a: ReorderingBound, b: ReorderingBound, terms: int
) -> ReorderingBound:
    """Return a matrix product, each entry of which is a sum of ``terms`` products.

    The bound also holds if torch rounds the products to reduced precision, for example to TF32.
    """
    magnitude = product(a.magnitude, b.magnitude)
    error = _carried(product, a, b) + rounding.reduction(a.kind) * magnitude
    result = ReorderingBound(product(a.value, b.value), magnitude, error, product(a.reach, b.reach), a.kind)
    return _with_parents(result, a.roundings + b.roundings + terms + 1)


def _smooth(
    function: Callable[[Tensor], Tensor],
    bound: Callable[[Tensor, Tensor, Format], Tensor],
    slope: Callable[[ReorderingBound, ReorderingBound], ReorderingBound],
) -> Callable[[ReorderingBound], ReorderingBound]:
    """Return the rule for an elementwise function, such as tanh.

    Args:
        function: the function on plain tensors.
        bound: maps the value, the argument's error and the dtype to a bound on the value's error.
        slope: maps the argument and the value to the derivative.
    """

    def rule(a: ReorderingBound) -> ReorderingBound:
        value, off = function(a.value), a.bound()
        result = ReorderingBound.leaf(value, a.kind, _or_nan(bound(value, off, a.kind), off))
        return _with_parents(result, 0, (a, lambda bar: bar * slope(a, result)))

    return rule


def _all_finite(values: Tensor) -> bool:
    """Return True only if all elements are finite; also return False if their sum overflows."""
    return math.isfinite(float(values.sum()))


def _or_nan(bound: Tensor, argument: Tensor) -> Tensor:
    """Return the bound of a function, or infinity if the argument's bound is infinite.

    Such an argument may be NaN, also if the function's values are bounded.
    """
    return torch.where(argument < math.inf, bound, math.inf)


def _sigmoid_leaf(a: ReorderingBound, sign: int) -> ReorderingBound:
    """Return the sigmoid of ``sign * a``, which may be computed as 1 minus another sigmoid."""
    value, argument = torch.sigmoid(sign * a.value), a.bound()
    off = rounding.sigmoid(value, argument, a.kind) + a.kind.gamma(rounding.FUNCTION_ROUNDINGS)
    return ReorderingBound.leaf(value, a.kind, _or_nan(off, argument))


def _log(a: ReorderingBound) -> ReorderingBound:
    value = torch.log(a.value)
    result = ReorderingBound.leaf(value, a.kind, rounding.logarithm(value, a.value, a.bound(), a.kind))
    return _with_parents(result, 0, (a, lambda bar: bar * _reciprocal(a)))


def _silu(a: ReorderingBound) -> ReorderingBound:
    """Return x sigmoid(x), with a bound that holds whether torch computes it in one pass or in two."""
    result = a * RULES["sigmoid"](a)
    return replace(result, roundings=result.roundings + rounding.FUNCTION_ROUNDINGS + 2)


def _lerp(a: ReorderingBound, b: ReorderingBound, weight: ReorderingBound) -> ReorderingBound:
    """Return a + weight (b - a), or b - (b - a) (1 - weight); torch uses both, and they are equal.

    The derivatives with respect to a and b may also be computed from either form.
    """
    result = a + weight * (b - a)
    sizes = {
        name: (1 + getattr(weight, name)) * (getattr(a, name) + getattr(b, name))
        for name in ("magnitude", "reach")
    }
    parents = (
        (a, lambda bar: _to_shape(bar - weight * bar, a)),
        (b, lambda bar: _to_shape(bar - (1 - weight) * bar, b)),
        (weight, lambda bar: _to_shape(bar * (b - a), weight)),
    )
    return replace(result, **sizes, parents=parents).guarded()


def _clamp(a: ReorderingBound, min: float | None = None, max: float | None = None) -> ReorderingBound:
    a = a if min is None else a.maximum(_number(min, a.kind))
    return a if max is None else -((-a).maximum(_number(-max, a.kind)))


def _softplus_slope(a: ReorderingBound, value: ReorderingBound) -> ReorderingBound:
    """Return the sigmoid of ``a``, for which torch returns 1 if ``a`` is above 20."""
    slope = _sigmoid_leaf(a, 1)
    cut = torch.where(a.value + a.bound() > 19.9, math.exp(-19.8), 0.0)
    return ReorderingBound.leaf(slope.value, a.kind, slope.error + cut)


def _softmax(
    a: ReorderingBound, dim: int, _stacklevel: int = 3, dtype: torch.dtype | None = None
) -> ReorderingBound:
    """Return exp(a - c) / sum(exp(a - c)), which is equal for all c; c = max(a) prevents overflow."""
    if dtype is not None or isinstance(_stacklevel, torch.dtype):  # torch.softmax has no _stacklevel
        raise TypeError(f"softmax in another dtype is not supported: {_NO_RULE}")
    largest = ReorderingBound.leaf(a.value.amax(dim, keepdim=True), a.kind)
    powers = RULES["exp"](a - largest)
    return powers * _reciprocal(powers.sum(dim, keepdim=True))


def _cumsum(a: ReorderingBound, dim: int) -> ReorderingBound:
    def back(bar: ReorderingBound) -> ReorderingBound:
        moved = _moved(bar, lambda x: x.flip(dim).cumsum(dim).flip(dim))
        return _with_parents(moved, bar.roundings + a.shape[dim])

    result = _moved(a, lambda x: torch.cumsum(x, dim))
    return _with_parents(result, a.roundings + a.shape[dim], (a, back))


def _vector_norm(
    a: ReorderingBound, ord: float = 2, dim: int | tuple[int, ...] | None = None, keepdim: bool = False
) -> ReorderingBound:
    if ord != 2:
        raise TypeError(f"a norm other than the 2-norm is not supported: {_NO_RULE}")
    return RULES["sqrt"]((a * a).sum(tuple(range(a.dim())) if dim is None else dim, keepdim))


def _terms(a: ReorderingBound, dim: int | tuple[int, ...]) -> int:
    """Return the number of elements that a sum along these axes adds for each entry of its result."""
    return math.prod(a.shape[axis] for axis in ((dim,) if isinstance(dim, int) else dim))


def _mean(a: ReorderingBound, dim: int | tuple[int, ...], keepdim: bool = False) -> ReorderingBound:
    return a.sum(dim, keepdim) / float(_terms(a, dim))


def _power(a: ReorderingBound, exponent: int) -> ReorderingBound:
    if exponent not in range(1, 9):
        raise TypeError(f"a power other than 1 to 8 is not supported: {_NO_RULE}")
    return functools.reduce(operator.mul, [a] * int(exponent))


def _largest(a: ReorderingBound, dim: int | tuple[int, ...] = (), keepdim: bool = False) -> ReorderingBound:
    axes = (dim,) if isinstance(dim, int) else dim or tuple(range(a.dim()))
    for axis in axes:
        a = functools.reduce(ReorderingBound.maximum, a.unbind(axis)).unsqueeze(axis)
    return a if keepdim else cast(ReorderingBound, a.squeeze(axes))


def _einsum(equation: str, *operands: ReorderingBound) -> ReorderingBound:
    """Multiply the operands elementwise over all axes, and sum over the axes that the output lacks."""
    terms, arrow, output = equation.replace(" ", "").partition("->")
    axes = terms.split(",")
    repeated = any(len(set(own)) < len(own) for own in (*axes, output))
    if not arrow or repeated or not "".join([*axes, output]).isalpha():
        raise TypeError(f"einsum with the equation {equation} is not supported: {_NO_RULE}")
    letters = output + "".join(sorted(set("".join(axes)) - set(output)))
    product = functools.reduce(operator.mul, map(functools.partial(_spread, letters), axes, operands))
    summed = tuple(range(len(output), len(letters)))
    return product.sum(summed) if summed else product


def _spread(letters: str, axes: str, a: ReorderingBound) -> Any:
    """Permute the axes of ``a`` to the order of ``letters``, and insert axes of size 1 for the others."""
    moved = a.permute(*(axes.index(letter) for letter in letters if letter in axes))
    for index, letter in enumerate(letters):
        moved = moved if letter in axes else moved.unsqueeze(index)
    return moved


def _normalize(
    a: ReorderingBound, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: None = None
) -> ReorderingBound:
    return a / _vector_norm(a, p, dim, keepdim=True).maximum(_number(eps, a.kind))


def _reciprocal(a: ReorderingBound) -> ReorderingBound:
    """Return 1 / a."""
    value = 1 / a.value
    exact = torch.zeros_like(value)
    result = ReorderingBound.leaf(value, a.kind, rounding.quotient(value, exact, a.value, a.bound(), a.kind))
    return _with_parents(result, 0, (a, lambda bar: -(bar * result * result)))


RULES: dict[str, Callable[..., ReorderingBound]] = {
    "linear": _linear,
    "matmul": _matmul,
    "sum": ReorderingBound.sum,
    "cumsum": _cumsum,
    "sigmoid": _smooth(torch.sigmoid, rounding.sigmoid, lambda x, s: s * (1 - s)),
    "tanh": _smooth(torch.tanh, rounding.tanh, lambda x, t: 1 - t * t),
    "log_sigmoid": _smooth(functional.logsigmoid, rounding.log_sigmoid, lambda x, _: _sigmoid_leaf(x, -1)),
    "softplus": _smooth(functional.softplus, rounding.softplus, _softplus_slope),
    "silu": _silu,
    "exp": _smooth(torch.exp, rounding.exponential, lambda x, e: e),
    "log": _log,
    "sqrt": _smooth(torch.sqrt, rounding.square_root, lambda x, s: _reciprocal(2 * s)),
    "linalg_vector_norm": _vector_norm,
    "softmax": _softmax,
    "mean": _mean,
    "einsum": _einsum,
    "normalize": _normalize,
    "pow": _power,
    "square": lambda a: a * a,
    "rsqrt": lambda a: _reciprocal(RULES["sqrt"](a)),
    "cos": _smooth(torch.cos, rounding.circular, lambda x, _: -RULES["sin"](x)),
    "sin": _smooth(torch.sin, rounding.circular, lambda x, _: RULES["cos"](x)),
    "logaddexp": lambda a, b: a.maximum(b) + RULES["softplus"](-(RULES["abs"](a - b))),
    "amax": _largest,
    "minimum": lambda a, b: -((-a).maximum(-b)),
    "relu": lambda a: a.maximum(_number(0.0, a.kind)),
    "clamp": _clamp,
    "abs": lambda a: a.maximum(-a),
    "maximum": lambda a, b: a.maximum(b),
    "lerp": _lerp,
    "neg": lambda a: _scaled(a, -1.0),
    "add": _add,
    "sub": lambda a, b: _add(a, _scaled(b, -1.0)),
    "rsub": lambda a, b: _add(b, _scaled(a, -1.0)),
    "mul": _multiply,
    "div": lambda a, b: a * _reciprocal(b),
}
"""The rule for each operation that rounds."""
_NO_RULE = "no rule bounds its error for every order of evaluation"
_OF_ONE_TENSOR = (
    *("sum", "cumsum", "linalg_vector_norm", "softmax", "clamp"),
    *("mean", "normalize", "pow", "amax"),
)
"""Operations whose first argument is their only tensor."""


@_plain
def _apply(func: Any, args: Sequence[Any], kwargs: dict[str, Any], mode: evaluating | None) -> Any:
    """Compute a torch function of :class:`ReorderingBound` arguments, and bounds on its error."""
    flat = [b for a in args for b in (a if isinstance(a, (list, tuple)) else [a])]
    numbers = [a for a in flat if isinstance(a, ReorderingBound)]
    kind = numbers[0].kind if numbers else mode.kind if mode is not None else FLOAT64
    leaves = {} if mode is None else mode.leaves
    operation = operation_of(func)
    if operation in _OF_ONE_TENSOR:
        options = {name: value for name, value in kwargs.items() if name != "input"}
        first, *rest = args or (kwargs["input"],)
        return RULES[operation](_number(first, kind, leaves), *rest, **options)
    if operation == "einsum":
        return _einsum(args[0], *(_number(a, kind, leaves) for a in flat[1:]))
    if operation in RULES:
        every = in_order(args, kwargs)
        return RULES[operation](*(a if a is None else _number(a, kind, leaves) for a in every))
    if operation in DATA_MOVEMENT:
        return _apply_move(func, args, kwargs, kind, leaves)
    if operation in CONSTANTS:
        return func(getattr(args[0], "value", args[0]), *args[1:], **kwargs)
    raise TypeError(f"{getattr(func, '__name__', func)} is not supported: {_NO_RULE}")


def _number(value: Any, kind: Format, leaves: dict[int, ReorderingBound] | None = None) -> ReorderingBound:
    if isinstance(value, ReorderingBound):
        return value
    if leaves is not None and id(value) in leaves:
        return leaves[id(value)]
    if isinstance(value, (int, float)):
        return _constant(float(value), kind)
    return ReorderingBound.leaf(torch.as_tensor(value, dtype=torch.float64), kind)


@functools.lru_cache(maxsize=256)
def _constant(value: float, kind: Format) -> ReorderingBound:
    return ReorderingBound.leaf(torch.tensor(value, dtype=torch.float64), kind)


def _apply_move(
    func: Any, args: Sequence[Any], kwargs: dict[str, Any], kind: Format, leaves: dict[int, ReorderingBound]
) -> Any:
    """Apply a function that only moves elements, such as ``torch.cat``.

    If the function copies an element, the pullback adds the cotangents of all copies.
    """
    first, *rest = args
    flat = [b for a in rest for b in (a if isinstance(a, (list, tuple)) else [a])]
    if isinstance(first, ReorderingBound) and not any(isinstance(x, (BoundedTensor, Tensor)) for x in flat):
        sources = [first]

        def run(*tensors: Tensor) -> Any:
            return func(*tensors, *rest, **kwargs)
    else:
        arguments, structure = pytree.tree_flatten(list(args))
        at = [i for i, x in enumerate(arguments) if isinstance(x, ReorderingBound) or _is_float(x)]
        sources = [_number(arguments[i], kind, leaves) for i in at]

        def run(*tensors: Tensor) -> Any:
            for i, tensor in zip(at, tensors, strict=True):
                arguments[i] = tensor
            return func(*pytree.tree_unflatten(arguments, structure), **kwargs)

    results = [run(*(getattr(s, part) for s in sources)) for part in _PARTS]
    most = max((s.roundings for s in sources), default=0)

    def result_of(parts: Sequence[Tensor], piece: Callable[..., Tensor]) -> ReorderingBound:
        value, magnitude, error, reach = parts
        parents = ((s, _gradient_function(piece, sources, i)) for i, s in enumerate(sources))
        return ReorderingBound(value, magnitude, error, reach, kind, most, tuple(parents))

    if not isinstance(results[0], tuple):
        return result_of(results, run)
    return tuple(
        result_of(parts, lambda *tensors, k=k: run(*tensors)[k])
        for k, parts in enumerate(zip(*results, strict=True))
    )


def _is_float(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def _gradient_function(
    run: Callable[..., Tensor], sources: Sequence[ReorderingBound], index: int
) -> PullBack:
    """Return the pullback of a function that only moves elements, for the source with this index.

    The pullback maps the cotangent of the result to the cotangent of the source. If the function copies an
    element, the pullback adds the cotangents of all copies.
    """

    def back(bar: ReorderingBound) -> ReorderingBound:
        source = sources[index].value
        numbers = torch.arange(1.0, source.numel() + 1, dtype=torch.float64).reshape(source.shape)
        copied = run(*(numbers if i == index else torch.zeros_like(s.value) for i, s in enumerate(sources)))
        rows = torch.stack([getattr(bar, part).expand(copied.shape).flatten() for part in _PARTS])
        rows = torch.cat([rows, torch.ones_like(rows[:1])])
        sums = rows.new_zeros(len(rows), source.numel() + 1).index_add_(1, copied.flatten().long(), rows)
        value, magnitude, error, reach, copies = sums[:, 1:].reshape(len(rows), *source.shape).unbind()
        terms = int(copies.max()) if source.numel() else 0
        moved = ReorderingBound(value, magnitude, error, reach, bar.kind)
        return _with_parents(moved, bar.roundings + max(0, terms - 1))

    return back


def _collect(bars: dict[int, ReorderingBound], number: ReorderingBound, bar: ReorderingBound) -> None:
    before = bars.get(id(number))
    bars[id(number)] = bar if before is None else before + bar


def _sorted(results: Sequence[ReorderingBound]) -> list[ReorderingBound]:
    """Return the results and all values from which they were computed, each after its operands."""
    order: list[ReorderingBound] = []
    seen: set[int] = set()
    stack = [(result, False) for result in results]
    while stack:
        number, done = stack.pop()
        if done:
            order.append(number)
        elif id(number) not in seen:
            seen.add(id(number))
            stack.append((number, True))
            stack.extend((parent, False) for parent, _ in number.parents)
    return order
