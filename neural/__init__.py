"""Recurrent networks as torch layers, and their conversion to automata.

This package depends on automata. It does not know about claims.
"""
