"""Pictures in files' formats (PNG, JPEG, GIF, BMP, WebP): strings of bytes to arrays, and back."""
