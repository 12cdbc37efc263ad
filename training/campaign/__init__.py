"""Campaigns, which consist of many runs in separate processes that can be killed and resumed."""
