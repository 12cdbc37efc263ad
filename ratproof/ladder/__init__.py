"""The one runner of evidence, and what it serves: `verify`, `check` and `hunt`."""
