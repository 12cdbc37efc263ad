"""The commands on rules that need labelled sentences.

The commands compare untrained networks with their rules, and extract rules from trained networks.
"""
