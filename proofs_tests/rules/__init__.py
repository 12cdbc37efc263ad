"""Tests of rules over words."""
