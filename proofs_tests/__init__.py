"""Tests of the project: one folder per package, and one file per claim in one folder per paper."""
