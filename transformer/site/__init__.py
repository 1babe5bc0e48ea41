"""The viewer and chosen models as static files: a page that answers without a server.

What is asked most is answered here, in advance, by the server's own code; all else by the same
Transformer in JavaScript, `assets/engine/`. Nothing here computes what neither of them does.
"""
