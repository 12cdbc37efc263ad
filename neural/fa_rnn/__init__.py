"""FA-RNNs (Jiang et al. 2020): trainable recurrent networks, initialised from rules and equal to them at
beta = 1.
"""
