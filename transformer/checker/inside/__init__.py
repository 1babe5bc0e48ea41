"""Looking inside: one recorded forward pass, and what its operations say about attention.

Here belongs what reads a recording; what only calls the module and compares logits is a probe.
"""
