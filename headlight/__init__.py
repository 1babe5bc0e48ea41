"""The page and the command that opens it: the only place that knows Gradio.

What is computed belongs in `transformer/`, what is drawn in `assets/`.
"""
