"""Networks that count: what their cell holds, and proofs that they decide balanced parentheses."""
