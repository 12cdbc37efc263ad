"""The families of linear recurrences: the tensors that a kernel takes and the function that it computes.

The state S of a head is a K x V matrix. A step decays it, may correct it along one direction, adds one matrix
of rank one, and reads it:

    S <- diag(d) S + b (a^T X) + k v^T,    o = scale S^T q

X is the state before or after its decay.

>>> FAMILIES["gla"].tensors
{'q': 'BTHK', 'k': 'BTHK', 'v': 'BTHV', 'g': 'BTHK'}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ratproof.laws.kernels.state_parts import Function, step_with_one_state
from ratproof.laws.kernels.steps import gsa, mlstm

Correction = Literal["none", "delta", "low-rank"]
KINDS = {
    "log-decay": "at most 0",
    "decay": "from 0 to 1",
    "decay-logit": "real, and its sigmoid is a decay",
    "log-gate": "real, and its exponential is a gate",
    "positive": "positive",
}
"""The kinds of values of a step's tensors."""
DECAYS = {"log-decay", "decay", "decay-logit"}


@dataclass(frozen=True)
class LinearRecurrence:
    """The function that a family of kernels computes.

    Attributes:
        name: The name in ``kernel_claim``.
        tensors: The tensors and their axes, besides ``scale``, ``initial_state``, ``output_final_state`` and
            ``cu_seqlens``. The axes are B (sequences), T (tokens), H (heads), K and V (rows and columns of
            the state), M (slots), D (lanes), W (the inputs of a convolution), S (the steps of all tokens, if
            a token has several), and P (the two parts of a complex number).
        query, key, value: The names of these tensors; empty if keys or queries are ones.
        decay: The tensor whose exponential decays the state, axes ``BTHK``, ``BTH``, or ``H`` for one decay
            of all tokens. Its values are natural logarithms, at most 0, possibly -infinity.
        fixed_decay: Whether the decay is gamma_h = 1 - 2^(-5-h) for head h, as in RetNet.
        step: A tensor that multiplies the added term, axes ``BTH`` or ``BTD``: the time steps of a
            state-space layer, at least 0, or input gates from 0 to 1. The added term is step k v^T.
        rate: The rates of a state-space layer, axes ``HK`` or ``H``, at most 0. The decay is exp(step rate).
        factor: The tensor that is the decay itself rather than its logarithm.
        complement: ``key`` if keys are 1 - exp(decay); ``step`` if the decay is 1 - step; empty if neither.
        correction: ``delta``: after the decay, S += beta k (v - S^T k)^T; ``low-rank``: S = diag(d) S +
            b (S^T a)^T + k v^T, with the state before the decay.
        erase: The tensor p that replaces the key in the correction of ``delta``: S = diag(d) S + beta k (v -
            S^T p)^T. The correction then reads the state before the decay. Empty if the key is not replaced.
        substeps: The name of the option with the number n of steps per token, if there may be several.
            Tensors with the axis S have n entries per token. The state decays before a token's first step,
            and is read after its last step.
        bonus: The tensor u, axes ``HK``, if the state is read before its update: o = scale (S + (u * k)
            v^T)^T q. Empty if the state is read after its update.
        lanes: Whether the state is a vector of size D, axes ``BTD``, rather than one matrix per head.
        normalised: Whether outputs are divided by a normaliser. Then the values end with a 1, the state has V
            + 1 columns, and the first V outputs are divided by the last output. Queries and keys are
            positive.
        window: The weights of a causal convolution, axes ``DW``, whose state is its last W inputs, axes
            ``NDW``; empty if there is none.
        pairs: Whether values are complex; then each tensor and the state have a last axis P.
        scaled: ``maybe`` if ``scale`` may be None, ``always`` if it is a number; empty if there is no
            ``scale``.
        packed: Whether sequences may be packed, with ``cu_seqlens``.
        says: The recurrence as a formula, for the statement of a claim.
        function: The recurrence as a Python function, which maps a state and a token's tensors to the next
            state and an output. It replaces the attributes above; ``value`` then has the axes of the outputs.
        state: The axes of a sequence's state, if there is a ``function``; a tuple if the state is a tuple of
            tensors. In the latter case, ``function`` takes and returns the state as a single tensor
            (:mod:`~ratproof.laws.kernels.state_parts`).
        kinds: The kinds of its tensors, keyed by name, from :data:`KINDS`.
        layer: The layer in :mod:`~ratproof.laws.kernels.bounds.two_parts` that has bounds for the
            ``function``; empty if they are derived from its operations.
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
    complement: Literal["", "key", "step"] = ""
    correction: Correction = "none"
    erase: str = ""
    substeps: str = ""
    bonus: str = ""
    lanes: bool = False
    normalised: bool = False
    window: str = ""
    pairs: bool = False
    scaled: Literal["", "maybe", "always"] = "maybe"
    packed: bool = True
    says: str = field(default="", compare=False)
    function: Function | None = field(default=None, compare=False)
    state: str | tuple[str, ...] = ""
    kinds: Mapping[str, str] = field(default_factory=dict)
    layer: Literal["", "mlstm", "gsa"] = ""

    @property
    def output_axes(self) -> str:
        """Return the axes of the outputs."""
        return self.tensors[self.value].replace("S", "T")

    @property
    def exact(self) -> bool:
        """Return whether there are inputs for which no arithmetic of a kernel rounds."""
        return not self.fixed_decay and not self.normalised and self.function is None

    @property
    def axes(self) -> str:
        """Return the axes, other than T, whose sizes can be chosen for a call."""
        if self.lanes:
            return "BDW" if self.window else "BD"
        used = "".join(self.tensors.values()) + "".join(self.state)
        if self.function is None or "M" in used:  # M is computed from K and V
            return "BHKV"
        return "".join(axis for axis in "BHKV" if axis in used)


def state_axes(family: LinearRecurrence) -> str:
    """Return the axes of the final states; further axes of a head are omitted unless the family has a step.

    >>> state_axes(FAMILIES["hgrn"]), state_axes(FAMILIES["gla"])
    ('ND', 'NH')
    """
    if family.state and isinstance(family.state, str):
        return "N" + family.state
    return "ND" if family.lanes else "NH"


def _of_step(
    name: Literal["mlstm", "gsa"],
    tensors: Mapping[str, str],
    step: Function,
    state: tuple[str, ...],
    **more: Any,
) -> LinearRecurrence:
    """Return a family that is defined by a Python step and has a tuple of tensors as its state."""
    function = step_with_one_state(step, state, tensors)
    return LinearRecurrence(
        name, tensors, query="", key="", scaled="", function=function, state=state, layer=name, **more
    )


_QKV = {"q": "BTHK", "k": "BTHK", "v": "BTHV"}
_LANES: Any = {"query": "", "key": "", "lanes": True, "scaled": ""}
FAMILIES: dict[str, LinearRecurrence] = {
    family.name: family
    for family in (
        LinearRecurrence("linear-attention", _QKV, says="S += k v^T"),
        LinearRecurrence(
            "normalised-linear-attention",
            _QKV,
            normalised=True,
            scaled="",
            says="S += k v^T, z += k, o = S^T q / (z^T q), with the state (S, z)",
        ),
        LinearRecurrence("retention", _QKV, fixed_decay=True, says="S = gamma_h S + k v^T"),
        LinearRecurrence("gla", {**_QKV, "g": "BTHK"}, decay="g", says="S = diag(exp g) S + k v^T"),
        LinearRecurrence("simple-gla", {**_QKV, "g": "BTH"}, decay="g", says="S = exp(g) S + k v^T"),
        LinearRecurrence("lightning-attention", {**_QKV, "g": "H"}, decay="g", says="S = exp(g_h) S + k v^T"),
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
            "gated-delta-product",
            {"q": "BTHK", "k": "BSHK", "v": "BSHV", "beta": "BSH", "g": "BTH"},
            decay="g",
            correction="delta",
            substeps="num_householder",
            says="S = exp(g) S, then S += beta_j k_j (v_j - S^T k_j)^T for each step j of the token",
        ),
        LinearRecurrence(
            "kda",
            {**_QKV, "beta": "BTH", "g": "BTHK"},
            decay="g",
            correction="delta",
            says="S = diag(exp g) S, then S += beta k (v - S^T k)^T",
        ),
        LinearRecurrence(
            "comba",
            {**_QKV, "p": "BTHK", "beta": "BTH", "g": "BTH"},
            decay="g",
            correction="delta",
            erase="p",
            says="S = exp(g) S + beta k (v - S^T p)^T",
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
            "hgrn2",
            {"q": "BTHK", "v": "BTHV", "g": "BTHK"},
            key="",
            decay="g",
            complement="key",
            says="S = diag(exp g) S + (1 - exp g) v^T",
        ),
        LinearRecurrence(
            "min-gru",
            {"z": "BTD", "u": "BTD"},
            value="u",
            step="z",
            complement="step",
            says="h = (1 - z) h + z u",
            **_LANES,
        ),
        LinearRecurrence(
            "min-lstm",
            {"f": "BTD", "i": "BTD", "u": "BTD"},
            value="u",
            factor="f",
            step="i",
            says="h = f h + i u",
            **_LANES,
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
        LinearRecurrence(
            "lru",
            {"f": "DP", "u": "BTDP"},
            value="u",
            factor="f",
            pairs=True,
            packed=False,
            says="h = f h + u of complex numbers",
            **_LANES,
        ),
        LinearRecurrence(
            "selective-scan",
            {**_QKV, "dt": "BTH", "a": "HK"},
            step="dt",
            rate="a",
            scaled="",
            packed=False,
            says="S = diag(exp(dt a)) S + dt k v^T, o = S^T q",
        ),
        LinearRecurrence(
            "mamba-2",
            {**_QKV, "dt": "BTH", "a": "H"},
            step="dt",
            rate="a",
            scaled="",
            packed=False,
            says="S = exp(dt a) S + dt k v^T, o = S^T q",
        ),
        LinearRecurrence(
            "causal-conv1d",
            {"x": "BTD", "weight": "DW", "bias": "D"},
            value="x",
            window="weight",
            says="y_t = bias + sum over i of weight_i x_{t-W+1+i}, the state is the last W inputs",
            **_LANES,
        ),
        _of_step(
            "mlstm",
            {**_QKV, "i": "BTH", "f": "BTH"},
            mlstm,
            state=("HKV", "HK"),
            kinds={"i": "log-gate", "f": "decay-logit"},
            says="C = sigmoid(f) C + exp(i) k v^T, n = sigmoid(f) n + exp(i) k, o = C^T q / max(|n^T q|, 1),"
            " with the state (C, n)",
        ),
        _of_step(
            "gsa",
            {**_QKV, "s": "BTHM", "g": "BTHM"},
            gsa,
            state=("HMK", "HMV"),
            kinds={"g": "log-decay"},
            says="A = diag(exp g) A + s k^T, B = diag(exp g) B + s v^T, o = B^T softmax(A q), with the state"
            " (A, B)",
        ),
    )
}
"""The families, keyed by name."""
ALIASES = {"ssd": "mamba-2"}
"""Other names of families."""
SELECTIVE_SCAN = FAMILIES["selective-scan"]
"""Mamba's state-space layer: q is C, k is B, v is the input, a is A, and a head is a group of channels."""
SSD = FAMILIES["mamba-2"]
"""The state-space layer of Mamba-2, whose heads have one rate each."""
LRU = FAMILIES["lru"]
"""The scan of an LRU, with one complex factor per lane; u is the input matrix B times the inputs."""
