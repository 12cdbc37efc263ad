"""One step of a network from a box of mixtures alpha, enclosed in any interval arithmetic.

The state is alpha, in a box of the simplex, and h = S alpha. Every quantity q is enclosed by the mean-value
form: q at the box's middle, plus the range of J (alpha - middle). J encloses the derivative of q with respect
to alpha over the whole box. For h and the sum in a gate, which are linear in alpha, J is constant and the
range is exact. See ``docs/how_to/certify_a_state_regularized_network.md``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from ratproof.certification.soft_networks.arithmetic import BoxT, EnclosureArithmetic, PlaceT, V


@dataclass(frozen=True)
class Enclosed(Generic[V]):
    """An enclosure of a vector that depends on alpha, over a box of alphas, in mean-value form.

    Attributes:
        middle: The vector at the middle of the box.
        slope: The derivatives of the vector with respect to alpha, over the whole box.
        over_box: The vector over the whole box.
    """

    middle: V
    slope: V
    over_box: V


class RecurrentStep(Generic[V, BoxT, PlaceT]):
    """Enclosures of the recurrent component's output u = f(S alpha, x) over boxes of mixtures alpha.

    Args:
        on: The arithmetic, with the network's matrices.
    """

    def __init__(self, on: EnclosureArithmetic[V, BoxT, PlaceT]) -> None:
        self.on = on

    def h(self, box: BoxT) -> Enclosed[V]:
        """Return an enclosure of the hidden state h = S alpha for all alpha in the box."""
        return self._mean_value(self.on.times_middle(self.on.S, box), self.on.S, box)

    def u(self, box: BoxT, token: PlaceT) -> Enclosed[V]:
        """Return an enclosure of the component's output u after the token, for all alpha in the box."""
        return {"sr-elman": self._elman, "sr-gru": self._gru}[self.on.numbers.kind](box, token)

    def _linear(self, matrix: V, offset: V, box: BoxT) -> Enclosed[V]:
        """Return an enclosure of matrix @ alpha + offset for all alpha in the box."""
        return self._mean_value(self.on.times_middle(matrix, box) + offset, matrix, box)

    def _mean_value(self, middle: V, slope: V, box: BoxT) -> Enclosed[V]:
        return Enclosed(middle, slope, self.on.reach(middle, slope, box))

    def _elman(self, box: BoxT, token: PlaceT) -> Enclosed[V]:
        """Return an enclosure of u = tanh(W x + b + U h + c)."""
        on = self.on
        inside = self._linear(on.US[0], on.read(token, 0) + on.c[0], box)
        over_box = on.tanh(inside.over_box)
        slope = on.scale_rows(on.tanh_slope(over_box), inside.slope)
        return self._mean_value(on.tanh(inside.middle), slope, box)

    def _gru(self, box: BoxT, token: PlaceT) -> Enclosed[V]:
        """Return an enclosure of u = n + z (h - n).

        r, z = sigma(W x + b + U h + c) and n = tanh(W x + b + r (U h + c)).
        """
        on, scale_rows = self.on, self.on.scale_rows
        h = self.h(box)
        in_r = self._linear(on.US[0], on.read(token, 0) + on.c[0], box)
        in_z = self._linear(on.US[1], on.read(token, 1) + on.c[1], box)
        from_h = self._linear(on.US[2], on.c[2], box)
        r, z = on.sigmoid(in_r.over_box), on.sigmoid(in_z.over_box)
        dr, dz = on.sigmoid_slope(r), on.sigmoid_slope(z)
        in_n = self._mean_value(
            on.read(token, 2) + on.sigmoid(in_r.middle) * from_h.middle,
            scale_rows(on.multiply(dr, from_h.over_box), in_r.slope) + scale_rows(r, from_h.slope),
            box,
        )
        n = on.tanh(in_n.over_box)
        dn = scale_rows(on.tanh_slope(n), in_n.slope)
        keep = on.sigmoid(in_z.middle)
        n_middle = on.tanh(in_n.middle)
        middle = n_middle + keep * (h.middle - n_middle)
        slope = (
            scale_rows(1 - z, dn)
            + scale_rows(z, h.slope)
            + scale_rows(on.multiply(dz, h.over_box - n), in_z.slope)
        )
        return self._mean_value(middle, slope, box)
