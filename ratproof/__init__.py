"""Does this recurrent network compute what this automaton computes?

>>> from ratproof import REAL, WFSA, equivalent, rank
>>> half = WFSA(REAL, [1], [1], {"a": [["1/2"]]})
>>> third = WFSA(REAL, [1], [1], {"a": [["1/3"]]})
>>> equivalent(half, third).word, rank(half)
(('a',), 1)

The names in this package are imported when they are first used, because importing torch takes seconds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from automata.dfa import DFA
    from automata.equivalence import equivalent
    from automata.errors import InputError
    from automata.forward import score
    from automata.io.files import read, write
    from automata.minimise import rank
    from automata.semirings import BOOLEAN, COUNTING, LOG, MAX_PLUS, MAX_TIMES, MIN_PLUS, REAL
    from automata.wfsa import WFSA
    from ratproof.api.automata import minimise
    from ratproof.api.certification import certify, harden
    from ratproof.api.checks import check, verify
    from ratproof.api.classifiers import classifier
    from ratproof.api.formulas import drawn_vectors
    from ratproof.api.kernels import believe_kernel, kernel_claim
    from ratproof.api.modules import believe_module, module_claim
    from ratproof.api.stateful import believe_stateful, model_claim
    from ratproof.api.steps import believe, step_claim
    from ratproof.laws.models.causal_model import of_causal_model
    from ratproof.laws.models.inputs import Tokens, Vectors
    from ratproof.laws.models.model import StatefulModel
    from ratproof.laws.models.torch_rnn import of_torch_rnn

__version__ = "0.1.0"
_HOMES = {
    "automata.dfa": ("DFA",),
    "automata.equivalence": ("equivalent",),
    "automata.errors": ("InputError",),
    "automata.io.files": ("read", "write"),
    "automata.forward": ("score",),
    "automata.minimise": ("rank",),
    "automata.semirings": ("BOOLEAN", "COUNTING", "LOG", "MAX_PLUS", "MAX_TIMES", "MIN_PLUS", "REAL"),
    "automata.wfsa": ("WFSA",),
    "ratproof.api.automata": ("minimise",),
    "ratproof.api.certification": ("certify", "harden"),
    "ratproof.api.checks": ("check", "verify"),
    "ratproof.api.classifiers": ("classifier",),
    "ratproof.api.formulas": ("drawn_vectors",),
    "ratproof.api.kernels": ("believe_kernel", "kernel_claim"),
    "ratproof.laws.models.causal_model": ("of_causal_model",),
    "ratproof.laws.models.inputs": ("Tokens", "Vectors"),
    "ratproof.laws.models.model": ("StatefulModel",),
    "ratproof.laws.models.torch_rnn": ("of_torch_rnn",),
    "ratproof.api.modules": ("believe_module", "module_claim"),
    "ratproof.api.stateful": ("believe_stateful", "model_claim"),
    "ratproof.api.steps": ("believe", "step_claim"),
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
    "classifier",
    "drawn_vectors",
    "equivalent",
    "harden",
    "kernel_claim",
    "minimise",
    "model_claim",
    "module_claim",
    "of_causal_model",
    "of_torch_rnn",
    "rank",
    "read",
    "score",
    "step_claim",
    "verify",
    "write",
]


def __getattr__(name: str) -> Any:
    """Import a part of the Python API when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'ratproof' has no attribute {name!r}")
    from ratproof.namesakes import hidden

    if sentence := hidden():
        raise ImportError(sentence)
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the names of the module and of the Python API, for completion."""
    return sorted({*globals(), *__all__})
