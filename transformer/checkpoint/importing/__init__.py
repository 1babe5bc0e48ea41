"""Models of other libraries as checkpoints of ours, from a folder or from the hub."""
