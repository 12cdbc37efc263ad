"""Generation of tables about the networks that Omlin and Giles construct, and a trained, certified network.

The tables compare the gain of the constructed networks with the weights of the trained network.
"""

import numpy as np
import region_plots
from page_text import render

from theory.expressivity.omlin_giles import gain_and_error

SIZES = range(2, 7)
AS_SIGMOID = 4
"""The factor of a weight if units in (-1, 1) are replaced by units in (0, 1): tanh z = 2 sigmoid(2 z) - 1."""


def pages() -> dict[str, str]:
    """Return the text with both tables, keyed by its path."""
    dfa = region_plots.NO_00
    columns = [list(column) for column in zip(*dfa.table, strict=True)]
    most = max(column.count(q) for column in columns for q in column)
    nodes = region_plots.certified_nodes()
    widths = [np.ptp(region_plots.outline(node), 0).max() for node in nodes[1:]]  # node 0 is the start
    weights = np.array(region_plots.WEIGHTS["rnn.weight_hh_l0"])
    text = render(
        "omlin_giles",
        gains={n: tuple(map(float, gain_and_error(n))) for n in SIZES},
        most=most,
        states=len(dfa.table),
        regions=len(nodes) - 1,
        units=len(weights),
        weight=AS_SIGMOID * float(abs(weights).max()),
        width=float(max(widths)) / 2,
    )
    return {"claims/omlin-giles-gains.txt": text}
