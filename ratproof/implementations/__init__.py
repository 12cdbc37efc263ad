"""The programs that are held against automata, one file a side.

Each draws its cases, compares strings, and is read back from a counterexample.
"""
