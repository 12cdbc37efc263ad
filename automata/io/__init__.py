"""Automata as files and drawings, and OpenFst."""
