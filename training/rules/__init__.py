"""The commands on rules that need labelled sentences.

The commands compare untrained networks with their rules, and read rules back from trained networks.
"""
