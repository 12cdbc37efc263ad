"""Claims that your own kernel computes a linear recurrence.

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

from automata.errors import InputError
from ratproof.api.own_claim import Checkable
from ratproof.evidence.subjects import Subject
from ratproof.laws.kernels.bounds.rounding import KernelForm
from ratproof.laws.kernels.drawing import has_several_sequences_or_heads
from ratproof.laws.kernels.family import ALIASES, FAMILIES, KINDS, LinearRecurrence
from ratproof.laws.kernels.formats import FORMATS, WIDE
from ratproof.laws.kernels.kernel import CAPABILITIES, Kernel
from ratproof.laws.kernels.rungs import splits
from ratproof.laws.kernels.state_parts import Step, step_with_one_state
from ratproof.laws.kernels.stepwise import require_rules
from ratproof.laws.runner import kernel_rungs, require_device
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
    kernel: Callable[..., object],
    family: str | LinearRecurrence | None = None,
    step: Step | None = None,
    inputs: Mapping[str, str] | None = None,
    output: str = "v",
    state: str | tuple[str, ...] = "HKV",
    against: Callable[..., object] | None = None,
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
        name: Name of the claim, in lowercase letters, digits and hyphens.
        family: The recurrence: a name in :data:`ratproof.laws.kernels.family.FAMILIES`, or a
            :class:`~ratproof.laws.kernels.family.LinearRecurrence`. Omit it if you pass ``step``.
        step: The recurrence as a function of a state, shape ``(N, ...)``, and a dictionary of the tensors of
            one token, without their axis T. It returns the next state and the output of the token. Its
            operations need a rule in :mod:`neural.any_order`, from which the bound is derived
            (:mod:`ratproof.laws.kernels.stepwise`). Rounding of gradients is measured if an input is a decay
            and ``gate_gradient`` is ``cumulated``.
        inputs: The axes of each tensor of the ``step``, such as ``{"q": "BTHK", "u": "HK"}``, where M is a
            further size. K, M and V may repeat, as in ``HKK``. A second word in the string states the
            possible values. A ``log-decay`` is at most 0, a ``decay`` is from 0 to 1, and a ``positive``
            tensor is above 0. A ``decay-logit`` and a ``log-gate`` may have any value: the sigmoid of the
            former is a decay, and the exponential of the latter is a factor.
        output: The name of a tensor with the same axes as the outputs.
        state: The axes of the state of one sequence, of H, K, M and V, or D. If it is a tuple, such as
            ``("HKV", "HK")``, the step and the kernel have tuples of tensors as states.
        kernel: A function that returns the pair of outputs and final state. It is called by keyword with the
            tensors of the family (axes B, T, H and K or V) and with options. The options are ``scale`` (a
            number, or None for K^(-1/2)), ``initial_state`` (shape ``(N, H, K, V)``, or None),
            ``output_final_state`` (a bool) and ``cu_seqlens``. ``cu_seqlens`` has the ``N + 1`` integer
            offsets of sequences that are packed in one row, or is None. An option that is missing from the
            kernel's signature is omitted if its value is None.
        against: Another kernel with the same calling convention, which replaces the family's recurrence as
            the reference. The family then only determines the inputs. Rounding is measured
            (:mod:`ratproof.laws.kernels.measured`), and the ``exact`` check does not run.
        form: How the kernel computes: ``recurrent`` (step by step) or ``chunked``.
        chunk: Number of tokens in a chunk.
        scan: How a chunked kernel accumulates the logarithms of decays within a chunk: in ``any`` order, in a
            ``chain``, in a ``tree``, or with a ``double`` accumulator.
        inverse: How a chunked kernel of a delta rule computes its corrections: by ``substitution``, or with
            an ``explicit`` inverse. The inverse must be computed by a triangular solver, because
            ``torch.linalg.inv`` exchanges rows, and its errors may exceed the bounds.
        gate_gradient: How the kernel computes the gradients of decays. With ``direct``, it computes them from
            the state before the token. With ``cumulated``, it may also sum them over later tokens, where
            terms cancel. The bound is then wider, and fewer elements are compared.
        without: Capabilities that the kernel does not support, from
            :data:`ratproof.laws.kernels.kernel.CAPABILITIES`. They are not tested, and the report lists them.
        multiple: The kernel only supports sequences whose lengths are multiples of this number of tokens.
            Packed sequences are then not tested. The report shows the value.
        longest: Maximum number of tokens, for a kernel that is limited or slow. The report shows the value.
        sizes: Sizes of the calls by axis, for example ``{"K": (64, 128), "V": (64, 128)}``. The axes are B,
            H, K and V, or B and D, with W for a convolution. An axis that is omitted has the default sizes.
            The report shows the values.
        lengths: Numbers of tokens T of the calls, instead of the default and random lengths. The report shows
            the values.
        dtypes: Dtypes of the tensors: ``float32``, ``float64`` and, with ``accumulation``, ``bfloat16`` and
            ``float16``.
        accumulation: Accumulation dtype for narrow tensors, ``float32`` or ``float64``. Initial and final
            states and their gradients have this dtype, and outputs and all other gradients are rounded once,
            to the dtype of the tensors.
        device: Device of the tensors. Defaults to ``[tool.ratproof] device`` or the environment variable
            ``RATPROOF_DEVICE``, and otherwise to ``cpu``.
        seconds: Time limit of each check, tested between calls. If calls remain and none was wrong, the
            verdict is ``unknown``.
        gpu_memory: Number of bytes that torch may allocate on a GPU. A kernel that needs more gets torch's
            ``OutOfMemoryError``. Defaults to half of the free memory.
        says: The claim as a sentence, for the report.

    Raises:
        InputError: If a name is unknown, or the arguments do not match.
    """
    device = device or default_device()
    require_device(name, device)
    own = (
        _family(name, family) if step is None else _family_of_step(name, family, step, inputs, output, state)
    )
    if step is None and inputs is not None:
        raise InputError(f"{name}: inputs is only supported together with step")
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
            f"{name}: accumulation must be 'float32' or 'float64' if dtypes has 'bfloat16' or 'float16', and"
            f" None otherwise, got {accumulation!r} for the dtypes {formats}"
        )
    if (form == "chunked") != (chunk is not None) or (
        chunk is not None and (type(chunk) is not int or chunk < 1)
    ):
        raise InputError(
            f"{name}: chunk must be a positive integer if the form is 'chunked', and None otherwise, got"
            f" {chunk!r} for the form {form!r}"
        )
    if type(multiple) is not int or multiple < 1:
        raise InputError(f"{name}: multiple must be a positive integer, got {multiple!r}")
    if multiple > 1 and "cu_seqlens" not in unsupported:
        raise InputError(
            f"{name}: multiple must be 1 for a kernel that supports 'cu_seqlens', got {multiple}; if it does"
            " not, add 'cu_seqlens' to without="
        )
    if longest is not None and (type(longest) is not int or longest < multiple):
        raise InputError(f"{name}: longest must be an integer of at least {multiple}, got {longest!r:.60}")
    if not isinstance(sizes, Mapping | None):
        raise InputError(f"{name}: sizes must map axes to tuples of integers, got {sizes!r:.60}")
    chosen = {
        axis: _integers(name, f"sizes[{axis!r}]", own_sizes, 1) for axis, own_sizes in (sizes or {}).items()
    }
    _require(name, "sizes", chosen, own.axes)
    no_lengths = isinstance(lengths, (tuple, list)) and not lengths
    times = () if no_lengths else _integers(name, "lengths", lengths, 0)
    if times and (longest is not None or any(time % multiple for time in times)):
        raise InputError(
            f"{name}: lengths must be multiples of {multiple} and given without longest, got {times}"
        )
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
        raise InputError(f"{name}: seconds must be positive, got {seconds!r:.60}")
    if gpu_memory is not None and (type(gpu_memory) is not int or gpu_memory < 1):
        raise InputError(f"{name}: gpu_memory must be a positive number of bytes, got {gpu_memory!r:.60}")
    for what, function in (("kernel", kernel), ("other kernel", against)):
        if not callable(function) and (what == "kernel" or function is not None):
            raise InputError(f"{name}: the {what} must be a function, got a {type(function).__name__}")
    _require_options(name, own, kernel, unsupported)
    if not formats:
        raise InputError(f"{name}: dtypes must have at least one of {', '.join(FORMATS)}")
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
    says = says or "the kernel agrees with the other kernel"
    return KernelUnderTest(name, says, kernel_rungs(brought, tuple(_kinds(brought))), device, brought)


believe_kernel = kernel_claim
"""An older name of :func:`kernel_claim`."""


def _kinds(kernel: Kernel) -> Iterable[str]:
    """Yield the kinds of evidence that apply to the kernel."""
    if kernel.family.exact and kernel.against is None and not kernel.without & {"exact", "scale"}:
        yield "exact"
    yield "sampled"
    narrow = "narrow-gradient" not in kernel.without and not kernel.measures_gradients
    if "gradient" not in kernel.without and (narrow or set(kernel.dtypes) & set(WIDE)):
        yield "gradient"
    splittable = not kernel.lengths or any(splits(kernel.lengths, time) for time in kernel.lengths)
    if splittable and not kernel.without & {"initial-state", "final-state"}:
        yield "split"
    if has_several_sequences_or_heads(kernel):
        yield "independence"


def _require_options(
    name: str, family: LinearRecurrence, kernel: Callable[..., object], unsupported: frozenset[str]
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
            f"{name}: the kernel has no {listed}; add without={list(missing)} to skip the checks that need it"
        )


def _family_of_step(
    name: str, family: object, step: object, inputs: Mapping[str, str] | None, output: str, state: object
) -> LinearRecurrence:
    """Return the kernel family of a recurrence that the user defines by a step function."""
    if family is not None:
        raise InputError(f"{name}: pass either family or step, not both")
    if not callable(step):
        raise InputError(f"{name}: step must be a function, got a {type(step).__name__}")
    if not isinstance(inputs, Mapping) or not (
        isinstance(state, str)
        or (isinstance(state, tuple) and state and all(isinstance(x, str) for x in state))
    ):
        raise InputError(
            f"{name}: inputs must map names to axes, and state must be axes, such as 'HKV', or a tuple of"
            f" axes, got {inputs!r:.60} and {state!r:.60}"
        )
    words = {tensor: str(text).split() for tensor, text in inputs.items()}
    wrong = next((tensor for tensor, own in words.items() if len(own) not in (1, 2)), None)
    if wrong is not None:
        raise InputError(f"{name}: {wrong} must have axes and at most one kind, got {inputs[wrong]!r:.60}")
    if reserved := sorted({"initial_state", "output_final_state", "cu_seqlens"} & words.keys()):
        raise InputError(f"{name}: {reserved[0]} is an option of the kernel; rename this tensor of inputs")
    parts = state if isinstance(state, tuple) else (state,)
    lanes = all(set(axes) == {"D"} for axes in parts)
    allowed = set("BTD") if lanes else set("BTHKMV")
    for tensor, (axes, *kind) in words.items():
        letters = set(axes)
        if not letters <= allowed or _repeats(axes) or ("T" in letters and axes[:2] != "BT"):
            raise InputError(
                f"{name}: the axes of {tensor} must be letters of {''.join(sorted(allowed))} (only K,"
                f" M and V may repeat) and begin with BT if there is a T, got {axes!r}"
            )
        _require(name, f"the kind of {tensor}", kind, KINDS)
    known = set("DHKMV") & {letter for axes, *_ in words.values() for letter in axes}
    for axes in parts:
        if not axes or not set(axes) <= known or _repeats(axes):
            listed = "".join(sorted(known))
            raise InputError(
                f"{name}: state must be letters of {listed} (only K, M and V may repeat), got {axes!r}"
            )
        if isinstance(state, tuple) and axes[0] not in "HD":
            raise InputError(
                f"{name}: the axes of each state tensor must be 'D' or begin with 'H' (heads), got {axes!r}"
            )
    if output not in words or words[output][0][:2] != "BT":
        raise InputError(f"{name}: output must name a tensor whose axes begin with 'BT', got {output!r}")
    axes_of = {tensor: axes for tensor, (axes, *_) in words.items()}
    require_rules(name, step, axes_of, output, state)
    return LinearRecurrence(
        getattr(step, "__name__", "the step"),
        axes_of,
        query="",
        key="",
        value=output,
        lanes=lanes,
        scaled="",
        function=step_with_one_state(step, state, axes_of) if isinstance(state, tuple) else step,
        state=state,
        kinds={tensor: kind for tensor, (_, *kinds) in words.items() for kind in kinds},
    )


def _repeats(axes: str) -> bool:
    """Return whether one of the axes B, T, H and D occurs more than once."""
    return any(axes.count(axis) > 1 for axis in "BTHD")


def _family(name: str, family: str | LinearRecurrence | None) -> LinearRecurrence:
    if isinstance(family, LinearRecurrence):
        return family
    known = ALIASES.get(str(family), str(family))
    if known not in FAMILIES:
        raise InputError(f"{name}: the family must be one of {', '.join(FAMILIES)}, got {family!r}")
    return FAMILIES[known]


def _names(name: str, what: str, values: Iterable[str]) -> Iterable[str]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"{name}: {what} must be a tuple of names, got {values!r:.60}")
    return values


def _integers(name: str, what: str, values: Iterable[int], least: int) -> tuple[int, ...]:
    """Return ``values`` sorted and without duplicates.

    Raises:
        InputError: If there are no values, or if a value is not an integer of at least ``least``.
    """
    numbers = [] if isinstance(values, str) or not isinstance(values, Iterable) else list(values)
    if not numbers or any(type(n) is not int or n < least for n in numbers):
        raise InputError(
            f"{name}: {what} must be a tuple of integers of at least {least}, got {values!r:.60}"
        )
    return tuple(sorted(set(numbers)))


def _require(name: str, what: str, values: Iterable[str], right: Iterable[str]) -> None:
    known = list(right)
    for value in values:
        if value not in known:
            raise InputError(f"{name}: {what} must be one of {', '.join(known)}, got {value!r:.60}")
