"""FA-RNNs (Jiang et al. 2020): trainable recurrent networks that are initialised from rules.

At beta = 1 they equal their rules.
"""
