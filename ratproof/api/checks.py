"""``check`` and ``verify`` as functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from torch import Tensor, nn

from automata.dfa import DFA
from automata.errors import InputError
from automata.wfsa import WFSA
from ratproof.api.modules import module_claim
from ratproof.api.report import Report, report_of
from ratproof.api.running import check_claim
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
    """Check a torch module against the automaton that it is believed to be.

    >>> import torch
    >>> from automata.dfa import DFA
    >>> class Parity(torch.nn.Module):
    ...     def forward(self, inputs):
    ...         return (inputs[..., :1].cumsum(0) % 2 == 0).float()
    >>> even = DFA(("a", "b"), start=0, table=((1, 0), (0, 1)), final=frozenset({0}))
    >>> check(Parity(), even, embeddings=torch.eye(2), alphabet="ab", accepts=0.5).as_expected
    True

    The module is run on random strings, some of them of up to 2,049 symbols, on strings that distinguish the
    automaton from others of its size, and, of decisions, on all strings up to some length; the report says on
    what, how long the longest string was, and how many strings the automaton accepted. A string on which both
    differ is made small, for at most 10 seconds. Nothing is written to files.

    Args:
        module: called as torch's recurrent layers are: inputs of shape ``(T, B, input_size)`` give outputs of
            shape ``(T, B, units)``, alone or first in a tuple; with ``accepts`` also ``(B, units)``, for the
            last step.
        automaton: one, or one a unit; with ``accepts`` boolean, or a DFA. A layer of :mod:`neural` reads
            itself off as its own without it.
        embeddings: the input for each symbol, shape ``(symbols, input_size)``, in the alphabet's order; for
            a module that has an embedding of its own the symbols' numbers, integers of shape ``(symbols,)``:
            its inputs then have shape ``(T, B)``.
        alphabet: the symbols.
        accepts: from the output after a string's last symbol, shape ``(units,)``, whether the string is
            accepted; or a number that the output of one unit has to exceed.
        slack: by how much the weights that the module computes with may differ from the automaton's.
        batch_first: whether the module takes ``(B, T, input_size)`` and gives ``(B, T, units)``.
        examples: how many random cases.
        seed: of fresh random cases; without, the same in every run.

    Raises :class:`~automata.errors.InputError`: automaton, embeddings and alphabet do not fit together.
    """
    for what, value, least in (("examples", examples, 1), ("seed", seed, 0)):
        if value is not None and (type(value) is not int or value < least):
            raise InputError(f"{what} must be an integer of at least {least}, got {value!r:.60}")
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
    """Verify claims of the papers: run their evidence, and compare each verdict with the one expected.

    Args:
        names: the claims; all without.
        kinds: a kind of evidence, or several; all without.
        device: where torch runs: ``cpu`` or ``cuda``.

    Raises :class:`~automata.errors.InputError` for names, kinds and devices that are not there.
    """
    if kinds is not None and not isinstance(kinds, Iterable):
        raise InputError(f"kinds must be a kind of evidence or a list of them, got {kinds!r:.60}")
    wanted = () if kinds is None else (kinds,) if isinstance(kinds, str) else tuple(kinds)
    request = Request(claims=names, kinds=wanted, device=device)
    return report_of(run(request), lambda outcome, out: show(outcome, out, details=bool(names)))
