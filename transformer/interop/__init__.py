"""Models and formats of other libraries."""
