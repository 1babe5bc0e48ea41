"""One forward pass as a graph of operations, with the token that each number belongs to.

Nothing here knows what an attention or a layer is: finding such parts is anatomy's.
"""
