"""Automata and the functions that they compute, without any dependence on neural networks.

This package depends on no paper and does not import torch.
"""
