"""Probes: they call the module and compare logits, and look at nothing else.

What reads a recording of the inside belongs to `anatomy`.
"""
