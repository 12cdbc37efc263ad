"""A Fabric precision plugin for float64.

Fabric's own plugin returns the network's output in float32, which rounds the loss and its gradient.
"""

from __future__ import annotations

from typing import Any

from lightning_fabric.plugins.precision.double import DoublePrecision


class Double(DoublePrecision):
    """Float64 precision that leaves the network's output unchanged."""

    def convert_output(self, data: Any) -> Any:
        """Return the output unchanged."""
        return data
