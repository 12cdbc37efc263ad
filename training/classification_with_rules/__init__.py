"""Text classification with rules: FA-RNNs, and what they are compared with (Jiang et al. 2020, section 4)."""
