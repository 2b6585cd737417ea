"""Python and its state in graphs."""
