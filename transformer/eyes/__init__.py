"""One forward pass of any module as a graph of operations, with the token of each number.

The module is called as its owner would, and left as it was found. Nothing here knows what an
attention or a layer is.
"""
