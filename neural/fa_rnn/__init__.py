"""FA-RNNs (Jiang et al. 2020): trainable recurrent networks that are initialised from rules.

With beta = 1, a network without training gives exactly the results of its rules.
"""
