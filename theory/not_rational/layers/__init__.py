"""Layers since 2020 that are no automata: a file each, with its step over any arithmetic, which ends with
its ``CELL``. ``ratproof not-rational`` finds them here; ``check_hankel.py`` has its own text of each.
"""
