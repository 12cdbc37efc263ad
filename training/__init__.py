"""The experiments of the papers: networks that are trained to be automata, and their results."""
