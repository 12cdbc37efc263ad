"""The implementations that are compared with automata, one module per way to run them.

Each one draws its cases, compares strings, and can be read back from a counterexample.
"""
