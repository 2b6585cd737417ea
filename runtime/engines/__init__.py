"""What runs graphs.

=================  ==================================================================================================
executable.py      a graph and what runs it: optimised, profiled, or checked for NaNs
engine.py          what an engine is, and how to add one
planning.py        which engines run what of a graph
partition.py       the parts of a graph that an engine takes
region.py          such a part: code for each combination of shapes, when its plan has worked long enough for compiling
                   to pay (costs.py), and the plan for everything else
transaction.py     what variables hold, taken before code runs and put back after it, by any number of threads; held.py,
                   awaited.py: which variables these are, and which of them loops may wait for
placed.py          such a part on a device, which keeps values there
numpy/             graphs as straight Python over NumPy's kernels: the plan, which runs everything
native/            machine code; interpreter.py: the meaning of a graph; plain.py: plan and interpreter as engines
recorder.py        what a profile records; failure.py: errors of runs, at the user's lines
=================  ==================================================================================================
"""
