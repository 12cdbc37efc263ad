"""Networks that count, with an interpretation of their cell, and proofs about balanced parentheses."""
