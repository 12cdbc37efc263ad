"""The implementations of networks that are compared with automata.

Each one draws its cases, compares strings, and can be read back from a counterexample.
"""
