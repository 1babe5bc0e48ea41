"""What the paper computes: configuration, masks, attention, layers, towers.

Nothing here knows of text, of files, of recording or of screens.
"""
