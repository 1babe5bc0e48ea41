"""The Hugging Face Hub: what it says of a model, and its files. Nothing here reads a weight."""
