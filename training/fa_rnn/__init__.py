"""FA-RNNs on labelled sentences: zero-shot, training, and reading rules back."""
