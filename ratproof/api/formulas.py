"""The automata of a torch module whose weights a formula computes from the embeddings.

Bounds on the rounding of the weights are derived from the formula, so that you need not pass ``slack``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from automata.checks import checked_integer
from automata.errors import InputError
from automata.rounding.bounds import Deviation
from automata.semirings import REAL
from automata.wfsa import WFSA
from neural.tracked import RunningErrorTensor, tracking

Formula = Callable[[Tensor], Sequence[object]]
VECTORS = 32


def automata_of(
    name: str, formula: Formula, embeddings: Tensor, alphabet: Sequence[str]
) -> tuple[list[WFSA], list[Deviation]]:
    """Evaluate a formula for a module's weights, and return one automaton per unit with rounding bounds.

    The bounds limit the differences between the automata's weights and the weights from any other evaluation
    of the formula in the same dtype.

    Args:
        name: Name of the claim.
        formula: A function of torch that maps the embeddings, in shape ``(symbols, input_size)``, to the
            weights ``(initial, final, matrices)``, in shapes ``(n,)``, ``(n,)`` and ``(symbols, n, n)``. Each
            weight may have a leading axis of units.
        embeddings: The embeddings, in the module's dtype.
        alphabet: The symbols.

    Raises:
        InputError: If the formula uses a function whose rounding is not known, or a shape is wrong.
    """
    inputs = RunningErrorTensor.exact(embeddings.detach())
    try:
        with torch.no_grad(), tracking():
            result: object = formula(inputs)  # type: ignore[arg-type]  # it acts as a tensor
    except (TypeError, AttributeError) as error:
        raise InputError(f"{name}: the formula cannot be evaluated with rounding bounds: {error}") from error
    if not isinstance(result, tuple | list) or len(result) != 3:
        raise InputError(f"{name}: the formula must return a tuple (initial, final, matrices)")
    parts = [
        part if isinstance(part, RunningErrorTensor) else RunningErrorTensor.exact(torch.as_tensor(part))
        for part in result
    ]
    values, errors = ([_array(getattr(part, what)) for part in parts] for what in ("value", "error"))
    states = values[0].shape[-1] if values[0].ndim else 0
    right = [(states,), (states,), (len(alphabet), states, states)]
    units = max((v.shape[0] for v, r in zip(values, right, strict=True) if v.ndim == len(r) + 1), default=1)
    for what, value, shape in zip(("initial", "final", "matrices"), values, right, strict=True):
        if value.shape not in (shape, (units, *shape)) or not states:
            raise InputError(
                f"{name}: the formula's {what} must have shape {shape}, or {(units, *shape)},"
                f" got {value.shape}"
            )
        if not np.isfinite(value).all():
            raise InputError(f"{name}: all elements of the formula's {what} must be finite")
    initial, final, matrices = (np.broadcast_to(v, (units, *r)) for v, r in zip(values, right, strict=True))
    # each of two evaluations differs from the exact value by at most its error
    off = [2 * np.broadcast_to(e, (units, *r)) for e, r in zip(errors, right, strict=True)]
    automata = [
        WFSA(REAL, initial[u], final[u], dict(zip(alphabet, matrices[u], strict=True))) for u in range(units)
    ]
    return automata, [Deviation(off[2][u], off[0][u], off[1][u]) for u in range(units)]


def drawn_vectors(
    size: int, symbols: int = VECTORS, seed: int = 0, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, list[str]]:
    """Return test vectors, and an alphabet of their names, for a module that has no alphabet.

    The vectors are zero, ones, one-hot vectors, a large and a small vector, a vector and its negative, and
    normally distributed vectors.

    >>> embeddings, alphabet = drawn_vectors(3, symbols=12)
    >>> embeddings.shape, alphabet[:4]
    (torch.Size([12, 3]), ['zero', 'ones', 'hot-0', 'hot-1'])

    Args:
        size: Size of a vector.
        symbols: Number of symbols, at least 8.
        seed: Seed of the random vectors.
        dtype: The module's dtype.

    Returns:
        The embeddings, shape ``(symbols, size)``, and an alphabet, for
        :func:`~ratproof.api.modules.module_claim`.

    Raises:
        InputError: If an argument is invalid.
    """
    if type(size) is not int or size < 1 or type(symbols) is not int or symbols < 8:
        raise InputError(
            f"drawn_vectors must have a size of at least 1 and at least 8 symbols, got {size!r:.60} and"
            f" {symbols!r:.60}"
        )
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise InputError(f"dtype must be a floating-point dtype of torch, got {dtype!r:.60}")
    generator = torch.Generator().manual_seed(checked_integer("seed", seed, least=0))

    def draw() -> Tensor:
        return torch.randn(size, generator=generator, dtype=torch.float64)

    normal = draw()
    vectors = {"zero": torch.zeros(size), "ones": torch.ones(size)}
    vectors |= {f"hot-{i}": torch.eye(size)[i] for i in range(min(size, 2))}
    vectors |= {"v-0": normal, "minus-v-0": -normal, "large": 30 * draw(), "small": 1e-4 * draw()}
    while len(vectors) < symbols:
        vectors[f"v-{len(vectors)}"] = draw()
    return torch.stack([vector.to(dtype) for vector in vectors.values()]), list(vectors)


def _array(values: Tensor) -> NDArray[np.float64]:
    return np.asarray(values.detach().double().cpu().numpy())
