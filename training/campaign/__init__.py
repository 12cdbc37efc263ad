"""Campaigns of many runs; each run is a separate process, which can be killed and resumed."""
