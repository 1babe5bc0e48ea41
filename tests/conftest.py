"""What holds for every test: no network of anybody else's, and one thread for small models."""

import os

# Set before torch, gradio or transformers is imported anywhere.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["HF_HUB_OFFLINE"] = "1"
