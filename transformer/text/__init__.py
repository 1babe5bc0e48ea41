"""Text to token ids and back. Nothing here knows what a model does with them."""
