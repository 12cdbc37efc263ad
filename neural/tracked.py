"""Tensors that carry a bound on their rounding error through torch's functions (running error analysis).

>>> sum_of, ones = torch.nn.Linear(2, 1, dtype=torch.float64), torch.ones(1, 2, dtype=torch.float64)
>>> with tracking():
...     gate = 1 - torch.sigmoid(sum_of(ones))
>>> bool(0 < gate.error < 1e-14)
True
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from neural import rounding


def _function(name: str) -> Callable[..., Any]:
    return lambda *values: apply(getattr(torch, name), values, {})


@dataclass(frozen=True, eq=False)
class Tracked:
    """A float tensor with a bound on its distance from the result of exact arithmetic.

    The functions with a rule (:data:`RULES`) and those that only move numbers (:data:`MOVES`) take it; any
    other refuses it.

    Attributes:
        value: the computed tensor.
        error: the bound, in float64, of the same shape.
    """

    value: Tensor
    error: Tensor

    @classmethod
    def exact(cls, value: Tensor) -> Tracked:
        """A tensor without error."""
        return cls(value, torch.zeros(value.shape, dtype=torch.float64, device=value.device))

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None) -> Any:
        """The hook that torch calls in place of its function."""
        return apply(func, args, kwargs or {})

    @property
    def shape(self) -> torch.Size:
        """The tensor's shape."""
        return self.value.shape

    @property
    def dtype(self) -> torch.dtype:
        """The tensor's format."""
        return self.value.dtype

    @property
    def device(self) -> torch.device:
        """Where the tensor is."""
        return self.value.device

    def dim(self) -> int:
        """The number of axes."""
        return self.value.dim()

    def __getitem__(self, place: Any) -> Any:
        return apply(Tensor.__getitem__, (self, place), {})

    def unsqueeze(self, axis: int) -> Any:
        """As ``Tensor.unsqueeze``."""
        return apply(Tensor.unsqueeze, (self, axis), {})

    def chunk(self, pieces: int, dim: int = 0) -> Any:
        """As ``Tensor.chunk``."""
        return apply(Tensor.chunk, (self, pieces, dim), {})

    def expand(self, *shape: int) -> Any:
        """As ``Tensor.expand``."""
        return apply(Tensor.expand, (self, *shape), {})

    def __getattr__(self, name: str) -> Any:
        """A tensor's methods that have a rule, or only move numbers."""
        func = getattr(Tensor, name, None)
        if func in RULES or func in MOVES:
            return lambda *args, **kwargs: apply(func, (self, *args), kwargs)
        raise AttributeError(f"{name} has no rule for the error of what it computes")

    @property
    def mT(self) -> Any:  # as a tensor has it
        """With the last two axes exchanged."""
        return apply(Tensor.transpose, (self, -1, -2), {})

    def __rtruediv__(self, other: Any) -> Any:
        return apply(torch.div, (other, self), {})

    __truediv__ = _function("div")
    __add__ = _function("add")
    __radd__ = _function("add")
    __sub__ = _function("sub")
    __rsub__ = _function("rsub")
    __mul__ = _function("mul")
    __rmul__ = _function("mul")
    __matmul__ = _function("matmul")
    __neg__ = _function("neg")


def _linear(inputs: Tracked, weight: Tracked, bias: Tracked | None = None) -> Tracked:
    value = functional.linear(inputs.value, weight.value, None if bias is None else bias.value)
    return Tracked(
        value, rounding.affine(weight.value, None if bias is None else bias.value, inputs.value, inputs.error)
    )


def _matmul(a: Tracked, b: Tracked) -> Tracked:
    """Matrix products, of Householder matrices for instance."""
    if b.dim() == 2 and not bool(b.error.any()):
        return _linear(a, Tracked.exact(b.value.T))
    kind, terms = rounding.format_of(a.value.dtype), a.value.shape[-1]
    ours, theirs = a.value.double().abs(), b.value.double().abs()
    carried = a.error @ theirs + ours @ b.error + a.error @ b.error
    return Tracked(a.value @ b.value, rounding.summed(ours @ theirs, carried, terms, kind))


def _conv1d(inputs: Tracked, weight: Tracked, bias: Tracked | None = None, **options: Any) -> Tracked:
    """A convolution, grouped or not."""
    if bool(weight.error.any()) or (bias is not None and bool(bias.error.any())):
        raise TypeError("conv1d has a rule for exact weights alone")
    value = functional.conv1d(inputs.value, weight.value, None if bias is None else bias.value, **options)
    sizes = weight.value.double().abs()
    size = functional.conv1d(inputs.value.double().abs(), sizes, **options)
    size = size if bias is None else size + bias.value.double().abs()[:, None]
    carried = functional.conv1d(inputs.error, sizes, **options)
    kind, terms = rounding.format_of(value.dtype), weight.value[0].numel() + 1
    return Tracked(value, rounding.summed(size, carried, terms, kind))


def _cumsum(a: Tracked, *, dim: int) -> Tracked:
    """Cumulated sums, of gates' logarithms for instance: in any order."""
    value, size = torch.cumsum(a.value, dim), torch.cumsum(a.value.double().abs(), dim)
    kind, terms = rounding.format_of(value.dtype), a.value.shape[dim]
    return Tracked(value, rounding.summed(size, torch.cumsum(a.error, dim), terms, kind, products=False))


def _sum(a: Tracked, *, dim: int, keepdim: bool = False) -> Tracked:
    value = torch.sum(a.value, dim, keepdim=keepdim)
    size = torch.sum(a.value.double().abs(), dim, keepdim=keepdim)
    carried = torch.sum(a.error, dim, keepdim=keepdim)
    kind, terms = rounding.format_of(value.dtype), a.value.shape[dim]
    return Tracked(value, rounding.summed(size, carried, terms, kind, products=False))


def _softplus(a: Tracked) -> Tracked:
    value = functional.softplus(a.value)
    return Tracked(value, rounding.softplus(value, a.error, rounding.format_of(value.dtype)))


def _log(a: Tracked) -> Tracked:
    value = torch.log(a.value)
    return Tracked(value, rounding.logarithm(value, a.value, a.error, rounding.format_of(value.dtype)))


def _quotient(a: Tracked, b: Tracked) -> Tracked:
    value = a.value / b.value
    kind = rounding.format_of(value.dtype)
    return Tracked(value, rounding.quotient(value, a.error, b.value, b.error, kind))


def _silu(a: Tracked) -> Tracked:
    """x sigmoid(x), in one pass or two."""
    gate = _sigmoid(a)
    made = _product(a, gate)
    value = functional.silu(a.value)
    more = rounding.format_of(value.dtype).gamma(rounding.FUNCTION_ROUNDINGS + 2)
    return Tracked(value, made.error + more * (value.double().abs() + made.error))


def _relu(a: Tracked) -> Tracked:
    return Tracked(torch.relu(a.value), a.error)


def _lerp(a: Tracked, b: Tracked, weight: Tracked) -> Tracked:
    """a + weight (b - a), or b - (b - a) (1 - weight): torch has both; of exact numbers they are one."""
    kind = rounding.format_of(a.value.dtype)
    value = torch.lerp(a.value, b.value, weight.value)
    ours, theirs = (part.value.double().abs() + part.error for part in (a, b))
    share = weight.value.double().abs() + weight.error
    carried = a.error * (1 + share) + b.error * (1 + share) + weight.error * (ours + theirs)
    rounded = kind.gamma(6) * (1 + share) * (ours + theirs) + 4 * kind.tiny
    return Tracked(value, (carried + rounded) * (1 + 2.0**-40))


def _vector_norm(a: Tracked, *, dim: int) -> Tracked:
    """The Euclidean norm, whose slope is 1 in the norm of the errors; squares may underflow."""
    kind = rounding.format_of(a.value.dtype)
    value = torch.linalg.vector_norm(a.value, dim=dim)
    terms, carried = a.value.shape[dim], torch.linalg.vector_norm(a.error, dim=dim)
    rounded = kind.gamma(terms + 3) * (value.double() + carried) + (terms * kind.tiny) ** 0.5
    return Tracked(value, (carried + rounded) * (1 + 2.0**-40))


def _of_one(
    function: Callable[[Tensor], Tensor], bound: Callable[..., Tensor]
) -> Callable[[Tracked], Tracked]:
    def rule(a: Tracked) -> Tracked:
        value = function(a.value)
        return Tracked(value, bound(value, a.error, rounding.format_of(value.dtype)))

    return rule


def _total(function: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tracked, Tracked], Tracked]:
    def rule(a: Tracked, b: Tracked) -> Tracked:
        value = function(a.value, b.value)
        return Tracked(value, rounding.total(value, a.error, b.error, rounding.format_of(value.dtype)))

    return rule


def _product(a: Tracked, b: Tracked) -> Tracked:
    value = a.value * b.value
    return Tracked(
        value, rounding.product(a.value, a.error, b.value, b.error, rounding.format_of(value.dtype))
    )


_sigmoid = _of_one(torch.sigmoid, rounding.sigmoid)
_tanh = _of_one(torch.tanh, rounding.tanh)


def _of_sign(a: Tracked) -> Tracked:
    return Tracked(-a.value, a.error)


_exp = _of_one(torch.exp, rounding.exponential)
_sqrt = _of_one(torch.sqrt, rounding.square_root)
_add, _sub, _rsub = _total(torch.add), _total(torch.sub), _total(torch.rsub)

RULES: dict[Any, Callable[..., Tracked]] = {
    functional.linear: _linear,
    torch.lerp: _lerp,
    torch.linalg.vector_norm: _vector_norm,
    torch.neg: _of_sign,
    Tensor.neg: _of_sign,
    Tensor.__neg__: _of_sign,
    torch.matmul: _matmul,
    Tensor.matmul: _matmul,
    Tensor.__matmul__: _matmul,
    torch.sigmoid: _sigmoid,
    Tensor.sigmoid: _sigmoid,
    torch.tanh: _tanh,
    Tensor.tanh: _tanh,
    functional.logsigmoid: _of_one(functional.logsigmoid, rounding.log_sigmoid),
    torch.add: _add,
    Tensor.add: _add,
    Tensor.__add__: _add,
    Tensor.__radd__: _add,
    torch.sub: _sub,
    Tensor.sub: _sub,
    Tensor.__sub__: _sub,
    torch.rsub: _rsub,
    Tensor.__rsub__: _rsub,
    torch.mul: _product,
    Tensor.mul: _product,
    Tensor.__mul__: _product,
    Tensor.__rmul__: _product,
    torch.exp: _exp,
    Tensor.exp: _exp,
    torch.sqrt: _sqrt,
    Tensor.sqrt: _sqrt,
    torch.log: _log,
    Tensor.log: _log,
    torch.div: _quotient,
    Tensor.div: _quotient,
    Tensor.__truediv__: _quotient,
    torch.bmm: _matmul,
    torch.cumsum: _cumsum,
    Tensor.cumsum: _cumsum,
    torch.sum: _sum,
    Tensor.sum: _sum,
    torch.relu: _relu,
    Tensor.relu: _relu,
    functional.softplus: _softplus,
    functional.silu: _silu,
    functional.conv1d: _conv1d,
    torch.conv1d: _conv1d,
}
"""The functions that round, each with its rule; a number that is not tracked is exact."""
OPTIONS = {"dim", "keepdim", "stride", "padding", "dilation", "groups"}
"""Arguments of rules, by keyword, that are no numbers to compute with."""
MOVES = {
    torch.cat,
    torch.stack,
    functional.embedding,
    Tensor.__getitem__,
    Tensor.expand,
    Tensor.unsqueeze,
    Tensor.squeeze,
    Tensor.reshape,
    Tensor.flatten,
    Tensor.unflatten,
    Tensor.unbind,
    Tensor.chunk,
    Tensor.transpose,
    Tensor.new_zeros,
    Tensor.movedim,
    Tensor.permute,
    Tensor.diag_embed,
    torch.diag_embed,
}
"""The functions that only move numbers; errors move with them."""
MAKES = {torch.tensor, torch.zeros, torch.ones, torch.eye, torch.full, torch.arange}
"""Those that make tensors of plain numbers."""


def apply(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Apply a function to values and errors."""
    with torch._C.DisableTorchFunction():  # what a rule computes is not tracked in its turn
        if func in RULES:
            like = next(
                a.value if isinstance(a, Tracked) else a for a in args if isinstance(a, (Tracked, Tensor))
            )
            options = {name: value for name, value in kwargs.items() if name in OPTIONS}
            if RULES[func] in (_cumsum, _sum) and len(args) > 1:  # the axis, by place
                args, options = args[:1], {**options, "dim": args[1]}
            left = {n: x for n, x in kwargs.items() if n not in OPTIONS and (n != "inplace" or x)}
            every = [*args, *left.values()]
            return RULES[func](*(a if a is None else _tracked(a, like) for a in every), **options)
        if func in MOVES:
            return _apply_move(func, args, kwargs)
    raise TypeError(f"{getattr(func, '__name__', func)} has no rule for the error of what it computes")


def _tracked(value: Any, like: Tensor) -> Tracked:
    if isinstance(value, Tracked):
        return value
    return Tracked.exact(
        value if isinstance(value, Tensor) else torch.as_tensor(value, dtype=like.dtype, device=like.device)
    )


def _exact(value: Any) -> Any:
    return Tracked.exact(value) if isinstance(value, Tensor) and value.is_floating_point() else value


def _apply_move(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    def part(value: Any, name: str) -> Any:
        if isinstance(value, (list, tuple)):
            return type(value)(part(v, name) for v in value)
        return getattr(value, name) if isinstance(value, Tracked) else value

    flat = [b for a in args for b in (a if isinstance(a, (list, tuple)) else [a])]
    if not any(isinstance(a, Tracked) for a in flat):
        return func(*args, **kwargs)
    if any(isinstance(a, Tensor) and a.is_floating_point() for a in flat):  # beside tracked numbers: exact
        args = [[_exact(b) for b in a] if isinstance(a, (list, tuple)) else _exact(a) for a in args]
    values, errors = (func(*[part(a, name) for a in args], **kwargs) for name in ("value", "error"))
    if isinstance(values, tuple):
        return tuple(map(Tracked, values, errors))
    return Tracked(values, errors)


class tracking(TorchFunctionMode):
    """A context in which all that torch computes carries its error, from parameters alone too."""

    def __torch_function__(self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None) -> Any:
        """The hook that torch calls in place of its function."""
        if func in RULES or func in MOVES or any(isinstance(a, Tracked) for a in args):
            return apply(func, args, kwargs or {})
        if func in MAKES or getattr(func, "__name__", "") in (
            "__get__",
            "dim",
            "size",
        ):  # shape, dtype, device
            return func(*args, **(kwargs or {}))
        raise TypeError(f"{getattr(func, '__name__', func)} has no rule for the error of what it computes")
