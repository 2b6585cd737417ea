"""What all layers are made of: the base class, weights, symbolic calls, configurations."""
