"""Networks that count: the contents of their cell, and proofs that they decide balanced parentheses."""
