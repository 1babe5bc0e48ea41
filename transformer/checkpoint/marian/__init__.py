"""Hugging Face's Marian models (OPUS-MT) as checkpoints of ours; no other library's."""
