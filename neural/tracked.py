"""Tensors that propagate a bound on their rounding error (running error analysis).

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
from torch.utils import _pytree as pytree

from neural import rounding


def _function(name: str) -> Callable[..., Any]:
    return lambda *values: apply(getattr(torch, name), values, {})


FACTORIES = {torch.tensor, torch.zeros, torch.ones, torch.eye, torch.full, torch.arange}
"""Tensor factories, whose results are exact."""
PROPERTIES = ("__get__", "dim", "size")
"""Names of attributes and methods that do not return values, such as shape, dtype and device."""
OPTIONS = {"dim", "keepdim", "stride", "padding", "dilation", "groups"}
"""Keyword arguments of rules that are not operands."""
POSITIONAL = {"cumsum": ("dim",), "sum": ("dim", "keepdim")}
"""Options that may be passed by position, after the operand."""
_OPERANDS = ("input", "other", "end", "weight", "bias")
"""The names of operands in torch's signatures, in their order."""
DATA_MOVEMENT = frozenset(
    (
        *("cat", "stack", "embedding", "getitem", "expand", "unsqueeze", "squeeze", "reshape", "flatten"),
        *("unflatten", "unbind", "chunk", "transpose"),
        *("movedim", "permute", "diag_embed", "clone"),
    )
)
"""The operations that only move elements; the errors are moved in the same way."""
CONSTANTS = frozenset(("zeros_like", "ones_like", "new_zeros", "new_ones"))
"""The operations that use only the shape of their argument; their results are exact."""
ALIASES = {"radd": "add", "rmul": "mul", "truediv": "div", "bmm": "matmul", "logsigmoid": "log_sigmoid"}


def operation_of(func: Any) -> str:
    """Return the name of a function's operation: torch.add, Tensor.add and ``+`` have the same name.

    >>> operation_of(Tensor.__radd__), operation_of(torch.linalg.vector_norm)
    ('add', 'linalg_vector_norm')
    """
    name = getattr(func, "__name__", "").removeprefix("__").removesuffix("__")
    return ALIASES.get(name, name)


def in_order(args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
    """Return the operands of a function, in the order in which torch's signature lists them.

    >>> in_order(["a"], {"weight": "w", "end": "b"})  # of torch.lerp
    ['a', 'b', 'w']
    """
    names = sorted(kwargs, key=lambda name: _OPERANDS.index(name) if name in _OPERANDS else len(_OPERANDS))
    return [*args, *(kwargs[name] for name in names if name != "inplace" or kwargs[name])]


class BoundedTensor:
    """The base class of tensors with a bound on the error of ``value``.

    It has some attributes of torch.Tensor.
    """

    value: Tensor
    transpose: Callable[..., Any]

    @property
    def shape(self) -> torch.Size:
        """Return the tensor's shape."""
        return self.value.shape

    @property
    def dtype(self) -> torch.dtype:
        """Return the tensor's dtype."""
        return self.value.dtype

    @property
    def device(self) -> torch.device:
        """Return the tensor's device."""
        return self.value.device

    def dim(self) -> int:
        """Return the number of axes."""
        return self.value.dim()

    def size(self, dim: int | None = None) -> Any:
        """Return the tensor's shape, or its size along the axis ``dim``."""
        return self.shape if dim is None else self.shape[dim]

    @property
    def mT(self) -> Any:  # the name of the attribute of torch.Tensor
        """Return the tensor with the last two axes exchanged."""
        return self.transpose(-1, -2)


@dataclass(frozen=True, eq=False)
class RunningErrorTensor(BoundedTensor):
    """A float tensor with a bound on its distance from the result of exact arithmetic.

    It supports the operations in :data:`RULES` and :data:`DATA_MOVEMENT`; other operations raise TypeError.

    Attributes:
        value: the computed tensor.
        error: the bound, in float64, of the same shape.
    """

    value: Tensor
    error: Tensor

    @classmethod
    def exact(cls, value: Tensor) -> RunningErrorTensor:
        """Return the tensor with an error bound of zero."""
        return cls(value, torch.zeros(value.shape, dtype=torch.float64, device=value.device))

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None) -> Any:
        """Compute a torch function and a bound on the error of its result."""
        return apply(func, args, kwargs or {})

    def __getattr__(self, name: str) -> Any:
        """Return the method of torch.Tensor with this name, if :class:`RunningErrorTensor` supports it.

        A method is supported if its operation has a rule in :data:`RULES` or only moves elements.
        """
        func = getattr(Tensor, name, None)
        if operation_of(func) in {*RULES, *DATA_MOVEMENT, *CONSTANTS}:
            return lambda *args, **kwargs: apply(func, (self, *args), kwargs)
        raise AttributeError(f"{name} is not supported: no rule bounds the error of its result")

    def __getitem__(self, index: Any) -> Any:
        return apply(Tensor.__getitem__, (self, index), {})

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


def _linear(
    inputs: RunningErrorTensor, weight: RunningErrorTensor, bias: RunningErrorTensor | None = None
) -> RunningErrorTensor:
    if weight.error.any() or (bias is not None and bias.error.any()):
        product = _matmul(inputs, RunningErrorTensor(weight.value.T, weight.error.T))
        return product if bias is None else RULES["add"](product, bias)
    value = functional.linear(inputs.value, weight.value, None if bias is None else bias.value)
    return RunningErrorTensor(
        value, rounding.affine(weight.value, None if bias is None else bias.value, inputs.value, inputs.error)
    )


def _matmul(a: RunningErrorTensor, b: RunningErrorTensor) -> RunningErrorTensor:
    """Return the matrix product of two tensors, both of which may have error bounds other than 0."""
    if b.dim() == 2 and not bool(b.error.any()):
        return _linear(a, RunningErrorTensor.exact(b.value.T))
    kind, terms = rounding.format_of(a.value.dtype), a.value.shape[-1]
    ours, theirs = a.value.double().abs(), b.value.double().abs()
    carried = a.error @ theirs + ours @ b.error + a.error @ b.error
    return RunningErrorTensor(a.value @ b.value, rounding.summed(ours @ theirs, carried, terms, kind))


def _conv1d(
    inputs: RunningErrorTensor,
    weight: RunningErrorTensor,
    bias: RunningErrorTensor | None = None,
    **options: Any,
) -> RunningErrorTensor:
    """Return a convolution of tensors with errors; it may be grouped, and the weights must be exact."""
    if bool(weight.error.any()) or (bias is not None and bool(bias.error.any())):
        raise TypeError("conv1d is supported only for exact weights")
    value = functional.conv1d(inputs.value, weight.value, None if bias is None else bias.value, **options)
    sizes = weight.value.double().abs()
    size = functional.conv1d(inputs.value.double().abs(), sizes, **options)
    size = size if bias is None else size + bias.value.double().abs()[:, None]
    carried = functional.conv1d(inputs.error, sizes, **options)
    kind, terms = rounding.format_of(value.dtype), weight.value[0].numel() + 1
    return RunningErrorTensor(value, rounding.summed(size, carried, terms, kind))


def _cumsum(a: RunningErrorTensor, *, dim: int) -> RunningErrorTensor:
    """Return cumulative sums, for example of log-gates, with a bound for any order of summation."""
    value, size = torch.cumsum(a.value, dim), torch.cumsum(a.value.double().abs(), dim)
    kind, terms = rounding.format_of(value.dtype), a.value.shape[dim]
    return RunningErrorTensor(
        value, rounding.summed(size, torch.cumsum(a.error, dim), terms, kind, products=False)
    )


def _sum(a: RunningErrorTensor, *, dim: int, keepdim: bool = False) -> RunningErrorTensor:
    value = torch.sum(a.value, dim, keepdim=keepdim)
    size = torch.sum(a.value.double().abs(), dim, keepdim=keepdim)
    carried = torch.sum(a.error, dim, keepdim=keepdim)
    kind, terms = rounding.format_of(value.dtype), a.value.shape[dim]
    return RunningErrorTensor(value, rounding.summed(size, carried, terms, kind, products=False))


def _silu(a: RunningErrorTensor) -> RunningErrorTensor:
    """Return x sigmoid(x), with a bound that holds whether torch computes it in one step or in two."""
    product = RULES["mul"](a, RULES["sigmoid"](a))
    value = functional.silu(a.value)
    more = rounding.format_of(value.dtype).gamma(rounding.FUNCTION_ROUNDINGS + 2)
    return RunningErrorTensor(value, product.error + more * (value.double().abs() + product.error))


def _lerp(a: RunningErrorTensor, b: RunningErrorTensor, weight: RunningErrorTensor) -> RunningErrorTensor:
    """Return a + weight (b - a), or b - (b - a) (1 - weight); the forms are equal, and torch uses both."""
    kind = rounding.format_of(a.value.dtype)
    value = torch.lerp(a.value, b.value, weight.value)
    ours, theirs = (part.value.double().abs() + part.error for part in (a, b))
    share = weight.value.double().abs() + weight.error
    carried = a.error * (1 + share) + b.error * (1 + share) + weight.error * (ours + theirs)
    rounded = kind.gamma(6) * (1 + share) * (ours + theirs) + 4 * kind.tiny
    return RunningErrorTensor(value, (carried + rounded) * (1 + 2.0**-40))


def _vector_norm(a: RunningErrorTensor, *, dim: int) -> RunningErrorTensor:
    """Return the Euclidean norm; its propagated error is at most the norm of the errors."""
    kind = rounding.format_of(a.value.dtype)
    value = torch.linalg.vector_norm(a.value, dim=dim)
    terms, carried = a.value.shape[dim], torch.linalg.vector_norm(a.error, dim=dim)
    rounded = kind.gamma(terms + 3) * (value.double() + carried) + (terms * kind.tiny) ** 0.5
    return RunningErrorTensor(value, (carried + rounded) * (1 + 2.0**-40))


def _rule(function: Callable[..., Tensor], bound: Callable[..., Tensor]) -> Callable[..., RunningErrorTensor]:
    """Return the rule for an elementwise function, such as tanh.

    Args:
        function: the function on plain tensors.
        bound: maps the value, its dtype and the arguments to a bound on the value's error.
    """

    def rule(*arguments: RunningErrorTensor) -> RunningErrorTensor:
        value = function(*(a.value for a in arguments))
        return RunningErrorTensor(value, bound(value, rounding.format_of(value.dtype), *arguments))

    return rule


def _from_errors(bound: Callable[..., Tensor]) -> Callable[..., Tensor]:
    return lambda value, kind, *arguments: bound(value, *(a.error for a in arguments), kind)


RULES: dict[str, Callable[..., RunningErrorTensor]] = {
    "add": _rule(torch.add, _from_errors(rounding.total)),
    "sub": _rule(torch.sub, _from_errors(rounding.total)),
    "rsub": _rule(torch.rsub, _from_errors(rounding.total)),
    "neg": _rule(torch.neg, lambda value, kind, a: a.error),
    "relu": _rule(torch.relu, lambda value, kind, a: a.error),
    "mul": _rule(
        torch.mul, lambda value, kind, a, b: rounding.product(a.value, a.error, b.value, b.error, kind)
    ),
    "div": _rule(
        torch.div, lambda value, kind, a, b: rounding.quotient(value, a.error, b.value, b.error, kind)
    ),
    "log": _rule(torch.log, lambda value, kind, a: rounding.logarithm(value, a.value, a.error, kind)),
    "exp": _rule(torch.exp, _from_errors(rounding.exponential)),
    "sqrt": _rule(torch.sqrt, _from_errors(rounding.square_root)),
    "sigmoid": _rule(torch.sigmoid, _from_errors(rounding.sigmoid)),
    "tanh": _rule(torch.tanh, _from_errors(rounding.tanh)),
    "log_sigmoid": _rule(functional.logsigmoid, _from_errors(rounding.log_sigmoid)),
    "softplus": _rule(functional.softplus, _from_errors(rounding.softplus)),
    "silu": _silu,
    "lerp": _lerp,
    "linalg_vector_norm": _vector_norm,
    "linear": _linear,
    "matmul": _matmul,
    "conv1d": _conv1d,
    "cumsum": _cumsum,
    "sum": _sum,
}
"""The rule for each operation that rounds; untracked tensors are exact."""


def apply(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Apply a torch function to tensors with error bounds.

    Functions that round have a rule in :data:`RULES`. Functions that only move elements are applied to the
    values and to the errors.
    """
    operation = operation_of(func)
    with torch._C.DisableTorchFunction():  # a rule's own computations are not tracked
        if operation in RULES:
            of_tensors = (a for a in args if isinstance(a, (RunningErrorTensor, Tensor)))
            first = next(of_tensors)
            like = first.value if isinstance(first, RunningErrorTensor) else first
            options = {name: value for name, value in kwargs.items() if name in OPTIONS}
            if operation in POSITIONAL:
                args, options = args[:1], options | dict(zip(POSITIONAL[operation], args[1:], strict=False))
            every = in_order(args, {name: x for name, x in kwargs.items() if name not in OPTIONS})
            return RULES[operation](*(a if a is None else _tracked(a, like) for a in every), **options)
        if operation in DATA_MOVEMENT:
            return _apply_move(func, args, kwargs)
        if operation in CONSTANTS:
            return func(getattr(args[0], "value", args[0]), *args[1:], **kwargs)
    raise TypeError(f"{getattr(func, '__name__', func)} is not supported: no rule bounds its error")


def _tracked(value: Any, like: Tensor) -> RunningErrorTensor:
    if isinstance(value, RunningErrorTensor):
        return value
    return RunningErrorTensor.exact(
        value if isinstance(value, Tensor) else torch.as_tensor(value, dtype=like.dtype, device=like.device)
    )


def _apply_move(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    arguments, structure = pytree.tree_flatten(list(args))
    if not any(isinstance(x, RunningErrorTensor) for x in arguments):
        return func(*args, **kwargs)

    def part(value: Any, name: str) -> Any:
        if isinstance(value, Tensor) and value.is_floating_point():  # untracked tensors are exact
            value = RunningErrorTensor.exact(value)
        return getattr(value, name) if isinstance(value, RunningErrorTensor) else value

    values, errors = (
        func(*pytree.tree_unflatten([part(x, name) for x in arguments], structure), **kwargs)
        for name in ("value", "error")
    )
    if isinstance(values, tuple):
        return tuple(map(RunningErrorTensor, values, errors))
    return RunningErrorTensor(values, errors)


class tracking(TorchFunctionMode):
    """A context in which all results of torch functions have an error bound, even for plain parameters."""

    def __torch_function__(self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None) -> Any:
        """Compute a torch function and a bound on the error of its result."""
        operation, own = operation_of(func), any(isinstance(a, RunningErrorTensor) for a in args)
        if operation in {*RULES, *DATA_MOVEMENT, *CONSTANTS} or own:
            return apply(func, args, kwargs or {})
        if func in FACTORIES or getattr(func, "__name__", "") in PROPERTIES:
            return func(*args, **(kwargs or {}))
        raise TypeError(f"{getattr(func, '__name__', func)} is not supported: no rule bounds its error")
