"""State-regularized networks: recipes, the training loop, and results."""
