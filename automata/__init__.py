"""Automata and the functions that they compute, on numbers and strings only.

This package depends on no paper and does not import torch.
"""
