"""The automaton of a network that was trained on a regular language, decided: hard, soft, and whether the
soft network follows the hard one on all strings.
"""

from __future__ import annotations

from typing import Any

from ratproof.papers.certification.certify import Certification, accepting, certify
from training.language_recognition.network import TrainedAcceptor
from training.state_regularized.experiments import Comparison
from training.state_regularized.languages import Language


def extracted(network: TrainedAcceptor, language: Language) -> tuple[dict[str, Any], Certification]:
    """What a result says of it, and the certification.

    Returns:
        ``states`` of the least DFA of the hard network (temperature to 0), ``exact``: is its language the one
        to be learned, ``certified``: does the soft network follow it on all strings (``certified``,
        ``different`` or ``unknown``), ``accepts_exactly``: is it proved that the soft network accepts that
        language.
    """
    answer = certify(network.acceptor.cpu().eval())
    machine = answer.hard.machine()
    hard = Comparison.of(None if machine is None else accepting(machine), language)
    soft = Comparison.of(answer.language, language)
    said = {
        "states": None if hard is None else hard.states,
        "exact": hard is not None and hard.difference is None,
        "certified": answer.verdict,
        "accepts_exactly": soft is not None and soft.difference is None,
    }
    return said, answer
