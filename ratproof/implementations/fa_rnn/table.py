"""The torch programs of FA-RNNs, keyed by name."""

from __future__ import annotations

from ratproof.implementations.fa_rnn import by_factors, expressivity, gru, on_rules
from ratproof.implementations.fa_rnn.program import FARNNProgram

PROGRAMS: dict[str, FARNNProgram] = {
    program.name: program
    for module in (by_factors, on_rules, gru, expressivity)
    for program in module.PROGRAMS
}
"""Each program, keyed by the name that variants use."""
