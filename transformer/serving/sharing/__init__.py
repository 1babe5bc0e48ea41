"""One machine for many clients: whose turn it is, what is batched, what is kept and freed."""
