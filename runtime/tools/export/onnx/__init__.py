"""Models in ONNX's format: `exporting` has the public function.

=============  ======================================================================================================
exporting.py   `tf.export.onnx`: what to export, and under which names
program.py     a traced function as a model; one error for all that can't be exported
elements.py    the types of what lists hold
lowering.py    a graph as operators, node by node; ``ops/`` has how each op is lowered
values.py      what stands for a tensor; kernels.py: the element types that runtimes know
model.py       the file
=============  ======================================================================================================
"""
