"""Campaigns: many runs, each a process of its own that can be killed and gone on with."""
