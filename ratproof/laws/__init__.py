"""Laws for user-supplied kernels and stateful models."""
