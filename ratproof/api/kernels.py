"""Claims of your own about a kernel: that it computes a linear recurrence.

>>> import torch
>>> def running_sum(f, u, initial_state):
...     states = []
...     for t in range(u.shape[1]):
...         initial_state = f[:, t] * initial_state + u[:, t]
...         states.append(initial_state)
...     return (torch.stack(states, 1) if states else torch.empty_like(u)), initial_state
>>> claim = kernel_claim("mine", family="elementwise", kernel=running_sum)
>>> claim.variants[0].kinds
('exact', 'sampled', 'gradient', 'split', 'independence')
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from automata.errors import InputError
from ratproof.api.own_claim import Checkable
from ratproof.evidence.subjects import Subject
from ratproof.laws.kernels.bounds.rounding import KernelForm
from ratproof.laws.kernels.family import FAMILIES, LinearRecurrence
from ratproof.laws.kernels.formats import FORMATS, WIDE
from ratproof.laws.kernels.kernel import CAPABILITIES, Kernel
from ratproof.laws.runner import kernel_rungs
from ratproof.project_settings import default_device

SCANS = ("any", "chain", "tree", "double")
INVERSES = ("substitution", "explicit")
GATE_GRADIENTS = ("direct", "cumulated")


@dataclass(frozen=True)
class KernelUnderTest(Checkable, Subject):
    """A claim about a kernel."""

    kernel: Kernel | None = None


def kernel_claim(
    name: str,
    *,
    family: str | LinearRecurrence,
    kernel: Callable[..., Any],
    against: Callable[..., Any] | None = None,
    form: str = "recurrent",
    chunk: int | None = None,
    scan: str = "any",
    inverse: str = "substitution",
    gate_gradient: str = "cumulated",
    without: Iterable[str] = (),
    multiple: int = 1,
    longest: int | None = None,
    sizes: Mapping[str, Iterable[int]] | None = None,
    lengths: Iterable[int] = (),
    dtypes: Iterable[str] = WIDE,
    accumulation: str | None = None,
    device: str | None = None,
    seconds: float = 600.0,
    gpu_memory: int | None = None,
    says: str = "",
) -> KernelUnderTest:
    """Return the claim that a kernel computes a linear recurrence within a derived rounding bound.

    The bound is derived from the arguments that describe how the kernel computes.

    Args:
        name: the claim's name, in small letters, digits and hyphens.
        family: one of :data:`ratproof.laws.kernels.family.FAMILIES` by name, or a recurrence of your own.
        kernel: called by keyword with the family's tensors (axes B, T, H and K or V), ``scale`` (a number, or
            None for K^(-1/2)), ``initial_state`` (shape ``(N, H, K, V)``, or None), ``output_final_state``
            and ``cu_seqlens`` (int64, N + 1 offsets into strings packed in one row, or None); it returns the
            pair of outputs and final state. An option that its signature lacks is left out if it is None.
        against: another kernel with the same calling convention, to compare with instead of the family's
            recurrence; the family then only determines the inputs. Rounding is measured
            (:mod:`ratproof.laws.kernels.measured`), and no rung is exact.
        form: ``recurrent``, step by step; or ``chunked``.
        chunk: the number of tokens in a chunk.
        scan: how a chunked kernel cumulates logarithms of decays within a chunk: in ``any`` order, in a
            ``chain``, in a ``tree``, or with a ``double`` accumulator.
        inverse: how a chunked kernel of a delta rule computes its corrections: by ``substitution``, or with
            an ``explicit`` inverse.
        gate_gradient: how the gradients of decays are computed: ``direct``, from the state before the token,
            like the derivative of a step, or perhaps ``cumulated``, as sums over later tokens, which cancel.
            With ``cumulated``, the bound is wider, and fewer numbers count.
        without: capabilities that the kernel lacks, names of
            :data:`ratproof.laws.kernels.kernel.CAPABILITIES`; they are not tested, and the verdict names
            them.
        multiple: the kernel only reads strings whose lengths are multiples of this number of tokens; its
            strings are then not packed. The verdict names it.
        longest: the maximum number of tokens that the kernel reads, or that it gets because it is slow; the
            verdict names it.
        sizes: the sizes of calls by axis: ``{"K": (64, 128), "V": (64, 128)}`` for a kernel that takes no
            others. The axes are B, H, K and V, or B and D; an axis that is not named has the usual sizes. The
            verdict names them.
        lengths: the numbers of tokens T of the calls, instead of the usual and random ones; the verdict names
            them.
        dtypes: the formats of its tensors: ``float32``, ``float64`` and, with an accumulation, ``bfloat16``
            and ``float16``.
        accumulation: the wider format of its initial and final states, and of everything that it computes
            from narrow tensors until it rounds its outputs: ``float32`` or ``float64``.
        device: the device of its tensors; by default the one that ``[tool.ratproof] device`` or the
            environment variable ``RATPROOF_DEVICE`` names, otherwise ``cpu``.
        seconds: the time limit of a rung, checked between calls. If it is too short for all calls, the
            verdict is ``unknown``, unless one was wrong.
        gpu_memory: the number of bytes that torch may hold on a GPU; a kernel that asks for more gets torch's
            ``OutOfMemoryError``. By default half of the free memory.
        says: the claim in a sentence.

    Raises:
        InputError: a name is not known, or the parts do not fit together.
    """
    device = device or default_device()
    own = _family(name, family)
    unsupported, formats = frozenset(_names(name, "without", without)), tuple(_names(name, "dtypes", dtypes))
    _require(name, "without", unsupported, CAPABILITIES)
    _require(name, "dtypes", formats, FORMATS)
    _require(name, "form", [form], ("recurrent", "chunked"))
    _require(name, "scan", [scan], SCANS)
    _require(name, "inverse", [inverse], INVERSES)
    _require(name, "gate_gradient", [gate_gradient], GATE_GRADIENTS)
    if accumulation is not None:
        _require(name, "accumulation", [accumulation], WIDE)
    narrow = next((dtype for dtype in formats if dtype not in WIDE), None)
    if (narrow is None) != (accumulation is None):
        raise InputError(
            f"{name}: accumulation must be the format that the kernel accumulates in if dtypes has a narrow"
            f" one, and None otherwise, got {accumulation!r} for the dtypes {formats}"
        )
    if (form == "chunked") != (chunk is not None) or (
        chunk is not None and (type(chunk) is not int or chunk < 1)
    ):
        raise InputError(
            f"{name}: chunk must be a positive integer if the form is 'chunked', and None otherwise, got"
            f" {chunk!r} for the form {form!r}"
        )
    if type(multiple) is not int or multiple < 1 or (multiple > 1 and "cu_seqlens" not in unsupported):
        raise InputError(
            f"{name}: multiple must be a positive integer, and 1 unless without has 'cu_seqlens', got"
            f" {multiple!r}"
        )
    if longest is not None and (type(longest) is not int or longest < multiple):
        raise InputError(f"{name}: longest must be an integer of at least {multiple}, got {longest!r:.60}")
    axes = "BD" if own.lanes else "BHKV"
    chosen = {
        axis: _integers(name, f"sizes[{axis!r}]", own_sizes, 1) for axis, own_sizes in (sizes or {}).items()
    }
    _require(name, "sizes", chosen, axes)
    times = _integers(name, "lengths", lengths, 0) if lengths else ()
    if times and (longest is not None or any(time % multiple for time in times)):
        raise InputError(
            f"{name}: lengths must be multiples of {multiple}, without longest= beside them, got {times}"
        )
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
        raise InputError(f"{name}: seconds must be positive, got {seconds!r:.60}")
    if gpu_memory is not None and (type(gpu_memory) is not int or gpu_memory < 1):
        raise InputError(f"{name}: gpu_memory must be a number of bytes, got {gpu_memory!r:.60}")
    for what, function in (("kernel", kernel), ("other kernel", against)):
        if not callable(function) and (what == "kernel" or function is not None):
            raise InputError(f"{name}: the {what} must be a function, got a {type(function).__name__}")
    _require_options(name, own, kernel, unsupported)
    if not formats:
        raise InputError(f"{name}: dtypes must have at least one of {', '.join(FORMATS)}, got none")
    cumulated = gate_gradient == "cumulated"
    brought = Kernel(
        name,
        own,
        kernel,
        KernelForm(chunk, scan, inverse),
        without=unsupported,
        dtypes=formats,
        device=device,
        cumulated=cumulated,
        accumulation=accumulation,
        against=against,
        multiple=multiple,
        longest=longest,
        sizes=chosen,
        lengths=times,
        seconds=float(seconds),
        gpu_memory=gpu_memory,
    )
    if not says and against is None:
        says = f"the kernel computes {own.name}" + (f": {own.says}" if own.says else "")
    says = says or "the kernel computes what the other one computes"
    return KernelUnderTest(name, says, kernel_rungs(brought, tuple(_kinds(brought))), device, brought)


believe_kernel = kernel_claim
"""An older name of :func:`kernel_claim`."""


def _kinds(kernel: Kernel) -> Iterable[str]:
    """Yield the rungs that apply to the kernel."""
    rounds = kernel.family.fixed_decay or kernel.against is not None
    if not rounds and not kernel.without & {"exact", "scale"}:
        yield "exact"
    yield "sampled"
    if "gradient" not in kernel.without and set(kernel.dtypes) & set(WIDE):
        yield "gradient"
    if not kernel.without & {"initial-state", "final-state"}:
        yield "split"
    yield "independence"


def _require_options(
    name: str, family: LinearRecurrence, kernel: Callable[..., Any], unsupported: frozenset[str]
) -> None:
    """Raise InputError if the kernel lacks an argument for an option that it should support."""
    try:
        parameters = inspect.signature(kernel).parameters
    except (TypeError, ValueError):
        return
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
        return
    options = {"initial-state": "initial_state"} | ({"cu_seqlens": "cu_seqlens"} if family.packed else {})
    missing = {o: a for o, a in options.items() if o not in unsupported and a not in parameters}
    if missing:
        listed = " and no ".join(f"argument {argument}" for argument in missing.values())
        raise InputError(
            f"{name}: the kernel has no {listed}; add without={list(missing)} to skip what needs it"
        )


def _family(name: str, family: str | LinearRecurrence) -> LinearRecurrence:
    if isinstance(family, LinearRecurrence):
        return family
    if family not in FAMILIES:
        raise InputError(f"{name}: the family must be one of {', '.join(FAMILIES)}, got {family!r}")
    return FAMILIES[family]


def _names(name: str, what: str, values: Iterable[str]) -> Iterable[str]:
    if isinstance(values, str):
        raise InputError(f"{name}: {what} must be a tuple of names, got {values!r}")
    return values


def _integers(name: str, what: str, values: Iterable[int], least: int) -> tuple[int, ...]:
    """Return the integers sorted and without duplicates; raise InputError if one is below ``least``."""
    numbers = [] if isinstance(values, str) or not isinstance(values, Iterable) else list(values)
    if not numbers or any(type(n) is not int or n < least for n in numbers):
        raise InputError(
            f"{name}: {what} must be a tuple of integers of at least {least}, got {values!r:.60}"
        )
    return tuple(sorted(set(numbers)))


def _require(name: str, what: str, values: Iterable[str], right: Iterable[str]) -> None:
    known = list(right)
    wrong = next((value for value in values if value not in known), None)
    if wrong is not None:
        raise InputError(f"{name}: {what} must be one of {', '.join(known)}, got {wrong!r}")
