"""The kinds of evidence (rungs), one module for each kind."""
