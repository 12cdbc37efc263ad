"""Reading, writing and drawing of automata, and conversion to OpenFst."""
