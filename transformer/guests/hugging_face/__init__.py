"""Hugging Face's models, recorded and changed as ours are; no other room imports transformers.

What belongs here knows that library. What a trace of any guest is made of stands one folder up.
"""
