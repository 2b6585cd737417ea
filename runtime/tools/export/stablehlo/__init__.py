"""Programs of XLA's in StableHLO, which `jax.export` reads: `exporting` has the public function.

=============  ======================================================================================================
exporting.py   `tf.export.stablehlo`: what to export, and how it tells of errors
program.py     a traced function as a function of JAX, and that as a file
lowering.py    the engine's own lowering, for dimensions that vary, and without Python beside it
dims.py        what ops make of dimensions that vary; bounds.py: indices that are known to lie inside
=============  ======================================================================================================
"""
