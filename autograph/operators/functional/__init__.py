"""Staging for libraries that trace functions by themselves, and whose operators take functions: what they share.

* `library`: what is asked of a library
* `branches`, `loops`, `iterators`: the statements
* `bodies`: one body of a statement, run once, and what it may not change
* `merging`: the value that stands for those of two branches, or of all turns of a loop
* `structure`: which parts of a value are arrays
* `tracing`: when converted code is being traced, and what must not change any more until that ends
* `ranges`: ranges of which only the run knows the bounds
"""
