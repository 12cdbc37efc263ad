"""The experiments of the papers, in which networks are trained, and their results."""
