"""Conversion of numbers and symbols to and from printable text."""
