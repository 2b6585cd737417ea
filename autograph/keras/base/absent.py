"""Names of Keras that are not here, with a sentence that says what serves in their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from autograph.tracebacks.leaving import public

__all__ = ["refusing"]

_OWN_LAYER = "write a layer of your own, a subclass of tf.keras.layers.Layer"
_NOT_HERE: dict[str, dict[str, str]] = {
    "": {
        "applications": "build the network of tf.keras.layers; there are no pretrained ones",
        "ops": "use the functions of tf, tf.math, tf.nn and tf.linalg, which take tensors in graphs",
        "random": "use tf.random",
        "tree": "use tf.nest",
        "quantizers": "use tf.cast and tf.round",
        "visualization": "use Matplotlib on arrays, x.numpy()",
        "export": "use export of a model, or tf.saved_model.save",
        "dtype_policies": "use tf.keras.DTypePolicy",
        "distillation": "write the loss of teacher and student in compute_loss of a model",
        "Function": "use tf.function, or a model of symbolic tensors",
        "Operation": _OWN_LAYER,
        "StatelessScope SymbolicScope RematScope remat": "use tf.function, which keeps variables out of its graph",
        "Quantizer": "use tf.cast and tf.round",
    },
    "layers": {
        "TFSMLayer": "use tf.saved_model.load, and call what it gives in a layer of your own",
        "JaxLayer FlaxLayer TorchModuleWrapper": "write the layer with tf.keras.layers",
        "HashedCrossing": "use tf.keras.layers.Hashing on joined strings, tf.strings.join",
        "MelSpectrogram STFTSpectrogram": "use tf.signal.stft and tf.signal.linear_to_mel_weight_matrix",
        "RandomHeight RandomWidth": "use tf.keras.layers.RandomZoom",
        "AugMix AutoContrast ContrastLimitedAdaptiveHistogramEqualization CutMix Equalization MixUp RandAugment "
        "RandomColorDegeneration RandomColorJitter RandomElasticTransform RandomErasing RandomGaussianBlur "
        "RandomGrayscale RandomHue RandomInvert RandomPerspective RandomPosterization RandomSaturation RandomSharpness "
        "RandomShear Solarization MaxNumBoundingBoxes": "use the functions of tf.image in map of a dataset",
        "Pipeline": "use tf.keras.Sequential",
        "deserialize": "use tf.keras.utils.deserialize_keras_object",
        "serialize": "use tf.keras.utils.serialize_keras_object",
    },
    "utils": {
        "FeatureSpace": "use tf.keras.layers.Normalization, StringLookup and their likes",
        "audio_dataset_from_directory": "use tf.data.Dataset.list_files and tf.io.decode_raw in map",
        "split_dataset": "use take and skip of a dataset",
        "bounding_boxes": "write them as functions of tensors",
        "Config": "use a dataclass or a dict",
        "get_source_inputs": "use inputs of a model",
        "legacy": "use deserialize_keras_object and serialize_keras_object of tf.keras.utils",
        "model_to_dot plot_model": "use summary of a model, or graph.show() of a concrete function",
    },
    "callbacks": {
        "OrbaxCheckpoint": "use tf.keras.callbacks.ModelCheckpoint or BackupAndRestore",
        "RemoteMonitor": "post the logs in on_epoch_end of a subclass of tf.keras.callbacks.Callback",
    },
    "preprocessing": {"text": "use tf.keras.layers.TextVectorization"},
    "preprocessing.image": {
        "ImageDataGenerator DirectoryIterator NumpyArrayIterator Iterator": "use "
        "tf.keras.utils.image_dataset_from_directory, and layers such as tf.keras.layers.Rescaling and RandomFlip",
        "apply_affine_transform apply_brightness_shift apply_channel_shift random_brightness random_channel_shift "
        "random_rotation random_shear random_shift random_zoom": "use layers such as tf.keras.layers.RandomRotation, "
        "or tf.image",
    },
    "preprocessing.sequence": {
        "make_sampling_table skipgrams": "draw pairs of words with NumPy, or in map of a dataset",
    },
    "backend": {
        "rnn": "use tf.keras.layers.RNN, or a loop in a tf.function",
        "ctc_decode ctc_label_dense_to_sparse": "take the classes by tf.argmax, without repetitions and blanks",
        "conv1d conv2d conv2d_transpose conv3d depthwise_conv2d separable_conv2d pool2d pool3d": "use tf.nn",
        "batch_normalization": "use tf.nn.batch_normalization",
        "is_sparse to_dense": "leave it out: tensors are dense",
        "result_type": "use NumPy's result_type",
        "random_normal_variable random_uniform_variable": "use tf.Variable(tf.random.normal(shape))",
        "binary_focal_crossentropy categorical_focal_crossentropy sparse_categorical_crossentropy": "use the function "
        "of that name in tf.keras.losses",
        "resize_volumes spatial_3d_padding": "use tf.repeat and tf.pad",
    },
    "config": {
        "enable_flash_attention disable_flash_attention is_flash_attention_enabled": "leave it out: attention is made "
        "of products",
        "is_nnx_enabled": "leave it out: Keras's JAX backend is not here",
        "enable_unsafe_deserialization": "pass safe_mode=False to tf.keras.models.load_model",
        "max_epochs set_max_epochs": "pass epochs to fit",
        "max_steps_per_epoch set_max_steps_per_epoch": "pass steps_per_epoch to fit",
    },
    "activations": {"sparse_plus sparse_sigmoid sparsemax": "write the function; layers take any"},
    "initializers": {
        "STFT STFTInitializer stft": "use a subclass of tf.keras.initializers.Initializer",
        "IdentityInitializer": "use tf.keras.initializers.Identity",
        "OrthogonalInitializer": "use tf.keras.initializers.Orthogonal",
    },
    "losses": {"Reduction": "pass the reduction as a word, such as 'sum'"},
    "constraints": {"MinMaxNorm min_max_norm": "use a subclass of tf.keras.constraints.Constraint"},
    "regularizers": {
        "OrthogonalRegularizer orthogonal_regularizer": "use a subclass of tf.keras.regularizers.Regularizer",
    },
}  # fmt: skip
"""By the module: names, and what to use."""


def refusing(module: str) -> Callable[[str], NoReturn]:
    """``__getattr__`` of a module of Keras: `AttributeError`, which says what to use where Keras has the name.

    That has None as name and object, of which Python would else guess what was meant.
    """
    space = module.partition("autograph.keras")[2].lstrip(".")
    instead = {name: words for names, words in _NOT_HERE.get(space, {}).items() for name in names.split()}

    @public
    def missing(name: str) -> NoReturn:
        words = instead.get(name)
        if words is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
        full = ".".join(filter(None, ["tf.keras", space, name]))
        raise AttributeError(f"`{full}` is not here: {words}", name=None, obj=None)

    return missing
