"""A trace as a file or in another library. Nothing here computes what the trace does not hold."""
