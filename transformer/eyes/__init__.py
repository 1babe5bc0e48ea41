"""One forward pass of any module as a graph of operations, with the token of each number, and the
attentions that are found in it.

The module is called as its owner would, and left as it was found.
"""
