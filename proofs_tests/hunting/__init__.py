"""Tests of the hunt, on this machine and on a cluster."""
