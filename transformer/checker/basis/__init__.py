"""What all of a check stands on beside the eyes: shapes to call a module with, and clues.

Nothing here judges.
"""
