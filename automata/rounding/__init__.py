"""Bounds on the difference between a float result and the true one."""
