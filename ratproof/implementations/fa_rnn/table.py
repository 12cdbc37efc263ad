"""The torch programs of FA-RNNs, keyed by name."""

from __future__ import annotations

from ratproof.implementations.fa_rnn import by_factors, gru, on_rules, second_order
from ratproof.implementations.fa_rnn.program import FARNNProgram

PROGRAMS: dict[str, FARNNProgram] = {
    program.name: program
    for module in (by_factors, on_rules, gru, second_order)
    for program in module.PROGRAMS
}
"""Each program, keyed by the name that variants use."""
