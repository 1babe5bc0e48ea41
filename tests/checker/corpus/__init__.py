"""Correct Transformers in many conventions, and their mutations.

A line `# BUG code: statement` stands below the line of the correct model that it replaces, at its
indentation; `[option]` after the code limits it to one of the file's OPTIONS. A file has `KIND`,
`OPTIONS` (name → arguments of `build`), `build`, and where they are needed `call` and `loss`.
"""
