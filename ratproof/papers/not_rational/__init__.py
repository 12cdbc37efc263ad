"""That a cell is no automaton: of less than n states, by a Hankel determinant; of any size, by a theorem's
hypotheses.
"""
