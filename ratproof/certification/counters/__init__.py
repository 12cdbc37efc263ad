"""Proofs that a network with a cell state recognises balanced parentheses.

A fitted linear map of the cell state also shows how the cell counts.
"""
