"""The kinds of network by name, and their parameters' shapes: what a kept counterexample may name."""

from __future__ import annotations

from typing import Any

import torch

from neural.elman import LinearElman
from neural.example_6 import Example6
from neural.isan import ISAN
from neural.layer import Recurrent
from neural.qrnn import QRNN
from neural.rcnn import RCNN
from neural.rrnn_b import RRNNB
from neural.rrnn_b_max_plus import RRNNBMaxPlus
from neural.rrnn_c import RRNNC
from neural.rrnn_f import RRNNF
from neural.scrn import SCRN
from neural.sru import SRU
from neural.strongly_typed import TGRU, TLSTM, TRNN

NETWORKS: dict[str, type[Recurrent]] = {
    "example-6": Example6,
    "rrnn-b": RRNNB,
    "rrnn-b-max-plus": RRNNBMaxPlus,
    "rrnn-c": RRNNC,
    "rrnn-f": RRNNF,
    "sru": SRU,
    "qrnn": QRNN,
    "t-rnn": TRNN,
    "t-gru": TGRU,
    "t-lstm": TLSTM,
    "scrn": SCRN,
    "rcnn": RCNN,
    "isan": ISAN,
    "linear-elman": LinearElman,
}
"""The layers, each by its name."""
DTYPES = {"float32": torch.float32, "float64": torch.float64}


def shapes(kind: str, options: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """The shape of each parameter of a network; none is made."""
    made = NETWORKS[kind](**options, device="meta")
    return {name: tuple(values.shape) for name, values in made.cell.state_dict().items()}
