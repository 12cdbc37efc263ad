"""Claims that your torch module computes the scores of an automaton, or accepts the language of a DFA.

>>> import torch
>>> from neural.rrnn_b import RRNNB
>>> claim = module_claim("my-layer", module=RRNNB(2, 3), embeddings=torch.eye(2), alphabet="ab")
>>> claim.variants[0].kinds
('sampled',)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from os import PathLike
from types import NoneType

import numpy as np
import torch
from torch import Tensor, nn

from automata.dfa import DFA
from automata.errors import InputError
from automata.rounding.bounds import Deviation
from automata.semirings import BOOLEAN
from automata.wfsa import WFSA
from neural.layer import Recurrent
from ratproof.api.formulas import Formula, automata_of
from ratproof.api.own_claim import Checkable
from ratproof.api.steps import check_automata
from ratproof.evidence.lengths import LENGTHS
from ratproof.evidence.subjects import STATED
from ratproof.implementations.decision import Accepts, DecisionComparison
from ratproof.implementations.module import ModuleComparison
from ratproof.ladder.programs import ProgramComparison, ProgramUnderTest, program_under_test


class ModuleUnderTest(Checkable, ProgramUnderTest):
    """A claim about a torch module."""


def module_claim(
    name: str,
    *,
    module: nn.Module,
    embeddings: Tensor,
    alphabet: Sequence[str],
    automaton: WFSA | DFA | Sequence[WFSA] | None = None,
    formula: Formula | None = None,
    slack: float = 0.0,
    accepts: Accepts | float | None = None,
    says: str = "the module agrees with the automaton",
    batch_first: bool = False,
) -> ModuleUnderTest:
    """Return the claim that a module computes an automaton's scores, or accepts the language of a DFA.

    Without ``accepts``, the claim is that each unit, after every nonempty prefix of every string, is within
    rounding of an automaton's score. With ``accepts``, the claim is that the module accepts the strings that
    a DFA accepts.

    The evidence is ``sampled``, because a module only shows floats on the strings that it reads. With
    ``accepts``, it is also ``exhausted`` up to a length. To decide equality on all strings, write the
    recurrence as a step over exact numbers (:func:`ratproof.api.steps.step_claim`).

    Args:
        name: Name of the claim, in lowercase letters, digits and hyphens.
        module: A module with the interface of torch's recurrent layers. It maps inputs of shape
            ``(T, 1, input_size)`` to outputs of shape ``(T, 1, units)``, and returns them alone or first in a
            tuple. For a layer of :mod:`neural`, the scores before any output gate are compared. With
            ``accepts``, it may return only the last output, in shape ``(B, units)``.
            :func:`~ratproof.api.classifiers.classifier` combines a recurrent layer and a linear layer in one
            module.
        embeddings: The input for each symbol, in the alphabet's order, in shape ``(symbols, input_size)``.
            For a module with its own embedding, the indices of the symbols, as integers of shape
            ``(symbols,)``. Its inputs then have shape ``(T, 1)``.
        alphabet: The symbols.
        automaton: One automaton, or one for each unit. With ``accepts``, a DFA or a boolean automaton. Not
            needed for a layer of :mod:`neural`, which provides its own automata.
        formula: A formula for the weights that the module computes with, instead of ``automaton`` and
            ``slack``. It maps the embeddings with torch functions to ``(initial, final, matrices)``, of
            shapes ``(n,)``, ``(n,)`` and ``(symbols, n, n)``. Weights that differ between units have a
            leading axis of units. The rounding of another evaluation of the formula is derived.
            :mod:`neural.tracked` lists the supported functions.
        slack: The largest difference between the automaton's weights other than 0 and 1, and the weights that
            the module computes with. It is 0 if the automaton has the module's own floats. The rounding of
            the recurrence is derived and added.
        accepts: A threshold that the output of a single unit must exceed for an accepted string, or a
            function. The function maps the output after the last symbol, of shape ``(units,)``, to whether
            the string is accepted. With ``accepts``, the module reads whole strings.
        says: The claim as a sentence, for the report.
        batch_first: Whether the module takes inputs of shape ``(B, T, input_size)`` and returns outputs of
            shape ``(B, T, units)``.

    Raises:
        InputError: If the automata, the embeddings and the alphabet do not match, or an argument has the
            wrong type.
    """
    _check_arguments(name, module, embeddings, alphabet, automaton, accepts, slack, batch_first)
    if isinstance(module, (nn.RNNBase, Recurrent)) and module.batch_first != batch_first:
        raise InputError(
            f"{name}: batch_first must be {module.batch_first}, as in the module, got {batch_first}; pass"
            f" batch_first={module.batch_first}"
        )
    if accepts is not None and slack:
        raise InputError(
            f"{name}: slack must be 0 with accepts, because decisions are compared and not scores"
        )
    if formula is not None and (automaton is not None or accepts is not None or slack):
        raise InputError(f"{name}: formula cannot be combined with automaton, slack or accepts")
    if len(embeddings) != len(alphabet):
        raise InputError(
            f"{name}: embeddings must have one row for each of {len(alphabet)} symbols, got {len(embeddings)}"
        )
    if accepts is not None:
        return _believe_decision(name, module, embeddings, alphabet, automaton, accepts, says, batch_first)
    derived: Sequence[Deviation] | None = None
    if formula is not None:
        automaton, derived = automata_of(name, formula, embeddings, alphabet)
    elif automaton is None:
        if not isinstance(module, Recurrent):
            raise InputError(
                f"{name}: {type(module).__name__} has no method that returns its automata; pass automaton="
            )
        automaton = module.to_automata(embeddings, alphabet)
    if isinstance(automaton, DFA):
        raise InputError(f"{name}: pass accepts, because automaton is a DFA")
    automata = check_automata(name, automaton)
    if list(automata[0].alphabet) != list(alphabet):
        raise InputError(
            f"{name}: the alphabet must be that of the automata, {list(automata[0].alphabet)}, got"
            f" {list(alphabet)}"
        )
    deviations = [_uniform_deviation(a, slack) for a in automata] if derived is None else list(derived)
    if derived is None and isinstance(module, Recurrent) and slack == 0:
        own = module.deviations(embeddings)
        # The deviations of the module's weights do not apply to an automaton of a different shape.
        deviations = own if list(map(_shapes, own)) == list(map(_shapes, deviations)) else deviations
    compared = ModuleComparison(name, STATED, module, embeddings, automata, deviations, slack, batch_first)
    return _under_test(name, says, compared, alphabet, ("sampled",), _device_of(module, embeddings))


def _under_test(
    name: str,
    says: str,
    comparison: ProgramComparison,
    alphabet: Sequence[str],
    kinds: Sequence[str],
    device: str,
) -> ModuleUnderTest:
    program = program_under_test(name, says, comparison, alphabet, kinds, device, LENGTHS)
    return ModuleUnderTest(**vars(program))


believe_module = module_claim
"""An older name of :func:`module_claim`."""


def _are_numbers(embeddings: Tensor) -> bool:
    """Return whether the embeddings are symbol indices, for a module that has its own embedding layer."""
    return embeddings.dim() == 1 and embeddings.dtype in (torch.int64, torch.int32)


def _check_arguments(
    name: str,
    module: object,
    embeddings: object,
    alphabet: object,
    automaton: object,
    accepts: object,
    slack: object,
    batch_first: object,
) -> None:
    """Raise :class:`~automata.errors.InputError` if an argument has the wrong type or shape."""
    if not isinstance(module, nn.Module):
        raise InputError(f"{name}: the module must be a torch.nn.Module, got a {type(module).__name__}")
    if isinstance(embeddings, nn.Embedding):
        raise InputError(f"{name}: the embeddings must be a tensor, got a module; pass its weight")
    if not isinstance(embeddings, Tensor) or not (embeddings.dim() == 2 or _are_numbers(embeddings)):
        got = (
            f"shape {tuple(embeddings.shape)}"
            if isinstance(embeddings, Tensor)
            else f"a {type(embeddings).__name__}"
        )
        raise InputError(
            f"{name}: the embeddings must be a tensor of shape (symbols, input_size), or integers of shape"
            f" (symbols,) for a module with its own embedding, got {got}"
        )
    if not isinstance(alphabet, Sequence):  # A set has no order, so its symbols do not match the vectors.
        raise InputError(
            f"{name}: the alphabet must be a string or a list of symbols, got a {type(alphabet).__name__}"
        )
    if not isinstance(batch_first, bool):
        raise InputError(f"{name}: batch_first must be True or False, got {batch_first!r:.60}")
    if isinstance(slack, bool) or not isinstance(slack, (int, float)):
        raise InputError(f"{name}: the slack must be a number, got {slack!r:.60}")
    if not 0 <= slack < math.inf:
        raise InputError(f"{name}: the slack must be finite and not negative, got {slack}")
    several = automaton if isinstance(automaton, (list, tuple)) else [automaton]
    wrong = next((a for a in several if not isinstance(a, (WFSA, DFA, str, PathLike, NoneType))), None)
    if wrong is not None or (isinstance(automaton, (list, tuple)) and DFA in map(type, automaton)):
        raise InputError(
            f"{name}: the automaton must be a WFSA, a DFA or a list of WFSAs, got"
            f" {wrong if wrong is not None else automaton!r:.60}"
        )
    if isinstance(automaton, (str, PathLike)):
        raise InputError(f"{name}: the automaton must not be a path; pass ratproof.read({str(automaton)!r})")
    if accepts is None and isinstance(automaton, WFSA) and automaton.semiring is BOOLEAN:
        raise InputError(f"{name}: pass accepts, because automaton is a boolean WFSA")


def _device_of(module: nn.Module, embeddings: Tensor) -> str:
    """Return the type of the module's device, such as ``cpu`` or ``cuda``."""
    return next(chain(module.parameters(), module.buffers(), [embeddings])).device.type


def _believe_decision(
    name: str,
    module: nn.Module,
    embeddings: Tensor,
    alphabet: Sequence[str],
    automaton: WFSA | DFA | Sequence[WFSA] | None,
    accepts: Accepts | float,
    says: str,
    batch_first: bool,
) -> ModuleUnderTest:
    """Return the claim that a module accepts the language of a DFA, if the arguments are valid."""
    if isinstance(automaton, WFSA) and automaton.semiring is BOOLEAN:
        automaton = DFA.from_wfsa(automaton)
    if not isinstance(automaton, DFA):
        kind = "none" if automaton is None else f"a {type(automaton).__name__}"
        raise InputError(f"{name}: with accepts, automaton must be a DFA or a boolean WFSA, got {kind}")
    try:
        dfa = automaton.over(alphabet, "the module")
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    decide = accepts if callable(accepts) else _exceeds(name, accepts)
    compared = DecisionComparison(name, STATED, module, embeddings, dfa, decide, batch_first)
    kinds = ("sampled", "exhausted")
    return _under_test(name, says, compared, alphabet, kinds, _device_of(module, embeddings))


def _exceeds(name: str, threshold: float) -> Accepts:
    number = isinstance(threshold, (int, float)) and not isinstance(threshold, bool)
    if not number or not math.isfinite(threshold):
        raise InputError(f"{name}: accepts must be a number or a function of the output, got {threshold!r}")

    def accepts(output: Tensor) -> bool:
        if output.numel() != 1:
            raise InputError(
                f"{name}: accepts must be a function of the output for a module with {output.numel()}"
                " units, got a number"
            )
        return bool(output.item() > threshold)

    return accepts


def _uniform_deviation(automaton: WFSA, slack: float) -> Deviation:
    """Return a deviation of ``slack`` for every weight that is neither 0 nor 1, and of 0 for the others."""
    one, zero = automaton.semiring.one, automaton.semiring.zero
    parts = (automaton.matrices, automaton.initial, automaton.final)
    return Deviation(
        *(np.where((part == one) | (part == zero), 0.0, slack).astype(np.float64) for part in parts)
    )


def _shapes(deviation: Deviation) -> tuple[int, ...]:
    return deviation.matrices.shape
