"""Coq: what it accepts, what it computes, and what it must not accept. Skipped, and said so, where there is
no Coq.
"""
