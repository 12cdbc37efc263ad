"""Evidence from theorems that Coq's kernel accepts.

The statements and proofs are in ``theory/coq``. This package compiles them, prints their assumptions, runs
their definitions on numbers, and checks the certificate of two concrete automata with them.
"""
