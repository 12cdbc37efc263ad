"""Shared parts of the claims about linear recurrences: the affine step with terms of rank one."""
