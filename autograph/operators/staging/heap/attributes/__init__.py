"""What objects and modules hold by name, where only a run knows it."""
