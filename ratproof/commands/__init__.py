"""The commands, with one module per subject. ``table`` lists them, and each is imported when it runs."""
