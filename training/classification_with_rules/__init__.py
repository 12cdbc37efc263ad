"""Text classification with rules: FA-RNNs and their baselines (Jiang et al. 2020, section 4)."""
