"""Training of the models that the project ships, by PyTorch."""
