"""The top rung: what Coq's kernel accepts.

The statements and proofs are in ``theory/coq``. Here they are compiled, asked what they assume, run on
numbers, and used to check the certificate of two concrete automata.
"""
