"""The parts of a stranger's Transformer, found in a recording, and what each of them does wrong.

Here belongs what reads recorded operations; what only calls the module and compares logits is a
probe.
"""
