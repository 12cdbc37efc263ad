"""Proofs for all strings about trained networks: nn.RNN, nn.GRU and nn.LSTM with a linear classifier.

The state of a network after every string lies in one of finitely many regions; each symbol maps every region
into one of these regions. Each region belongs to a state of the automaton, and the classifier's decision is
constant on the region.
"""
