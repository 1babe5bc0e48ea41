"""The trace, the record that every picture reads, and what its own words mean.

The lowest room: NumPy and the standard library alone, so that a trace can be read, and written as
a page, where there is no PyTorch.
"""
