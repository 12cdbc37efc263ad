"""Tests of what ratproof says of users' kernels."""
