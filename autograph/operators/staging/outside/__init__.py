"""What comes into a trace from outside and leaves it: places that it writes, and code that is not converted."""
