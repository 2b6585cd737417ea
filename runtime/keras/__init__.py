"""Neural networks by the names of Keras: layers, models, losses, metrics and optimizers."""
