"""The Python counterparts of ``ratproof check`` and ``ratproof verify``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from torch import Tensor, nn

from automata.dfa import DFA
from automata.errors import InputError
from automata.wfsa import WFSA
from ratproof.api.modules import module_claim
from ratproof.api.report import Report, report_of
from ratproof.api.running import check_claim
from ratproof.evidence.kinds import OF_PAPERS
from ratproof.implementations.decision import Accepts
from ratproof.ladder.request import Request
from ratproof.ladder.verification import verify as run
from ratproof.report import show

NAME = "module"
"""Name of the claim that is checked."""


def check(
    module: nn.Module,
    automaton: WFSA | DFA | Sequence[WFSA] | None = None,
    *,
    embeddings: Tensor,
    alphabet: Sequence[str],
    accepts: Accepts | float | None = None,
    slack: float = 0.0,
    batch_first: bool = False,
    examples: int = 100,
    seed: int | None = None,
) -> Report:
    """Check whether a torch module computes what an automaton computes.

    >>> import torch
    >>> from automata.dfa import DFA
    >>> class Parity(torch.nn.Module):
    ...     def forward(self, inputs):
    ...         return (inputs[..., :1].cumsum(0) % 2 == 0).float()
    >>> even = DFA(("a", "b"), start=0, table=((1, 0), (0, 1)), final=frozenset({0}))
    >>> check(Parity(), even, embeddings=torch.eye(2), alphabet="ab", accepts=0.5).as_expected
    True

    The module runs on random strings of up to 2,049 symbols, and on strings that distinguish the automaton
    from other automata with the same number of states. With ``accepts``, it also runs on all strings up to
    some length, and on long strings with repeated words. The report contains the number of compared strings,
    the longest length, and the number of strings that the automaton accepts.

    If the module and the automaton differ on a string, the string is shrunk for at most 10 seconds. Nothing
    is written to files.

    Args:
        module: A module with the interface of torch's recurrent layers. It maps inputs of shape
            ``(T, B, input_size)`` to outputs of shape ``(T, B, units)``, and returns them alone or first in a
            tuple. With ``accepts``, it may return only the last output, in shape ``(B, units)``.
        automaton: One automaton, or one for each unit. With ``accepts``, a DFA or a boolean automaton. Not
            needed for a layer of :mod:`neural`, which provides its own automata.
        embeddings: The input for each symbol, in the alphabet's order, in shape ``(symbols, input_size)``.
            For a module with its own embedding, the indices of the symbols, as integers of shape
            ``(symbols,)``. Its inputs then have shape ``(T, B)``.
        alphabet: The symbols.
        accepts: A threshold that the output of a single unit must exceed for an accepted string, or a
            function. The function maps the output after the last symbol, of shape ``(units,)``, to whether
            the string is accepted.
        slack: The largest difference between the automaton's weights and the weights that the module computes
            with.
        batch_first: Whether the module takes inputs of shape ``(B, T, input_size)`` and returns outputs of
            shape ``(B, T, units)``.
        examples: Number of random cases.
        seed: Seed of the random cases. By default, every run has the same cases.

    Returns:
        The report. ``as_expected`` is true if the module and the automaton agree on all compared strings.

    Raises:
        InputError: If the automaton, the embeddings and the alphabet do not match.
    """
    claim = module_claim(
        NAME,
        module=module,
        embeddings=embeddings,
        alphabet=alphabet,
        automaton=automaton,
        slack=slack,
        accepts=accepts,
        batch_first=batch_first,
    )
    return check_claim(claim, examples, seed, type(module).__name__)


def verify(*names: str, kinds: str | Iterable[str] | None = None, device: str = "cpu") -> Report:
    """Verify claims of the papers: run their evidence, and compare each verdict with the expected one.

    Args:
        names: Names of claims. Defaults to all claims.
        kinds: One or more kinds of evidence. Defaults to all kinds.
        device: The device of torch, ``cpu`` or ``cuda``.

    Returns:
        The report. ``as_expected`` is true if all evidence ran with the expected verdict.

    Raises:
        InputError: If a name, a kind or a device is unknown.
    """
    if kinds is not None and not isinstance(kinds, Iterable):
        raise InputError(f"kinds must be one or more of {', '.join(OF_PAPERS)}, got {kinds!r:.60}")
    wanted = () if kinds is None else (kinds,) if isinstance(kinds, str) else tuple(kinds)
    request = Request(claims=names, kinds=wanted, device=device)
    return report_of(run(request), lambda outcome, out: show(outcome, out, details=bool(names)))
