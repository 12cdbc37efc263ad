"""Tests of mutated files of every format, which are refused with a one-line error or read correctly."""
