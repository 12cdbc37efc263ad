"""FA-RNNs (Jiang et al. 2020): recurrent networks that are made from rules, are them at beta = 1, and can be
trained.
"""
