"""The networks, fast, on any device, and the automata that they are. Knows automata; no claim."""
