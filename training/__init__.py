"""The experiments of the papers: networks trained to be automata, and what was found of them."""
