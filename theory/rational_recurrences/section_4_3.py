"""Section 4.3: Elman networks, LSTMs and GRUs are not rational, as the paper conjectures.

Peng et al. 2018, section 4.3, conjecture this for recurrences that apply affine maps and then nonlinearities
to previous states. For the paper's tanh and sigmoid, Hankel determinants in
ball arithmetic exclude automata of a size, and the theorem behind ``ratproof not-rational --every-size``
excludes all. In exact numbers, the networks have the softsign z / (1 + |z|) in place of tanh, and
(1 + softsign) / 2 in place of the sigmoid.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from automata.wfsa import WFSA
from theory.claim import Claim, Effort, Source, holding, refuted
from theory.rational_recurrences import corollary_14
from theory.rational_recurrences.corollary_14 import softsign
from theory.rational_recurrences.proposition_7 import example_6, figure_1_from_c_0, two_states
from theory.rational_recurrences.shared import over_reals
from theory.reading import Equality, NoAutomaton, Recurrence
from theory.signature import Signature, by_symbol, constant
from theory.theorem import Theorem
from theory.weights import Weights


def gate(z: Any) -> Any:
    """Return (1 + softsign(z)) / 2, a rational gate between 0 and 1."""
    return (1 + softsign(z)) / 2


# An LSTM with one unit, c_t = f_t c_{t-1} + i_t g_t and h_t = o_t softsign(c_t). A gate has W v + b for each
# symbol, and the weight of h_{t-1}.

GATES = "ifog"
INPUT_ONLY = Signature(
    (
        constant("c_0"),
        by_symbol("f"),
        by_symbol("i"),
        by_symbol("g"),
        by_symbol("u", derived=lambda w, x: w.over.times(w.i[x], w.g[x])),
    )
)
LSTM = Signature((*map(by_symbol, GATES), *(constant(f"r_{name}") for name in GATES)), most_small=300)


def lstm_step(w: Weights, state: tuple[Any, Any], x: str) -> tuple[Any, Any]:
    """Return the LSTM's next state, c_t and h_t; all gates read h_{t-1}."""
    c, h = state
    i, f, o, g = (w.entries[name][x] + w.entries[f"r_{name}"] * h for name in GATES)
    c = gate(f) * c + gate(i) * softsign(g)
    return c, gate(o) * softsign(c)


def from_inputs(w: Weights) -> list[WFSA]:
    """Return the automaton of the LSTM whose gates do not read h_{t-1}."""
    f = {x: gate(z) for x, z in w.f.items()}
    u = {x: gate(w.i[x]) * softsign(w.g[x]) for x in w.alphabet}
    return figure_1_from_c_0(Weights(w.over, w.alphabet, {"c_0": w.over.zero, "f": f, "u": u}))


# A GRU with one unit, h_t = z_t h_{t-1} + (1 - z_t) softsign(v + m r_t h_{t-1}).

GRU = Signature((*map(by_symbol, "rzv"), constant("u_r"), constant("u_z"), constant("m")), most_small=300)


def gru_step(w: Weights, h: Any, x: str) -> Any:
    """Return the GRU's next state h_t; both gates read h_{t-1}."""
    r, z = gate(w.r[x] + w.u_r * h), gate(w.z[x] + w.u_z * h)
    return z * h + (1 - z) * softsign(w.v[x] + w.m * r * h)


def gru_from_inputs(w: Weights) -> list[WFSA]:
    """Return the automaton of the GRU whose gates and candidate do not read h_{t-1}."""
    f = {x: gate(z) for x, z in w.z.items()}
    u = {x: (1 - f[x]) * softsign(w.v[x]) for x in w.alphabet}
    return figure_1_from_c_0(Weights(w.over, w.alphabet, {"c_0": w.over.zero, "f": f, "u": u}))


ZERO = Fraction(0)
lstm = Recurrence(start=lambda w: (ZERO, ZERO), step=lstm_step, out=lambda w, state: (state[0],))
gru = Recurrence(start=lambda w: ZERO, step=gru_step, out=lambda w, h: (h,))
IN_BALLS = {
    "kernel-checked": (
        "with the paper's tanh and sigmoid, the Hankel determinants are balls, which an independent program"
        " checks; Coq's theorem about the softsign is that of corollary-14, and its theorems about tanh and"
        " the sigmoid rest on the axioms of the real numbers"
    )
}

CLAIM = Claim(
    name="section-4.3",
    title="Elman networks, GRUs and, up to 62 states, LSTMs are not rational",
    statement=(
        "An LSTM or GRU whose gates read only the symbol is an automaton of two states. If they also read"
        " the previous state, as in Elman networks, LSTMs and GRUs, no automaton computes the unit; for"
        " the LSTM, this is shown for automata with fewer than 63 states."
    ),
    source=Source("peng2018rational", "4.3", "Section 4.3"),
    hypotheses=(
        "The networks have one layer, and their unit is a component of the state.",
        "Automata have weights in a field that contains the rationals, such as the real numbers.",
    ),
    variants=(
        holding(
            name="corrected",
            says="the cell state of an LSTM whose gates read only the symbol, with lambda(q_1) = c_0",
            reading=Equality(recurrence=example_6, construction=figure_1_from_c_0),
            cases=INPUT_ONLY.random,
            proof=two_states(INPUT_ONLY, c="(1, c)"),
            theorem=Theorem(
                "rational_recurrences.section_4_3.section_4_3",
                network="input_only_lstm {c_0} {f} {i} {g} {word}",
                automaton="figure_1 {f} (fun x => times ({i} x) ({g} x)) {c_0}",
            ),
        ),
        refuted(
            name="without-linearity",
            without=IN_BALLS,
            says="an Elman network, c_t = tanh(W_c c_{t-1} + W_v v_t + b_c), is an automaton",
            reading=NoAutomaton(
                recurrence=corollary_14.squashed_elman, construction=corollary_14.as_isan, unit="elman"
            ),
            real_theorem=over_reals.ELMAN,
            cases=corollary_14.FROM_ZERO.random,
        ),
        refuted(
            name="without-input-only-gates",
            without=IN_BALLS,
            says="an LSTM, whose four gates also read h_{t-1}, is an automaton with fewer than 63 states",
            reading=NoAutomaton(
                recurrence=lstm, construction=from_inputs, unit="lstm", size="with fewer than 63 states"
            ),
            cases=LSTM.random,
        ),
        refuted(
            name="without-input-only-gates-gru",
            without=IN_BALLS,
            says="a GRU, whose gates and candidate also read h_{t-1}, is an automaton",
            reading=NoAutomaton(recurrence=gru, construction=gru_from_inputs, unit="gru"),
            real_theorem=over_reals.GRU,
            cases=GRU.random,
        ),
    ),
    differences=(
        (
            "The paper states a hypothesis about models like Elman networks, LSTMs and GRUs. What is"
            " shown is that some Elman network and some GRU are not rational, and that some LSTM is no"
            " automaton with fewer than 63 states: the certificates contain the weights."
        ),
        (
            "The unit is the first component of the state of one network. The certificates are about"
            " automata over fields that contain the rationals; Definition 8 allows other semirings."
        ),
        (
            "In exact arithmetic, the softsign replaces tanh, and (1 + softsign) / 2 replaces the"
            " sigmoid. The evidence `decided` is about tanh and the sigmoid."
        ),
        "The variant corrected, about an LSTM whose gates read only the symbol, is not in the paper.",
    ),
    example=INPUT_ONLY.example(),
    uses=("corollary-9", "corollary-14"),
    effort=Effort(examples=60, strings=12, longest=6, run=6, exhausted=4),
)
