"""Training of the papers' networks, and the results of these experiments."""
