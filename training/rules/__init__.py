"""The commands on rules that need labelled sentences.

They compare untrained networks with their rules, and read rules back from trained networks.
"""
