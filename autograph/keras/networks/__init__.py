"""Models: of layers in a row, of symbolic calls, by subclassing; their files and summaries."""
