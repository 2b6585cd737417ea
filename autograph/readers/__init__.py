"""SavedModels that TensorFlow 2 has written, read without TensorFlow, by `tf.saved_model.load`.

==============  =====================================================================================================
messages.py     the messages of protocol buffers in its files, as far as they are needed
bundle.py       the checkpoint beside them: a table of keys, and arrays
functions.py    its functions, run node by node while a `tf.function` traces them
calls.py        how a function is called: structures of arguments, traces, signatures
model.py        the objects
ops/            its ops, by what they are here
==============  =====================================================================================================

A model that is read is like one that `save` has written: its functions are optimised, compiled, differentiated and
exported as any. Ops that have no form here are refused, all of a function in one error.
"""
