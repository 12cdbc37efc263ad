"""The tests: one file a claim in one folder a paper, and the tests of each room."""
