"""Tests of certified temperature, and of what a network is turned into."""
