"""What Python objects hold while a graph is built, and which of them may be one."""
