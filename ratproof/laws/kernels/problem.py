"""A call of a kernel, defined by its shapes, its options and the seed of its values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from ratproof.laws.kernels.family import LinearRecurrence
from ratproof.laws.kernels.formats import FORMATS, rounded
from ratproof.laws.kernels.layouts import CONTIGUOUS, FAR, FAR_SAYS, LAYOUTS, laid_out
from ratproof.laws.kernels.state_parts import Arguments, Shapes

Numbers = Literal["exact", "plain", "real"]
MODES = {
    "plain": "",
    "inference": "in torch.inference_mode()",
    "sum": "the gradients of a plain sum",
    "twice": "in the second of two backward passes",
}
"""Modes of calling a kernel, each with its description in the text of a call."""
BURST = 1_000.0
"""Maximum absolute sum of the logarithms of decays in a burst."""
LARGE = {"exact": 16.0, "plain": 16.0, "real": 32.0}
"""Factor of large values: a power of two, so that exact sums stay exact."""
LARGE_GATE = 4.0
"""Factor of the logarithms of gates if values are large."""
SLOTS = 8
"""Maximum size of the axis M, which is computed from K and V."""
SHORT = 8
"""Maximum length of sequences with frequent gates of -infinity, so that their counterexamples are short."""


@dataclass(frozen=True)
class Problem:
    """A call of a kernel.

    Attributes:
        family: The recurrence.
        dtype: The dtype of all tensors except the states.
        accumulation: The dtype of states and sums.
        lengths: The length T of all rows, or the length of each sequence if sequences are packed.
        batch: B; 1 if sequences are packed.
        heads, keys, values: H, K and V. For a family of lanes, ``heads`` is the number D of lanes, and for a
            convolution, ``keys`` is W.
        packed: Whether ``cu_seqlens`` is passed.
        has_initial_state: Whether ``initial_state`` is passed.
        scale: A number, or None.
        numbers: ``exact``: sums do not round; ``plain``: few distinct small values; ``real``: any values.
        gates: Kind of the logarithms of decays: ``none``, ``mild``, ``bursts`` or ``infinite``.
        directions: Directions of the keys that correct a state: ``hot`` (one-hot and repeated) or ``free``.
        seed: Seed of the values.
        layout: Memory layout of the tensors, a key of :data:`~ratproof.laws.kernels.layouts.LAYOUTS`.
        large: Whether queries, values, initial states, and keys without corrections are large.
        final: Value of ``output_final_state``.
        offsets: The dtype of ``cu_seqlens``.
        frozen: Names of tensors without ``requires_grad`` when gradients are computed.
        mode: Mode of the call, a key of :data:`MODES`.
        substeps: The number of steps per token.
    """

    family: LinearRecurrence
    dtype: str
    accumulation: str
    lengths: tuple[int, ...]
    batch: int
    heads: int
    keys: int
    values: int
    packed: bool
    has_initial_state: bool
    scale: float | None
    numbers: Numbers
    gates: str
    directions: str
    seed: int
    layout: str = CONTIGUOUS
    large: bool = False
    final: bool = True
    offsets: str = "int64"
    frozen: tuple[str, ...] = ()
    mode: str = "plain"
    substeps: int = 1

    @property
    def time(self) -> int:
        """Return T of the tensors, the total length if sequences are packed."""
        return sum(self.lengths) if self.packed else self.lengths[0]

    @property
    def rows(self) -> int:
        """Return the number N of states."""
        return len(self.lengths) if self.packed else self.batch

    @property
    def factor(self) -> float:
        """Return the scale as a number; ``None`` means its default."""
        if not self.family.scaled:
            return 1.0
        return self.keys**-0.5 if self.scale is None else self.scale

    @property
    def state_shape(self) -> tuple[int, ...]:
        """Return the shape of ``initial_state`` and of the final state."""
        state = self.family.state
        if isinstance(state, tuple):
            return (self.rows, self.heads, sum(map(prod, self.part_shapes)))
        if state:
            return (self.rows, *self.shape(state))
        if self.family.window:
            return (self.rows, self.heads, self.keys)
        if self.family.lanes:
            return (self.rows, self.heads, 2) if self.family.pairs else (self.rows, self.heads)
        return (self.rows, self.heads, self.keys, self.values + self.family.normalised)

    @property
    def part_shapes(self) -> Shapes:
        """Return the shapes of the tensors of a state without their first two axes, if it is a tuple."""
        state = self.family.state
        return [self.shape(axes[1:]) for axes in state] if isinstance(state, tuple) else []

    @property
    def in_parts(self) -> bool:
        """Return whether the state is a tuple of tensors."""
        return isinstance(self.family.state, tuple)

    def shape(self, axes: str) -> tuple[int, ...]:
        """Return the shape of a tensor with these axes."""
        sizes = {"B": self.batch, "T": self.time, "H": self.heads, "K": self.keys, "V": self.values}
        sizes |= {"D": self.heads, "P": 2, "W": self.keys, "S": self.time * self.substeps}
        sizes["M"] = 1 + (self.keys + 2 * self.values) % SLOTS
        return tuple(sizes[axis] for axis in axes)

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """Return the values of all tensors, and of ``initial_state`` if it is passed.

        The dtypes of the tensors can represent these values exactly.
        """
        rng = np.random.default_rng(self.seed)
        arrays = {name: self._tensor(name, axes, rng) for name, axes in self.family.tensors.items()}
        if self.has_initial_state:
            state = arrays["initial_state"] = self._values(rng, self.state_shape)
            if self.family.normalised:
                state[..., -1] = np.abs(state[..., -1])
        if self.large:
            family = self.family
            linear = {family.query, family.value, "initial_state"}
            # a factor that is a power of two does not cause rounding; keys do not affect initial states
            keys = {family.key} if self.numbers == "real" and family.correction != "delta" else set()
            for name in arrays.keys() & (linear | keys) - family.kinds.keys():
                arrays[name] = LARGE[self.numbers] * arrays[name]
        return {name: self.in_format(name, array) for name, array in arrays.items()}

    def format_of(self, name: str) -> str:
        """Return the dtype of an argument, of a result, or of an argument's gradient."""
        state = name.removesuffix(".grad") in ("initial_state", "final_state")
        return self.accumulation if state else self.dtype

    def in_format(self, name: str, array: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values rounded to the dtype of an argument."""
        return rounded(array, self.format_of(name))

    def weights(self) -> dict[str, NDArray[np.float64]]:
        """Return random weights for the sum of outputs and final state whose gradients are compared."""
        rng = np.random.default_rng((self.seed, 1))
        shapes = {"o": self.shape(self.family.output_axes), "final_state": self.state_shape}
        if self.mode == "sum":
            return {name: np.ones(shape) for name, shape in shapes.items()}
        return {name: self.in_format(name, self._values(rng, shape)) for name, shape in shapes.items()}

    def arguments(self, arrays: dict[str, NDArray[np.float64]], device: str = "cpu") -> Arguments:
        """Return the arguments of a kernel: tensors of the dtype, in the layout, on the device."""
        tensors = {n: torch.tensor(x, dtype=FORMATS[self.format_of(n)].dtype) for n, x in arrays.items()}
        arguments: Arguments = dict(laid_out({n: x.to(device) for n, x in tensors.items()}, self.layout))
        arguments.setdefault("initial_state", None)
        arguments["output_final_state"] = self.final
        if self.family.scaled:
            arguments["scale"] = self.scale
        if self.family.substeps:
            arguments[self.family.substeps] = self.substeps
        if self.family.packed:
            arguments["cu_seqlens"] = None
        if self.packed:
            offsets = torch.tensor(np.cumsum((0, *self.lengths)), dtype=getattr(torch, self.offsets))
            arguments["cu_seqlens"] = offsets.to(device)
        return arguments

    def spans(self) -> list[tuple[int, int, int]]:
        """Return, for each state, its row in the tensors, and the begin and end of its tokens."""
        if not self.packed:
            return [(row, 0, self.time) for row in range(self.batch)]
        ends = np.cumsum((0, *self.lengths)).tolist()
        return [(0, ends[i], ends[i + 1]) for i in range(len(self.lengths))]

    def tokens(self, name: str, begin: int, end: int) -> slice:
        """Return the slice of a tensor's time axis for the tokens from ``begin`` to ``end``."""
        often = self.substeps if "S" in self.family.tensors[name] else 1
        return slice(begin * often, end * often)

    def part(self, lengths: tuple[int, ...]) -> Problem:
        """Return the same call with other lengths."""
        return replace(self, lengths=lengths)

    def sizes(self) -> dict[str, int]:
        """Return the size of each axis."""
        every = {"D": self.heads, "W": self.keys, "H": self.heads, "K": self.keys, "V": self.values}
        states = {axis: size for axis, size in every.items() if axis in self.family.axes}
        if any("M" in axes for axes in self.family.tensors.values()):
            states["M"] = self.shape("M")[0]
        return {"B": self.batch, "T": self.time, **states}

    def says(self) -> str:
        """Return the shapes and options of the call on one line."""
        sizes = ", ".join(f"{axis} = {size}" for axis, size in self.sizes().items())
        more = [f"sequences of {', '.join(map(str, self.lengths))} tokens"] if self.packed else []
        more += [f"{self.family.substeps} = {self.substeps}"] if self.family.substeps else []
        more += ["an initial state"] if self.has_initial_state else []
        more += [f"scale = {self.scale}"] if self.family.scaled else []
        more += ["-infinity among the gates"] if self.gates == "infinite" and self._gated else []
        more += ["gates in bursts"] if self.gates == "bursts" and self._gated else []
        more += ["large values"] if self.large else []
        more += [{**LAYOUTS, FAR: FAR_SAYS}[self.layout]] if self.layout != CONTIGUOUS else []
        more += [f"offsets in {self.offsets}"] if self.packed and self.offsets != "int64" else []
        more += [] if self.final else ["output_final_state = False"]
        more += [f"{' and '.join(self.frozen)} without requires_grad"] if self.frozen else []
        more += [MODES[self.mode]] if MODES[self.mode] else []
        wider = f" (states {self.accumulation})" if self.accumulation != self.dtype else ""
        return f"{sizes}, {self.dtype}{wider}" + "".join(f", {what}" for what in more)

    @property
    def _gated(self) -> bool:
        return bool(self.family.decay or self.family.rate or "log-decay" in self.family.kinds.values())

    def _tensor(self, name: str, axes: str, rng: np.random.Generator) -> NDArray[np.float64]:
        shape, family = self.shape(axes), self.family
        kind = family.kinds.get(name)
        if kind == "positive":
            return rng.exponential(0.5, shape)
        if name == family.decay or kind == "log-decay":
            return self._logarithms(rng, shape)
        if kind == "decay-logit":
            return self._logits(rng, shape)
        if kind == "log-gate":
            return self._values(rng, shape) * (LARGE_GATE if self.large else 1.0)
        if name in (family.step, family.rate):
            return self._stepping(name, rng, shape)
        if name == family.factor and family.pairs:
            return self._turning(rng, shape)
        if name == family.factor or kind == "decay":
            return self._decays(name, rng, shape)
        if name == "beta" and family.erase:
            return self._shares(rng, shape)
        if name == "beta" and family.correction == "delta":
            integers = [0.0, 1.0] if self.numbers == "exact" else [0.0, 1.0, 2.0]
            few = rng.choice(integers, shape)
            return (
                few
                if self.numbers != "real"
                else np.where(rng.random(shape) < 0.3, few, 2 * rng.random(shape))
            )
        if family.erase and name in (family.key, family.erase):
            return self._direction(float(name == family.erase), rng, shape)
        if family.correction == "delta" and name == family.key:
            return self._keys(rng, shape)
        if family.correction == "low-rank" and name in ("a", "b"):
            return self._direction(-float(name == "b"), rng, shape)
        if family.normalised and name in (family.query, family.key):
            return np.abs(self._values(rng, shape)) + 0.25
        return self._values(rng, shape)

    def _decays(self, name: str, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return decays from 0 to 1; a factor without an input gate may also be -1."""
        family = self.family
        few = [0.0, 1.0, *([] if family.step else [-1.0])] if name == family.factor else [0.5, 1.0]
        if name != family.factor and self.gates == "infinite":
            few.append(0.0)
        share = 0.1 if self.numbers == "real" else 1.0
        return np.where(rng.random(shape) < share, rng.choice(few, shape), rng.random(shape))

    def _values(self, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return random values of this shape.

        Exact values are 0, 1 and -1. Sums over the tokens of the longest sequences, and sums of K such sums,
        stay below 2^24, so that float32 represents them exactly, and also their halves and doubles.
        """
        if self.numbers == "exact":
            return rng.choice([0.0, 0.0, 1.0, -1.0], shape)
        return rng.choice([0.0, 1.0, -1.0, 2.0], shape) if self.numbers == "plain" else rng.normal(size=shape)

    def _logarithms(self, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return logarithms of decays: 0, moderate, strong in bursts of 64 tokens, or sometimes -infinity."""
        if self.gates == "none":
            return np.zeros(shape)
        if self.gates == "infinite" or self.numbers == "exact":
            rest = np.zeros(shape) if self.numbers != "real" else -rng.exponential(0.1, shape)
            hits = rng.random(shape) < (0.3 if self.time <= SHORT else 0.05)
            return np.where(hits, -np.inf, rest) if self.gates == "infinite" else np.zeros(shape)
        mild = (
            -rng.exponential(0.1, shape)
            if self.numbers == "real"
            else -rng.integers(0, 2, shape).astype(float)
        )
        if self.gates == "bursts" and len(shape) < 3:  # one decay for all tokens
            return mild * 80.0
        if self.gates == "bursts" and self.time:
            begin = int(rng.integers(0, self.time))
            mild[:, begin : begin + 64] -= BURST / 64 * rng.random(mild[:, begin : begin + 64].shape)
        return mild

    def _logits(self, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return logits of decays, which are limited to finite values if the decay is 0 or 1."""
        if self.numbers != "real":
            return self._values(rng, shape)
        logarithms = self._logarithms(rng, shape)
        with np.errstate(divide="ignore"):
            return np.clip(logarithms - np.log(-np.expm1(logarithms)), -100.0, 40.0)

    def _stepping(self, name: str, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return random time steps, input gates or rates of decay; they are 0 if results must not round."""
        if name == self.family.rate:
            if self.numbers == "exact" or self.gates == "none":
                return np.zeros(shape)
            strong = 8.0 if self.gates == "bursts" else 0.2
            return (
                -rng.exponential(strong, shape)
                if self.numbers == "real"
                else -rng.integers(0, 3, shape).astype(float)
            )
        if not self.family.rate:
            return self._shares(rng, shape)
        if self.numbers != "real":
            return rng.choice([0.0, 1.0] if self.numbers == "exact" else [0.0, 1.0, 2.0], shape)
        return np.where(rng.random(shape) < 0.1, 0.0, rng.exponential(0.5, shape))

    def _shares(self, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return random numbers from 0 to 1; they are 0 or 1 if results must not round."""
        few = rng.choice([0.0, 1.0], shape)
        return few if self.numbers != "real" else np.where(rng.random(shape) < 0.2, few, rng.random(shape))

    def _turning(self, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return random complex factors of absolute value at most 1.

        If results must not round, they are 0 and quarter turns. Otherwise they have any angle, and half of
        them are near the unit circle.
        """
        exact = rng.choice([0.0, 1.0, -1.0, 1j, -1j], shape[:-1])
        size = rng.random(shape[:-1])
        size = np.where(rng.random(shape[:-1]) < 0.5, size, 1 - 0.01 * size)
        any_ = size * np.exp(2j * np.pi * rng.random(shape[:-1]))
        some = rng.random(shape[:-1]) < (0.1 if self.numbers == "real" else 1)
        factors = np.where(some, exact, any_)
        return np.stack([factors.real, factors.imag], -1)

    def _keys(self, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return random keys of length 1 or 0: one-hot, repeated, or of any direction."""
        hot = np.eye(self.keys)[rng.integers(0, min(3, self.keys), shape[:-1])]
        hot = np.where(rng.random(shape[:-1])[..., None] < 0.1, 0.0, hot)
        if self.numbers != "real" or self.directions == "hot":
            return hot
        free = rng.normal(size=shape)
        free /= np.maximum(np.linalg.norm(free, axis=-1, keepdims=True), 1e-300)
        return np.where(rng.random(shape[:-1])[..., None] < 0.2, hot, free)

    def _direction(
        self, sign: float, rng: np.random.Generator, shape: tuple[int, ...]
    ) -> NDArray[np.float64]:
        """Return vectors along which a correction reads or writes, such that the state does not grow.

        If ``sign`` is 0, they have length 1 or 0. Otherwise they are the same vectors times the sign and a
        number from 0 to 1; for a few tokens they have any direction.
        """
        direction = self._keys(np.random.default_rng(self.seed + 1), shape)  # the same for both tensors
        if not sign:
            return direction
        size = rng.choice([0.0, 1.0], shape[:-1]) if self.numbers != "real" else rng.random(shape[:-1])
        scaled = sign * direction * size[..., None]
        some = rng.integers(0, max(1, self.time), 4)
        own = self._keys(rng, shape)
        if self.time:
            scaled[:, some] = own[:, some]
        return np.asarray(scaled)
