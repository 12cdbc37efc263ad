"""The implementations of networks that are compared with automata.

An implementation draws random networks and strings. Its comparison evaluates the network and the automata on
the strings, and can be written to and read from the file of a counterexample.
"""
