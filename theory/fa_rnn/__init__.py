"""Claims of Jiang et al. 2020.

The paper is Cold-Start and Interpretability: Turning Regular Expressions into Trainable Recurrent
Neural Networks.
"""
