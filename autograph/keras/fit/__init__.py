"""What trains, evaluates and runs a model."""
