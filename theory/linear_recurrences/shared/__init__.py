"""What the claims about linear recurrences share: the affine step with terms of rank one, and its"
" automata.
"""
