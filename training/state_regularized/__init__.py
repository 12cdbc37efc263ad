"""Training of state-regularized networks on regular languages: settings, training loop, and results."""
