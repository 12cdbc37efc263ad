"""The implementations of networks that are compared with automata.

Each implementation draws random cases, compares strings, and can be read from the file of a counterexample.
"""
