"""The claims of the papers: one folder for each paper, one file for each claim.

This package depends on automata and does not import torch.
"""
