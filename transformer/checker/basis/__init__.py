"""What all of a check stands on: calling a stranger's module, batches to call it with, and clues.

Nothing here judges.
"""
