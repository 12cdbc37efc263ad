"""Comparison of a module's outputs with those of its recurrent layer and classifier, on some strings.

The outputs are compared as logits. A sigmoid's output is therefore inverted, with an allowance for its
rounding. Near 0 and 1, sigmoids differ by less than any useful tolerance even if the logits differ.
The decisions must be equal, too, unless float32 rounding may change them: a certified margin may be much
smaller than the tolerance of the logits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from automata.errors import InputError
from automata.text.number_text import shorten
from neural.seeding import seeded
from ratproof.certification.ordinary_networks.arithmetic import UNIT
from ratproof.certification.ordinary_networks.network import OrdinaryNetwork
from ratproof.certification.ordinary_networks.torch_weights import torch_modules

LONGEST = 12
"""Length of the longest random strings."""
PUMPED = (100, 1000)
"""Lengths of strings that end with many copies of one symbol; a module may read only its last steps."""
BATCH = 16
"""The number of strings of each length. It differs from all lengths, so that shapes are unambiguous."""
TOLERANCE = 1e-4
"""Largest difference of two logits, relative to the sum of the absolute values of a logit's terms."""
LEAST_LOG = -87.0
"""Logarithm of about the smallest normal float32 number."""
INSTEAD = "pass ratproof.classifier(rnn, linear) to certify only these two layers"


@dataclass(frozen=True)
class OutputComparison:
    """A function of the logits that the module may return, and its difference from the module's outputs.

    Attributes:
        function: ``"logits"``, ``"sigmoid"``, ``"softmax"`` or ``"log_softmax"``.
        every_step: Whether the module returns the outputs of all steps.
        excess: The largest difference divided by its tolerance; the functions agree up to 1.
        difference: The difference at the string with the largest excess.
        string: This string.
    """

    function: str
    every_step: bool
    excess: float
    difference: float
    string: list[object]


def compared_outputs(
    module: nn.Module, network: OrdinaryNetwork, inputs: Tensor, batch_first: bool
) -> OutputComparison:
    """Run a module on some strings, and return the function of the network's logits that it computes.

    Args:
        module: A module that takes batches of sequences, in evaluation or training mode, which is restored.
        network: The network that the module must compute.
        inputs: Each symbol's input: vectors of shape ``(symbols, input_size)``, or indices of shape
            ``(symbols,)``.
        batch_first: Whether to try inputs of shape ``(B, T, ...)`` before ``(T, B, ...)``.

    Raises:
        InputError: If the module cannot be run, or computes something else.
    """
    generator = torch.Generator("cpu").manual_seed(0)
    strings = [
        torch.randint(len(inputs), (steps, BATCH), generator=generator, device="cpu")
        for steps in range(1, LONGEST + 1)
    ]
    longest = strings[-1]
    strings += [torch.cat([longest, longest[-1:].expand(steps - LONGEST, BATCH)]) for steps in PUMPED]
    rnn, linear = torch_modules(network)
    rnn, linear = rnn.to(inputs.device), linear.to(inputs.device)
    vectors = torch.from_numpy(network.embeddings).float().to(inputs.device)
    best: OutputComparison | None = None
    reasons: list[str] = []
    with torch.no_grad(), seeded(0, inputs.is_cuda), _evaluation_mode(module):
        states = torch.cat([rnn(vectors[codes])[0][-1] for codes in strings])
        logits = linear(states).double()
        scale = states.double().abs() @ linear.weight.double().abs().T + linear.bias.double().abs()
        for first in (batch_first, not batch_first):
            try:
                outputs, every_step = _run(module, strings, inputs, first, len(network.readout))
            except Exception as error:  # a module may raise any exception
                reasons.append(_reason(error))
                continue
            for comparison in _comparisons(outputs, logits, scale, every_step, strings, network):
                if comparison.excess <= 1:
                    return comparison
                if best is None or comparison.excess < best.excess:
                    best = comparison
    if best is None:
        shape = f", {inputs.shape[1]}" if inputs.ndim == 2 else ""
        raise InputError(
            f"module: the module must run on inputs of shape (T, B{shape}) or (B, T{shape}), got"
            f" {reasons[0]}; {INSTEAD}"
        )
    raise InputError(
        f"module: the output must be the linear layer's output for the recurrent layer's last output (or its"
        f" sigmoid or softmax), got a logit that differs by {best.difference:.3g} at the string"
        f" {shorten(best.string)}; {INSTEAD}"
    )


@contextmanager
def _evaluation_mode(module: nn.Module) -> Iterator[None]:
    """Set evaluation mode within the context, and restore the mode of each submodule afterwards."""
    modes = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        yield
    finally:
        for part, mode in modes:
            part.training = mode


def _run(
    module: nn.Module, strings: list[Tensor], inputs: Tensor, batch_first: bool, classes: int
) -> tuple[Tensor, bool]:
    """Return the outputs at the last step, ``(strings, classes)``, and whether there are other steps."""
    outputs, every_step = [], False
    for codes in strings:
        batch = inputs[codes]
        output = module(batch.transpose(0, 1) if batch_first else batch)
        if isinstance(output, (tuple, list)) and output:
            output = output[0]
        if not isinstance(output, Tensor):
            raise InputError(f"an output of type {type(output).__name__}")
        last = _last_step(output, len(codes), classes)
        every_step = every_step or output.numel() != last.numel()
        outputs.append(last.double())
    return torch.cat(outputs), every_step


def _last_step(output: Tensor, steps: int, classes: int) -> Tensor:
    """Return the last step of a module's output, of shape ``(B, classes)``."""
    shape = tuple(output.shape)
    one = (1,) if classes == 1 else ()
    if shape == (BATCH, classes) or (one and shape == (BATCH,)):
        return output.reshape(BATCH, classes)
    if shape == (steps, BATCH, classes) or (one and shape == (steps, BATCH)):
        return output[-1].reshape(BATCH, classes)
    if shape == (BATCH, steps, classes) or (one and shape == (BATCH, steps)):
        return output[:, -1].reshape(BATCH, classes)
    raise InputError(
        f"an output of shape {shape} for T = {steps}, B = {BATCH} and {classes} outputs of the linear layer"
    )


def _comparisons(
    outputs: Tensor,
    logits: Tensor,
    scale: Tensor,
    every_step: bool,
    strings: list[Tensor],
    network: OrdinaryNetwork,
) -> Iterator[OutputComparison]:
    """Yield a comparison of the outputs, shape ``(strings, classes)``, with each function of the logits."""
    largest = scale.amax(1, keepdim=True)
    tolerance, rounding = TOLERANCE * largest, (network.units + 6) * UNIT * largest
    for function, (observed, expected, allowance) in _functions(outputs, logits).items():
        difference = (observed - expected).abs()
        over = (difference - allowance).clamp(min=0)
        excess = torch.where(over == 0, 0.0, over / tolerance).nan_to_num(torch.inf, torch.inf).amax(1)
        excess[_decides_differently(observed, expected, allowance + rounding, network.threshold)] = torch.inf
        row = int(excess.argmax())
        codes = strings[row // BATCH][:, row % BATCH].tolist()
        string = [network.alphabet[code] for code in codes]
        yield OutputComparison(function, every_step, float(excess[row]), float(difference[row].max()), string)


def _decides_differently(observed: Tensor, expected: Tensor, error: Tensor, threshold: float) -> Tensor:
    """Return for which strings the decisions of two logits differ by more than errors, shape ``(strings,)``.

    Args:
        observed: The module's logits, of shape ``(strings, classes)``.
        expected: The network's logits, of the same shape.
        error: A bound on the difference of two logits by rounding, of the same shape.
        threshold: With one class, the value that a logit must exceed.
    """
    if expected.shape[1] == 1:
        differs = (observed > threshold) != (expected > threshold)
        return (differs & ((expected - threshold).abs() > error))[:, 0]
    rows = torch.arange(len(expected), device=expected.device)
    own, other = expected.argmax(1), observed.argmax(1)
    gap, errors = expected[rows, own] - expected[rows, other], error[rows, own] + error[rows, other]
    return gap > errors


def _functions(outputs: Tensor, logits: Tensor) -> dict[str, tuple[Tensor, Tensor, Tensor]]:
    """Return, for each function of the logits, two tensors to compare and the allowance for rounding.

    The first tensor is computed from the module's outputs, and the second one from the network's logits.
    """
    functions = {"logits": (outputs, logits, torch.zeros_like(logits))}
    inside = bool(((outputs >= 0) & (outputs <= 1)).all())
    if logits.shape[1] > 1:
        logs = logits.log_softmax(1)
        rounding = 2 * UNIT * (1 + logs.abs()) + 2 * UNIT
        functions["log_softmax"] = (outputs, logs, rounding)
        if inside:
            functions["softmax"] = (outputs.log().clamp(min=LEAST_LOG), logs.clamp(min=LEAST_LOG), rounding)
    elif inside:
        complement = (1 - outputs).clamp(min=UNIT / 2)  # the largest float32 number below 1 is 1 - UNIT
        odds = (outputs.log() - complement.log()).clamp(min=LEAST_LOG)
        expected = logits.clamp(LEAST_LOG, -math.log(UNIT / 2))
        functions["sigmoid"] = (odds, expected, 2 * UNIT + 2 * UNIT / complement)
    return functions


def _reason(error: Exception) -> str:
    """Return the text of an exception raised by a module, as part of a sentence."""
    text = " ".join(str(error).split())
    if isinstance(error, InputError):
        return text
    return f"{type(error).__name__}: {text:.160}" if text else type(error).__name__
