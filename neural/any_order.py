"""Numbers with a bound on their error under every order of evaluation, and derivatives of what is computed
with them (reverse accumulation).

A number is a polynomial in its leaves: parameters, inputs, and the values of sigmoids and the like. Whatever
the order of its sums and products, and whatever factors are taken out of sums, each monomial is rounded at
most as often as it passes through an operation. So a computation is off by at most

    error + gamma_k (size + error) + k tiny reach,

where ``size`` is the sum of the monomials' magnitudes, ``error`` is what the leaves' own errors make of it, k
counts the roundings of one monomial, and ``reach`` is the sum of the products of each monomial's factors that
are larger than 1: a product of some factors may underflow, by ``tiny`` at most, before it meets those. That
holds of a derivative as well, which is another polynomial in the same leaves; :mod:`neural.tracked` has
tighter bounds, for one given order.

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

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, TypeVar, cast

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from automata.rounding.formats import FLOAT64, Format
from neural import rounding
from neural.tracked import DATA_MOVEMENT, PROPERTIES, operation_of

_OUTWARD = 1 + 2.0**-40
# Another order of evaluation may round a monomial more often than ours, where it multiplies out what we do
# not.
_TIMES, _MORE = 2, 16
PullBack = Callable[["ReorderingBound"], "ReorderingBound"]
Function = TypeVar("Function", bound=Callable[..., Any])


def _plain(function: Function) -> Function:
    """The function, in which torch computes tensors, even within :class:`evaluating`."""

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with torch._C.DisableTorchFunction():
            return function(*args, **kwargs)

    return cast(Function, run)


@dataclass(frozen=True, eq=False)
class ReorderingBound:
    """A tensor of such numbers.

    Attributes:
        value: as float64 computes it.
        size: the sum of the magnitudes of its monomials; 0 for -infinity.
        error: what errors of leaves make of it, at most.
        reach: the sum of its monomials with 1 for every smaller factor.
        kind: the format of the computation that is bounded.
        roundings: how often one monomial is rounded, at most.
        parents: what it is computed from, each with the way back for a derivative.
    """

    value: Tensor
    size: Tensor
    error: Tensor
    reach: Tensor
    kind: Format
    roundings: int = 0
    parents: tuple[tuple[ReorderingBound, PullBack], ...] = field(default=(), repr=False)

    @classmethod
    def leaf(cls, value: Tensor, kind: Format, error: Tensor | None = None) -> ReorderingBound:
        """Numbers that are off by ``error`` at most; exact ones without it."""
        wide = value.detach().double()
        finite = torch.where(wide.isfinite(), wide.abs(), 0.0)
        off = torch.zeros_like(wide) if error is None else error
        return cls(wide, finite, off, (finite + off).clamp(min=1), kind)

    @_plain
    def bound(self) -> Tensor:
        """How far any computation in the format may be from ``value``, which has rounding errors of its own;
        infinite where it, or something on the way to it, might overflow.
        """
        count = _TIMES * self.roundings + _MORE
        gamma = self.kind.gamma(count) + FLOAT64.gamma(count)
        largest = self.size + self.error
        total = (self.error + gamma * largest + count * self.kind.tiny * self.reach) * _OUTWARD
        return torch.where(largest + total < self.kind.largest / 4, total, math.inf)

    @_plain
    def guarded(self) -> ReorderingBound:
        """The same, with an infinite error where it might overflow."""
        return replace(self, error=torch.where(self.bound() < math.inf, self.error, math.inf))

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None) -> Any:
        """Run what torch calls in place of its function."""
        return _apply(func, args, kwargs or {}, None)

    @property
    def shape(self) -> torch.Size:
        """The tensor's shape."""
        return self.value.shape

    def dim(self) -> int:
        """The number of axes."""
        return self.value.dim()

    def __getitem__(self, place: Any) -> Any:
        return _apply(Tensor.__getitem__, (self, place), {}, None)

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(name)
        return lambda *args, **kwargs: _apply(getattr(Tensor, name), (self, *args), kwargs, None)

    @_plain
    def __add__(self, other: Any) -> ReorderingBound:
        return _add(self, self._number(other))

    __radd__ = __add__

    @_plain
    def __neg__(self) -> ReorderingBound:
        return _scaled(self, -1.0)

    def __sub__(self, other: Any) -> ReorderingBound:
        return self + -self._number(other)

    def __rsub__(self, other: Any) -> ReorderingBound:
        return self._number(other) + -self

    @_plain
    def __mul__(self, other: Any) -> ReorderingBound:
        return _multiply(self, self._number(other))

    __rmul__ = __mul__

    @_plain
    def sum(self, axis: int) -> ReorderingBound:
        """The sum along an axis, in any order."""
        n = self.shape[axis]

        def back(bar: ReorderingBound) -> ReorderingBound:
            return _moved(bar, lambda x: x.unsqueeze(axis).expand(self.shape))

        result = _moved(self, lambda x: x.sum(axis))
        return _made(result, self.roundings + n, (self, back))

    @_plain
    def maximum(self, other: ReorderingBound) -> ReorderingBound:
        """The larger of both. Where either may be, so may each share of the derivative."""
        a, b = torch.broadcast_tensors(self.value, other.value)  # type: ignore[no-untyped-call]
        unclear = ~((a - b).abs() > self.bound() + other.bound())  # two that are -infinity, too
        share = torch.where(unclear, 0.5, (a > b).double())
        doubt = torch.where(unclear, 0.5, 0.0)
        of_self = ReorderingBound.leaf(share, self.kind, doubt)
        of_other = ReorderingBound.leaf(1 - share, self.kind, doubt)

        def either(mine: Tensor, others: Tensor) -> Tensor:
            """The larger one's, or the larger of both where either may be it."""
            return torch.where(unclear, torch.maximum(mine, others), torch.where(a > b, mine, others))

        parts = ((getattr(self, name), getattr(other, name)) for name in ("size", "error", "reach"))
        size, error, reach = (either(mine, others) for mine, others in parts)
        result = ReorderingBound(torch.maximum(a, b), size, error, reach, self.kind)
        return _made(
            result,
            max(self.roundings, other.roundings),
            (self, lambda bar: _to_shape(bar * of_self, self)),
            (other, lambda bar: _to_shape(bar * of_other, other)),
        )

    @_plain
    def _number(self, value: Any) -> ReorderingBound:
        return _number(value, self.kind)


@_plain
def derivatives(
    results: Sequence[tuple[ReorderingBound, Tensor]], leaves: Sequence[ReorderingBound]
) -> list[ReorderingBound]:
    """The derivatives of the sum of all ``result * factor``, factors exact, in each of the leaves."""
    bars: dict[int, ReorderingBound] = {}
    order = _sorted([result for result, _ in results])
    for result, factor in results:
        _collect(bars, result, ReorderingBound.leaf(factor.expand(result.shape), result.kind))
    for number in reversed(order):
        bar = bars.get(id(number))
        for parent, back in number.parents if bar is not None else ():
            _collect(bars, parent, back(bar))  # type: ignore[arg-type]
    zeros = (ReorderingBound.leaf(torch.zeros_like(leaf.value), leaf.kind) for leaf in leaves)
    return [bars.get(id(leaf), zero) for leaf, zero in zip(leaves, zeros, strict=True)]


class evaluating(TorchFunctionMode):
    """A context in which torch's functions compute such numbers, for parameters alone too.

    Args:
        kind: the format.
        leaves: the numbers that stand for tensors, by the tensors' ``id``.
    """

    def __init__(self, kind: Format, leaves: dict[int, ReorderingBound] | None = None) -> None:
        super().__init__()
        self.kind, self.leaves = kind, {} if leaves is None else leaves

    def __torch_function__(self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None) -> Any:
        """Run what torch calls in place of its function."""
        if getattr(func, "__name__", "") in PROPERTIES:
            return func(*args, **(kwargs or {}))
        return _apply(func, args, kwargs or {}, self)


def _made(
    result: ReorderingBound, roundings: int, *parents: tuple[ReorderingBound, PullBack]
) -> ReorderingBound:
    return replace(result, roundings=roundings, parents=parents).guarded()


_PARTS = ("value", "size", "error", "reach")


def _moved(number: ReorderingBound, move: Callable[[Tensor], Tensor]) -> ReorderingBound:
    """The same linear map of all parts."""
    value, size, error, reach = (move(getattr(number, part)) for part in _PARTS)
    return ReorderingBound(value, size, error, reach, number.kind, number.roundings)


def _to_shape(number: ReorderingBound, like: ReorderingBound) -> ReorderingBound:
    """The sum over what was broadcast."""
    if number.shape == like.shape:
        return number
    terms = number.value.numel() // max(1, like.value.numel())
    return _made(_moved(number, lambda x: x.sum_to_size(like.shape)), number.roundings + terms)


def _add(a: ReorderingBound, b: ReorderingBound) -> ReorderingBound:
    value = a.value + b.value
    finite = value.isfinite()
    size, error = (torch.where(finite, x, 0.0) for x in (a.size + b.size, a.error + b.error))
    result = ReorderingBound(value, size, error, a.reach + b.reach, a.kind)
    ways = ((x, lambda bar, x=x: _to_shape(bar, x)) for x in (a, b))
    return _made(result, max(a.roundings, b.roundings) + 1, *ways)


def _scaled(a: ReorderingBound, sign: float) -> ReorderingBound:
    result = replace(a, value=sign * a.value)
    return _made(result, a.roundings, (a, lambda bar: _scaled(bar, sign)))


def _multiply(a: ReorderingBound, b: ReorderingBound) -> ReorderingBound:
    error = a.error * (b.size + b.error) + a.size * b.error
    result = ReorderingBound(a.value * b.value, a.size * b.size, error, a.reach * b.reach, a.kind)
    ways = (a, lambda bar: _to_shape(bar * b, a)), (b, lambda bar: _to_shape(bar * a, b))
    return _made(result, a.roundings + b.roundings + 1, *ways)


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

    result = _made(result, result.roundings, (inputs, to_inputs), (weight, to_weight))
    return result if bias is None else result + bias


def _bilinear(
    product: Callable[[Tensor, Tensor], Tensor], a: ReorderingBound, b: ReorderingBound, terms: int
) -> ReorderingBound:
    """A product of matrices with so many terms in each sum; reduced precision included."""
    size = product(a.size, b.size)
    error = product(a.error, b.size + b.error) + product(a.size, b.error)
    error = error + rounding.reduction(a.kind) * (size + error)
    result = ReorderingBound(product(a.value, b.value), size, error, product(a.reach, b.reach), a.kind)
    return _made(result, a.roundings + b.roundings + terms + 1)


def _smooth(
    function: Callable[[Tensor], Tensor],
    bound: Callable[[Tensor, Tensor, Format], Tensor],
    slope: Callable[[ReorderingBound], ReorderingBound],
) -> Callable[[ReorderingBound], ReorderingBound]:
    """Return the rule of a function whose slope follows from its result."""

    def rule(a: ReorderingBound) -> ReorderingBound:
        value = function(a.value)
        result = ReorderingBound.leaf(value, a.kind, bound(value, a.bound(), a.kind))
        return _made(result, 0, (a, lambda bar: bar * slope(result)))

    return rule


def _log_sigmoid(a: ReorderingBound) -> ReorderingBound:
    value = functional.logsigmoid(a.value)
    result = ReorderingBound.leaf(value, a.kind, rounding.log_sigmoid(value, a.bound(), a.kind))
    slope = torch.sigmoid(-a.value)
    # it may be computed as 1 less another sigmoid, which is rounded as a 1 is
    off = rounding.sigmoid(slope, a.bound(), a.kind) + a.kind.gamma(rounding.FUNCTION_ROUNDINGS)
    derivative = ReorderingBound.leaf(slope, a.kind, off)
    return _made(result, 0, (a, lambda bar: bar * derivative))


_RULES: dict[str, Callable[..., ReorderingBound]] = {
    "linear": _linear,
    "sigmoid": _smooth(torch.sigmoid, rounding.sigmoid, lambda s: s * (1 - s)),
    "tanh": _smooth(torch.tanh, rounding.tanh, lambda t: 1 - t * t),
    "log_sigmoid": _log_sigmoid,
    "neg": lambda a: -a,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "rsub": lambda a, b: b - a,
    "mul": lambda a, b: a * b,
}
"""The operations that round, each with its rule."""
_METHODS = DATA_MOVEMENT | {"sigmoid", "tanh", "sub", "add", "mul"}


@_plain
def _apply(func: Any, args: Sequence[Any], kwargs: dict[str, Any], mode: evaluating | None) -> Any:
    """A function of torch, applied to such numbers."""
    flat = [b for a in args for b in (a if isinstance(a, (list, tuple)) else [a])]
    numbers = [a for a in flat if isinstance(a, ReorderingBound)]
    kind = numbers[0].kind if numbers else mode.kind if mode is not None else FLOAT64
    leaves = {} if mode is None else mode.leaves
    operation = operation_of(func)
    if operation in _RULES:
        every = [*args, *kwargs.values()]
        return _RULES[operation](*(a if a is None else _number(a, kind, leaves) for a in every))
    if operation in DATA_MOVEMENT:
        return _apply_move(func, args, kwargs, kind, leaves)
    raise TypeError(f"{getattr(func, '__name__', func)} has no rule for every order of evaluation")


def _number(value: Any, kind: Format, leaves: dict[int, ReorderingBound] | None = None) -> ReorderingBound:
    if isinstance(value, ReorderingBound):
        return value
    if leaves is not None and id(value) in leaves:
        return leaves[id(value)]
    return ReorderingBound.leaf(torch.as_tensor(value, dtype=torch.float64), kind)


def _apply_move(
    func: Any, args: Sequence[Any], kwargs: dict[str, Any], kind: Format, leaves: dict[int, ReorderingBound]
) -> Any:
    """A function that only moves numbers. The way back adds up what went to several places."""
    sources: list[ReorderingBound] = []

    def place(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(map(place, value))
        float_tensor = isinstance(value, Tensor) and value.is_floating_point()
        if isinstance(value, ReorderingBound) or float_tensor:
            sources.append(_number(value, kind, leaves))
            return _Place(len(sources) - 1)
        return value

    shapes = [place(a) for a in args]

    def run(*tensors: Tensor) -> Any:
        return func(*(_filled(a, tensors) for a in shapes), **kwargs)

    results = [run(*(getattr(s, part) for s in sources)) for part in _PARTS]
    most = max((s.roundings for s in sources), default=0)

    def made(parts: Sequence[Tensor], piece: Callable[..., Tensor]) -> ReorderingBound:
        value, size, error, reach = parts
        ways = ((s, _way_back(piece, sources, i)) for i, s in enumerate(sources))
        return ReorderingBound(value, size, error, reach, kind, most, tuple(ways))

    if not isinstance(results[0], tuple):
        return made(results, run)
    return tuple(
        made(parts, lambda *tensors, k=k: run(*tensors)[k])
        for k, parts in enumerate(zip(*results, strict=True))
    )


@dataclass(frozen=True)
class _Place:
    """Where the arguments of a move have a number."""

    index: int


def _filled(value: Any, tensors: Sequence[Tensor]) -> Any:
    if isinstance(value, _Place):
        return tensors[value.index]
    if isinstance(value, (list, tuple)):
        return type(value)(_filled(v, tensors) for v in value)
    return value


def _way_back(run: Callable[..., Tensor], sources: Sequence[ReorderingBound], index: int) -> PullBack:
    """The transposed map, from the bar of a move's result to that of one source."""

    def back(bar: ReorderingBound) -> ReorderingBound:
        with torch.enable_grad():
            source = sources[index].value.detach().requires_grad_()
            result = run(*(source if i == index else s.value for i, s in enumerate(sources)))

        def transposed(values: Tensor) -> Tensor:
            if not result.requires_grad:  # numbers that do not depend on the source: zeros
                return torch.zeros_like(source)
            return torch.autograd.grad(result, source, values, retain_graph=True)[0]

        terms = int(transposed(torch.ones_like(result)).max()) if result.numel() else 0
        return _made(_moved(bar, transposed), bar.roundings + max(0, terms - 1))

    return back


def _collect(bars: dict[int, ReorderingBound], number: ReorderingBound, bar: ReorderingBound) -> None:
    before = bars.get(id(number))
    bars[id(number)] = bar if before is None else before + bar


def _sorted(results: Sequence[ReorderingBound]) -> list[ReorderingBound]:
    """All numbers that the results are computed from, each after those that it is computed from."""
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
