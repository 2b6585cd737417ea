"""Files read and written in graphs, and what their bytes mean: numbers, rows of text, tensors, examples."""
