"""The families of linear recurrences: which tensors a kernel takes, and what it is to compute from them.

A head's state S is a matrix of K x V numbers. A step decays it, may correct it along one direction, adds one
matrix of rank one, and reads it:

    S <- diag(d) S + b (a^T X) + k v^T,    o = scale S^T q

>>> FAMILIES["gla"].tensors
{'q': 'BTHK', 'k': 'BTHK', 'v': 'BTHV', 'g': 'BTHK'}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Correction = Literal["none", "delta", "low-rank"]


@dataclass(frozen=True)
class LinearRecurrence:
    """What a family of kernels computes.

    Attributes:
        name: as ``kernel_claim`` knows it.
        tensors: the tensors it takes besides ``scale``, ``initial_state``, ``output_final_state`` and
            ``cu_seqlens``, each with its axes: B strings, T tokens, H heads, K and V the state's, D lanes, P
            the two parts of a complex number.
        query, key, value: the tensors of those names; empty for a key or a query of ones.
        decay: the tensor whose exponential decays the state, axes ``BTHK`` or ``BTH``; a natural logarithm,
            at most 0, and -infinity.
        fixed_decay: gamma_h = 1 - 2^(-5-h) for head h, as RetNet has it.
        step, rate: the tensors of time steps, axes ``BTH``, at least 0, and of rates, axes ``HK`` or ``H``,
            at most 0, of a state-space layer: the decay is exp(step rate), and what is added step k v^T.
        factor: the tensor that decays the state by itself, no logarithm.
        correction: ``delta``: after the decay, S += beta k (v - S^T k)^T; ``low-rank``: S = diag(d) S +
            b (S^T a)^T + k v^T, of the state before the decay.
        bonus: the tensor u, axes ``HK``, of a state that is read before its update: o = scale (S + (u * k)
            v^T)^T q; empty for one that is read after.
        lanes: the state is a vector of D numbers, axes ``BTD``, and not a matrix a head.
        pairs: are the numbers complex? Then each tensor, and the state behind its lanes, has a last axis P.
        scaled: is there a ``scale``? ``always``: it is a number, never None.
        packed: may strings be packed, with ``cu_seqlens``?
        says: the recurrence, in the statement of a claim.
    """

    name: str
    tensors: Mapping[str, str]
    query: str = "q"
    key: str = "k"
    value: str = "v"
    decay: str = ""
    fixed_decay: bool = False
    step: str = ""
    rate: str = ""
    factor: str = ""
    correction: Correction = "none"
    bonus: str = ""
    lanes: bool = False
    pairs: bool = False
    scaled: Literal["", "maybe", "always"] = "maybe"
    packed: bool = True
    says: str = field(default="", compare=False)


_QKV = {"q": "BTHK", "k": "BTHK", "v": "BTHV"}
_LANES: Any = {"query": "", "key": "", "lanes": True, "scaled": ""}
SELECTIVE_SCAN = LinearRecurrence(
    "selective-scan",
    {**_QKV, "dt": "BTH", "a": "HK"},
    step="dt",
    rate="a",
    scaled="",
    packed=False,
    says="S = diag(exp(dt a)) S + dt k v^T, o = S^T q",
)
"""Mamba's state-space layer: q is its C, k its B, v its input, a its A, and a head one of its groups."""
SSD = LinearRecurrence(
    "ssd",
    {**_QKV, "dt": "BTH", "a": "H"},
    step="dt",
    rate="a",
    scaled="",
    packed=False,
    says="S = exp(dt a) S + dt k v^T, o = S^T q",
)
"""Mamba-2's, whose heads have one rate each."""
LRU = LinearRecurrence(
    "lru",
    {"f": "DP", "u": "BTDP"},
    value="u",
    factor="f",
    pairs=True,
    packed=False,
    says="h = f h + u of complex numbers",
    **_LANES,
)
"""The scan of an LRU, whose lanes have a complex factor each: u is what its B makes of the inputs."""
FAMILIES: dict[str, LinearRecurrence] = {
    family.name: family
    for family in (
        LinearRecurrence("linear-attention", _QKV, says="S += k v^T"),
        LinearRecurrence("retention", _QKV, fixed_decay=True, says="S = gamma_h S + k v^T"),
        LinearRecurrence("gla", {**_QKV, "g": "BTHK"}, decay="g", says="S = diag(exp g) S + k v^T"),
        LinearRecurrence(
            "delta-rule", {**_QKV, "beta": "BTH"}, correction="delta", says="S += beta k (v - S^T k)^T"
        ),
        LinearRecurrence(
            "gated-delta-rule",
            {**_QKV, "beta": "BTH", "g": "BTH"},
            decay="g",
            correction="delta",
            says="S = exp(g) S, then S += beta k (v - S^T k)^T",
        ),
        LinearRecurrence(
            "rwkv-6",
            {"r": "BTHK", "k": "BTHK", "v": "BTHV", "w": "BTHK", "u": "HK"},
            query="r",
            decay="w",
            bonus="u",
            says="o = scale (S + (u * k) v^T)^T r, then S = diag(exp w) S + k v^T",
        ),
        LinearRecurrence(
            "rwkv-7",
            {"r": "BTHK", "w": "BTHK", "k": "BTHK", "v": "BTHV", "a": "BTHK", "b": "BTHK"},
            query="r",
            decay="w",
            correction="low-rank",
            scaled="always",
            says="S = diag(exp w) S + b (S^T a)^T + k v^T",
        ),
        LinearRecurrence(
            "hgrn", {"x": "BTD", "g": "BTD"}, value="x", decay="g", says="h = exp(g) h + x", **_LANES
        ),
        LinearRecurrence(
            "elementwise",
            {"f": "BTD", "u": "BTD"},
            value="u",
            factor="f",
            packed=False,
            says="c = f c + u",
            **_LANES,
        ),
    )
}
"""The families, by name."""
