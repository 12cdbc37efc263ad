"""Tests of the verification of users' kernels."""
