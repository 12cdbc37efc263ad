"""The commands, in one file a subject, each imported when it is run (``table`` says where it is)."""
