"""Does this recurrent network compute what this automaton computes?

>>> from ratproof import REAL, WFSA, equivalent, rank
>>> half = WFSA(REAL, [1], [1], {"a": [["1/2"]]})
>>> third = WFSA(REAL, [1], [1], {"a": [["1/3"]]})
>>> equivalent(half, third).word, rank(half)
(('a',), 1)

What is imported from here is loaded when it is first used: torch takes seconds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from automata.dfa import DFA
    from automata.equivalence import equivalent
    from automata.errors import InputError
    from automata.files import read, write
    from automata.forward import score
    from automata.minimise import rank
    from automata.semirings import BOOLEAN, COUNTING, LOG, MAX_PLUS, MAX_TIMES, MIN_PLUS, REAL
    from automata.wfsa import WFSA
    from ratproof.face.automata import minimise
    from ratproof.face.certification import certify
    from ratproof.face.checks import check, verify
    from ratproof.stateful.causal_model import of_causal_model
    from ratproof.stateful.inputs import Tokens, Vectors
    from ratproof.stateful.model import StatefulModel
    from ratproof.stateful.torch_rnn import of_torch_rnn
    from ratproof.user_claims.formulas import drawn_vectors
    from ratproof.user_claims.kernels import believe_kernel
    from ratproof.user_claims.modules import believe_module
    from ratproof.user_claims.stateful import believe_stateful
    from ratproof.user_claims.steps import believe

__version__ = "0.1.0"
_HOMES = {
    "automata.dfa": ("DFA",),
    "automata.equivalence": ("equivalent",),
    "automata.errors": ("InputError",),
    "automata.files": ("read", "write"),
    "automata.forward": ("score",),
    "automata.minimise": ("rank",),
    "automata.semirings": ("BOOLEAN", "COUNTING", "LOG", "MAX_PLUS", "MAX_TIMES", "MIN_PLUS", "REAL"),
    "automata.wfsa": ("WFSA",),
    "ratproof.face.automata": ("minimise",),
    "ratproof.face.certification": ("certify",),
    "ratproof.face.checks": ("check", "verify"),
    "ratproof.user_claims.formulas": ("drawn_vectors",),
    "ratproof.user_claims.kernels": ("believe_kernel",),
    "ratproof.stateful.causal_model": ("of_causal_model",),
    "ratproof.stateful.inputs": ("Tokens", "Vectors"),
    "ratproof.stateful.model": ("StatefulModel",),
    "ratproof.stateful.torch_rnn": ("of_torch_rnn",),
    "ratproof.user_claims.modules": ("believe_module",),
    "ratproof.user_claims.stateful": ("believe_stateful",),
    "ratproof.user_claims.steps": ("believe",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
__all__ = [
    "BOOLEAN",
    "COUNTING",
    "DFA",
    "LOG",
    "MAX_PLUS",
    "MAX_TIMES",
    "MIN_PLUS",
    "REAL",
    "WFSA",
    "InputError",
    "StatefulModel",
    "Tokens",
    "Vectors",
    "believe",
    "believe_kernel",
    "believe_module",
    "believe_stateful",
    "certify",
    "check",
    "drawn_vectors",
    "equivalent",
    "minimise",
    "of_causal_model",
    "of_torch_rnn",
    "rank",
    "read",
    "score",
    "verify",
    "write",
]


def __getattr__(name: str) -> Any:
    """A part of the Python face, imported when it is first asked for."""
    if name not in _HOME:
        raise AttributeError(f"module 'ratproof' has no attribute {name!r}")
    from ratproof.namesakes import hidden

    if sentence := hidden():
        raise ImportError(sentence)
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The names of the Python face too, for completion."""
    return sorted({*globals(), *__all__})
