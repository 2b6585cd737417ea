"""Files as programs use them: `tf.io.gfile`, files of records, the messages of `tf.train.Example`."""

from . import gfile as gfile
