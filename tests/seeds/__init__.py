"""What the documents that the project was created from show, row by row (S01 to S31): code, and what it prints.

Each test names its row. Where the documents print something, the comparison is exact.
"""
