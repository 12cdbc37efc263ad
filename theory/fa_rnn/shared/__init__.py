"""Shared parts of the claims about FA-RNNs."""
