"""`headlight.trace`: any module of PyTorch's, watched below autograd while it is called.

A short run with labels tells which softmax is which attention; a second one, on the user's own
input, catches these alone. Nothing here is drawn or saved.
"""
