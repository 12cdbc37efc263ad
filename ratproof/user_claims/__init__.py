"""Claims of your own: `believe` and `believe_module`, and the Python files that they stand in."""
