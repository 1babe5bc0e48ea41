"""Models that somebody else wrote: what they return, read as traces.

No library of theirs is imported: tensors are read by what they can do.
"""
