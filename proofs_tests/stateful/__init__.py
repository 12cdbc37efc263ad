"""Models with a state, right ones and wrong ones, and what ratproof says of them."""
