"""Shared parts of the claims about rational recurrences."""
