"""Campaigns: many runs, each a separate process that can be killed and resumed."""
