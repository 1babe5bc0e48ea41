"""Training: from text files to a checkpoint that the page can open."""
