"""The torch layers of today's linear recurrences, one file for each layer."""
