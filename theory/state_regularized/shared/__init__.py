"""Shared parts of the claims about state-regularized networks."""
