"""The models of Headlight, and the text of its own that they were trained on: files, no code."""
