"""Tests of mutated files of every format: they are refused with a one-line error and exit status 2, or read
correctly.
"""
