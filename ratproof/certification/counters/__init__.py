"""Proofs that a network with a cell state recognises balanced parentheses.

A linear map of the cell state is also fitted, which shows how the cell counts.
"""
