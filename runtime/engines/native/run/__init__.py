"""From text to a function that Python can call, and code kept on disk."""
