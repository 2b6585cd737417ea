"""`tf.function`: arguments, traces, concrete functions, retracing, recursion, state that calls read and write."""
