"""A call on which a kernel is wrong, and a script that shows it without ratproof."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from automata.aliases import JsonObject
from automata.text.printable_text import printable
from ratproof.evidence.counterexample import Refutation, ScriptedCounterexample
from ratproof.evidence.subjects import STATED
from ratproof.laws.kernels.layouts import CONTIGUOUS, laid_out
from ratproof.laws.kernels.state_parts import joined, part_of, separate, with_one_state

if TYPE_CHECKING:  # processes that only read verdicts must not import torch
    from ratproof.laws.kernels.kernel import InvalidKernelResult, Kernel
    from ratproof.laws.kernels.naive import Arrays
    from ratproof.laws.kernels.problem import Problem

RECURRENCE = "the recurrence"
FORWARD = "in a call with gradients"
MOST_WRITTEN = 100_000
"""Maximum number of array elements in a script."""


@dataclass(frozen=True)
class KernelCounterexample(ScriptedCounterexample):
    """A difference between a kernel and its recurrence.

    Attributes:
        claim, variant: Names of the refuted claim and variant.
        problem: The shapes and options of the call, on one line.
        position: The result and the index of the element.
        kernel, recurrence: Both values, as text.
        bound: The largest difference that rounding could explain; ``"0"`` if nothing rounds. If the reference
            is another kernel, it is the measured rounding.
        law: A short description of the broken law, if it is not the recurrence itself.
        other: Name of the reference: the recurrence or another kernel.
        sizes: The sizes of the call; counterexamples with small sizes come first.
        seed: Seed of the values.
        form: A declaration of another form for which the call would be correct; empty if none is known.
        script: A program that shows the difference without ratproof; empty if there are too many elements.
    """

    claim: str
    variant: str
    problem: str
    position: str
    kernel: str
    recurrence: str
    bound: str
    law: str = ""
    other: str = RECURRENCE
    sizes: tuple[int, ...] = ()
    seed: int = 0
    form: str = ""
    script: str = field(default="", repr=False)

    def sentence(self) -> str:
        """Return one line with the call, the position and the two values."""
        slack = "" if self.bound == "0" else f" (rounding explains at most {self.bound})"
        if self.other != RECURRENCE:
            slack = f" (the measured rounding is {self.bound})"
        law = f"; {self.law}" if self.law else ""
        form = f"; the call is within the bounds of a kernel with {self.form}" if self.form else ""
        return printable(
            f"for {self.problem}: the kernel's {self.position} is {self.kernel}, {self.other}'s is"
            f" {self.recurrence}{slack}{law}{form}"
        )

    def in_short(self, unequal: str) -> str:
        """Return the position and the two values on one line.

        For example, ``o[0, 1]: 2.0 != 1.0`` if ``unequal`` is ``!=``. The kernel's value comes first.
        """
        return printable(f"{self.position}: {self.kernel} {unequal} {self.recurrence}")

    @property
    def simplicity(self) -> tuple[int, int]:
        """Return a sort key, so that counterexamples with small sizes come first."""
        return sum(self.sizes), len(self.problem)

    def to_json(self) -> JsonObject:
        """Return the counterexample as a JSON object."""
        return {name: value for name, value in asdict(self).items() if name not in ("script", "sizes")}

    def program(self, file: str = "") -> str:
        """Return the script, which does not need the file."""
        return self.script


class WrongCall(Refutation):
    """Raised if a kernel is wrong on a call.

    Args:
        counterexample: The difference.
        problem, kernel: The call.

    Attributes:
        under: A function that compares the same call with the bounds of a kernel in another form; ``None`` if
            the bound does not depend on the form.
    """

    def __init__(self, counterexample: KernelCounterexample, problem: Problem, kernel: Kernel) -> None:
        super().__init__(counterexample.sentence())
        self.counterexample, self.problem, self.kernel = counterexample, problem, kernel
        self.under: Callable[[Kernel], None] | None = None


@dataclass(frozen=True)
class ShownCall:
    """A call that is compared with its recurrence, and methods that build counterexamples for it.

    Attributes:
        kernel, problem, arrays: The call.
        law: A short description of the law, if it is not the recurrence itself.
        weights: Weights of ``o`` and ``final_state`` in the sum whose gradients are compared; empty if
            results are compared.
    """

    kernel: Kernel
    problem: Problem
    arrays: Arrays
    law: str = ""
    weights: Arrays = field(default_factory=dict)

    def changed(self, name: str) -> WrongCall:
        """Return the counterexample for a kernel that modified an argument."""
        what = "a modified tensor", "an unmodified argument", "0"
        return self._wrong(name, *what, f"arguments[{name!r}].sum()")

    def overwritten(self, name: str) -> WrongCall:
        """Return the counterexample for a call that modified a result of the previous call."""
        what = "modified by this call", "unmodified", "0"
        wrong = self._wrong(f"{name} of the previous call", *what, name)
        wrong.counterexample = replace(wrong.counterexample, script="")  # a script has only one call
        return wrong

    def invalid_result(self, error: InvalidKernelResult) -> WrongCall:
        """Return the counterexample for a result with the wrong shape, dtype or type."""
        printed = error.printed or "type(result).__name__"
        return self._wrong(error.name, error.result, error.right, "0", printed)

    def wrong(
        self, name: str, index: tuple[int, ...], computed: float, right: float, bound: float
    ) -> WrongCall:
        """Return the counterexample for a wrong element."""
        printed = number = f"{name}[{', '.join(map(str, index))}]"
        if self.problem.in_parts and name.removesuffix(".grad") in ("initial_state", "final_state"):
            part, within = part_of(index[-1], self.problem.part_shapes)
            number = f"{name}, tensor {part}, [{', '.join(map(str, (*index[:-1], *within)))}]"
        limit = "0" if bound == 0 else f"{bound:.2g}"
        return self._wrong(number, repr(float(computed)), repr(float(right)), limit, printed)

    def _wrong(self, number: str, computed: str, right: str, bound: str, printed: str) -> WrongCall:
        problem = self.problem
        example = KernelCounterexample(
            self.kernel.name,
            STATED,
            problem.says(),
            number,
            computed,
            right,
            bound,
            FORWARD if self.weights and ".grad" not in number else self.law,
            RECURRENCE if self.kernel.against is None else "the other kernel",
            (problem.time, problem.batch, problem.heads, problem.keys, problem.values),
            problem.seed,
        )
        example = replace(example, script=script(self, example.sentence(), printed))
        return WrongCall(example, problem, self.kernel)


def script(shown: ShownCall, says: str, printed: str) -> str:
    """Return a program that repeats a call and prints one of its results.

    The program is empty if the tensors have too many elements.

    Args:
        shown: The call.
        says: The sentence about the counterexample, which becomes the program's docstring.
        printed: The Python expression that the program prints.
    """
    kernel, problem, arrays, weights = shown.kernel, shown.problem, shown.arrays, shown.weights
    if sum(array.size for array in (*arrays.values(), *weights.values())) > MOST_WRITTEN:
        return ""
    source = kernel.source()
    load = (
        "from kernel import kernel  # the kernel that is wrong"
        if source is None
        else _LOAD.format(file=source[0], name=source[1])
    )
    numbers = [f"    {name}={_tensor(name, array, problem)}," for name, array in arrays.items()]
    accepted = kernel.accepted(problem.arguments(arrays))
    for option in ("initial_state", "output_final_state", "scale", problem.family.substeps):
        if option in accepted and option not in arrays:
            numbers.append(f"    {option}={accepted[option]!r},")
    if "cu_seqlens" in accepted:
        offsets = accepted["cu_seqlens"]
        text = "None" if offsets is None else f"torch.tensor({offsets.tolist()}, dtype={offsets.dtype})"
        numbers.append(f"    cu_seqlens={text},")
    before = after = ""
    mode = "with torch.inference_mode():\n    " if problem.mode == "inference" else ""
    if weights:
        terms = []
        for name, array in weights.items():
            if problem.mode == "sum":
                terms.append(f"{name}.sum()")
                continue
            before += f"{name}_weights = {_tensor(name, array, problem)}.to({kernel.device!r})\n"
            terms.append(f"({name} * {name}_weights).sum()")
        before += _REQUIRE.format(names=tuple(n for n in arrays if n not in problem.frozen))
        after = f"loss = {' + '.join(terms)}\n{_TWICE if problem.mode == 'twice' else ''}loss.backward()\n"
        name, gradient, rest = printed.partition(".grad")
        printed = f"arguments[{name!r}].grad{rest}" if gradient else printed
    layout_code = ""
    if problem.layout != CONTIGUOUS:
        layout_code = _LAYING.format(source=_LAID_OUT, layout=problem.layout)
    a_number = printed.endswith(("]", ".sum()"))
    return _SCRIPT.format(
        call="result" if printed == "type(result).__name__" else "o, final_state",
        value=f"float({printed})" if a_number else printed,
        says=says,
        seed=problem.seed,
        load=load + (_PARTS.format(shapes=problem.part_shapes) if problem.in_parts else ""),
        numbers="\n".join(numbers),
        layout_code=layout_code,
        before=before + mode,
        after=after,
        position=printed,
        device=kernel.device,
    )


def _tensor(name: str, array: NDArray[np.float64], problem: Problem) -> str:
    text = (
        json.dumps(array.tolist())
        .replace("-Infinity", "-inf")
        .replace("Infinity", "inf")
        .replace("NaN", "nan")
    )
    return f"torch.tensor({text}, dtype=torch.{problem.format_of(name)}).reshape{array.shape}"


_LOAD = """import importlib.util

spec = importlib.util.spec_from_file_location("kernel_file", {file!r})
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
kernel = module.{name}"""
_PARTS = f"""
from math import prod


{inspect.getsource(joined)}

{inspect.getsource(separate)}

{inspect.getsource(with_one_state)}

kernel = with_one_state(kernel, {{shapes}})
"""
_LAID_OUT = inspect.getsource(laid_out)
_LAYING = """from torch import Tensor


{source}

tensors = {{n: x for n, x in arguments.items() if isinstance(x, torch.Tensor) and n != "cu_seqlens"}}
arguments |= laid_out(tensors, {layout!r})
"""
_REQUIRE = """for name in {names}:
    arguments[name].requires_grad_()
"""
_TWICE = """tensors = [x for x in arguments.values() if isinstance(x, torch.Tensor) and x.requires_grad]
torch.autograd.grad(loss, tensors, retain_graph=True, allow_unused=True)
"""
_SCRIPT = '''"""{says}

Seed {seed}.
"""

from __future__ import annotations

from math import inf, nan

import torch

{load}

arguments = dict(
{numbers}
)
arguments = {{n: x.to("{device}") if isinstance(x, torch.Tensor) else x for n, x in arguments.items()}}
{layout_code}{before}{call} = kernel(**arguments)
{after}print({position!r}, "=", repr({value}))
'''
