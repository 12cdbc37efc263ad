"""The one runner of evidence, and what it serves: `verify`, `check`, `hunt` and the pytest plugin."""
