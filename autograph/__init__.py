"""Python functions in, graphs out."""
