"""PyTorch as a front end."""
