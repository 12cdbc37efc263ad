"""Float64 throughout: Fabric's own gives what the network returns back in float32, and the loss and its
gradient are rounded to that.
"""

from __future__ import annotations

from typing import Any

from lightning_fabric.plugins.precision.double import DoublePrecision


class Double(DoublePrecision):
    """What the network returns stays as it is."""

    def convert_output(self, data: Any) -> Any:
        """As it is."""
        return data
