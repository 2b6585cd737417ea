"""Images: `[height, width, channels]`, or batches of them (`tf.image`). Made of other ops."""
