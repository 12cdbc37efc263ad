"""Layers since 2020 whose units are not automata, with one file for each layer.

Each file defines a step over any arithmetic, and ends with its ``CELL``. ``ratproof not-rational`` finds the
cells in this folder. The checker ``check_hankel.py`` has separate code for each cell.
"""
