"""The experiments of the papers: networks trained to be automata, and their results."""
