"""State-regularized networks: recipes, the training loop, and what came of it."""
