"""Numbers and symbols as text that a terminal can print."""
