"""What the claims about FA-RNNs share: no claims themselves."""
