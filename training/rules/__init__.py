"""The commands on rules that need labelled sentences: untrained networks beside their rules, and rules read
back from trained ones.
"""
