"""Kernels of linear recurrences, each held against its recurrence: what the families are, the reference, the
bounds, and what is drawn.
"""
