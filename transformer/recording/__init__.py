"""What a pass through our own models computes, recorded or changed through hooks.

Nothing here decides what to decode, or draws.
"""
