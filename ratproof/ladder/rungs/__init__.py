"""The rungs of the ladder, one file a rung: each asserts that the two sides of a variant agree."""
