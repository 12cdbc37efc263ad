"""Kernels of linear recurrences and their comparison with the recurrence.

The modules define the families, the reference, the error bounds, and the random calls.
"""
