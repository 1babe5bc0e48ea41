"""Models of Hugging Face's behind the server: which were named, and the process they compute in."""
