"""The rungs of the ladder, one module each: assertions that a network and its automata agree."""
