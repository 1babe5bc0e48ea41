"""What a pass through the model computed: hooks, and the trace that every picture reads.

Nothing here decides what to decode, or draws.
"""
