"""Tests of the claims about linear recurrences."""
