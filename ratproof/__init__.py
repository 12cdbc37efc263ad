"""The checker and its face: kinds of evidence, verdicts, report, command line, pytest plugin."""

__version__ = "0.1.0"
