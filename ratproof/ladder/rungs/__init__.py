"""The rungs of the ladder, one module per kind of evidence."""
