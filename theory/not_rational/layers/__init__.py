"""Layers since 2020 that are not automata, one file each, with a step over any arithmetic.

Each file ends with its ``CELL``. ``ratproof not-rational`` finds them here; ``check_hankel.py`` has
its own code for each.
"""
