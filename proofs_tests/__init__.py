"""The tests: one file a claim, named as the claim, in one folder a paper; and the tests of each room
below.
"""
