"""Tests of the requirements of single papers."""
