"""A class together: what its teacher shows and asks, and what it answers, in memory alone.

This room knows a class and its streams. Who may open one, and at which addresses, is told to it.
"""
