"""The claims of Cold-Start and Interpretability: Turning Regular Expressions into Trainable Recurrent Neural
Networks (Jiang et al. 2020).
"""
