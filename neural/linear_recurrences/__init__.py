"""Torch layers of linear recurrences such as Mamba, GLA and DeltaNet, one file for each layer.

>>> import torch
>>> from neural.linear_recurrences.gla import GLA
>>> layer = GLA(3, 2, keys=2)
>>> o, state = layer(torch.zeros(5, 4, 3))  # T = 5 steps, a batch of 4
>>> o.shape, layer.to_automata(torch.eye(3), "abc")[0]
(torch.Size([5, 4, 2]), <WFSA: 4 states, 3 symbols, real semiring, exact>)
"""
