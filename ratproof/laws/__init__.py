"""Laws for what a user brings: kernels, and models with a state."""
