"""Python functions in, graphs out. Use it as ``import autograph as tf``.

Every public name is listed here, by the module that defines it, but for those of functions that are made of an op:
these stand in its record (``public``). Modules load when a name is first used. ``name=attribute`` gives an object a
public name of its own. ``autograph`` itself is ``tf.autograph``.
"""

import os as _os
from typing import Any as _Any

from . import lazy as _lazy

__version__ = "0.1.0"

_NAMES = {
    "api": "convert do_not_convert set_verbosity to_code to_graph trace",
    "connect": "function",
    "runtime.functions.concrete": "ConcreteFunction",
    "runtime.tensors.spec": "TensorSpec",
    "runtime.base.shapes": "TensorShape",
    "runtime.tensors.tensor": "Tensor",
    "runtime.ir.graph": "Graph",
    "runtime.tensors.trace": """
        executing_eagerly get_current_name_scope get_static_value=static_value inside_function is_symbolic_tensor
        name_scope
        """,
    "runtime.tensors.convert": "constant convert_to_tensor=as_tensor",
    "runtime.base.dtypes": """
        DType as_dtype bool=bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 half=float16 float32
        float64 double=float64 complex64 complex128 string variant
        """,
    "operators.staging.folds": "foldl foldr map_fn scan vectorized_map",
    "operators.staging.functional": "case cond switch_case while_loop",
    "runtime.state.dependencies": "control_dependencies group init_scope no_op tuple=tuple_",
    "runtime.state.placement": "device",
    "runtime.state.debugging": "Assert assert_equal assert_greater assert_less assert_rank",
    "runtime.gradient": "GradientTape UnconnectedGradients custom_gradient grad_pass_through gradients hessians",
    "runtime.ops.host.host": "numpy_function print py_function timestamp",
    "runtime.ops.combined": """
        broadcast_dynamic_shape broadcast_static_shape clip_by_global_norm clip_by_norm dynamic_partition identity_n
        scalar_mul unravel_index
        """,
    "runtime.ops.shape.blocks": "dynamic_stitch reverse_sequence",
    "runtime.ops.control": "identity",
    "runtime.ops.shape.create": "eye fill linspace meshgrid one_hot ones ones_like range zeros zeros_like",
    "runtime.ops.reduce.cumulative": "cumsum norm",
    "runtime.ops.elementwise.elementwise": "add_n bitcast cast clip_by_value complex round saturate_cast where",
    "runtime.ops.shape.gather": "boolean_mask gather gather_nd slice",
    "runtime.ops.shape.joining": "concat pad repeat split stack tile unstack",
    "runtime.ops.linalg.linalg": "einsum matmul tensordot",
    "runtime.ops.linalg.matrix_functions": "eig eigvals",
    "runtime.ops.reduce.reduce": "argmax argmin reduce_mean reduce_prod reduce_sum",
    "runtime.ops.shape.scatter": "scatter_nd",
    "runtime.ops.shape.shape": """
        broadcast_to ensure_shape expand_dims rank reshape reverse roll shape shape_n size squeeze transpose
        """,
    "runtime.ops.shape.sort": "argsort searchsorted sequence_mask sort unique unique_with_counts",
    "runtime.ops.reduce.statistics": "histogram_fixed_width histogram_fixed_width_bins",
    "runtime.ops.text.strings": "as_string",
    "runtime.tensors.indexed_slices": "IndexedSlices",
    "keras.initializers": """
        constant_initializer=Constant ones_initializer=Ones random_normal_initializer=RandomNormal
        random_uniform_initializer=RandomUniform zeros_initializer=Zeros
        """,
    "runtime.state.module": "Module",
    "runtime.state.tensor_array": "TensorArray TensorArraySpec",
    "runtime.state.aggregation": "VariableAggregation VariableSynchronization",
    "runtime.state.variable": "Variable is_tensor",
}

_NAMESPACES = {
    "math": {
        "runtime.ops.reduce.counts": "bincount confusion_matrix",
        "runtime.ops.combined": """
            is_non_decreasing is_strictly_increasing lbeta polyval reciprocal_no_nan scalar_mul
            unsorted_segment_sqrt_n
            """,
        "runtime.ops.reduce.cumulative": "cumprod cumsum cumulative_logsumexp",
        "runtime.ops.elementwise.elementwise": "accumulate_n=add_n add_n round",
        "runtime.ops.elementwise.math": "polygamma",
        "runtime.ops.elementwise.nn": "l2_normalize log_sigmoid log_softmax softmax softsign",
        "runtime.ops.reduce.reduce": """
            argmax argmin count_nonzero reduce_euclidean_norm reduce_mean reduce_prod reduce_sum zero_fraction
            """,
        "runtime.ops.shape.sort": "in_top_k invert_permutation top_k",
        "runtime.ops.elementwise.special_functions": "betainc",
    },
    "linalg": {
        "runtime.ops.combined": "cholesky_solve global_norm logdet matrix_rank normalize tensor_diag tensor_diag_part",
        "runtime.ops.shape.create": "eye trace",
        "runtime.ops.reduce.cumulative": "norm",
        "runtime.ops.linalg.diagonals": "diag diag_part set_diag",
        "runtime.ops.linalg.linalg": """
            adjoint band_part cholesky cross det eigh eigvalsh einsum inv lstsq matmul matvec pinv qr slogdet solve
            svd tensordot triangular_solve
            """,
        "runtime.ops.linalg.matrix_functions": """
            eig eigvals expm logm lu lu_matrix_inverse lu_reconstruct lu_solve sqrtm
            """,
        "runtime.ops.elementwise.nn": "l2_normalize",
        "runtime.ops.shape.shape": "matrix_transpose",
    },
    "nn": {
        "runtime.ops.shape.blocks": "depth_to_space space_to_depth",
        "runtime.ops.reduce.statistics": """
            compute_average_loss log_poisson_loss normalize_moments scale_regularization_loss sufficient_statistics
            weighted_moments
            """,
        "runtime.ops.combined": "crelu embedding_lookup weighted_cross_entropy_with_logits",
        "runtime.ops.linalg.convolution": """
            atrous_conv2d conv1d conv1d_transpose conv2d conv2d_transpose conv3d conv3d_transpose conv_transpose
            convolution depthwise_conv2d separable_conv2d
            """,
        "runtime.ops.elementwise.dropout": "dropout stateless_dropout",
        "runtime.ops.elementwise.nn": """
            batch_normalization bias_add elu gelu l2_loss l2_normalize leaky_relu local_response_normalization
            log_softmax lrn moments relu6 selu sigmoid_cross_entropy_with_logits silu softmax
            softmax_cross_entropy_with_logits softsign sparse_softmax_cross_entropy_with_logits swish
            """,
        "runtime.ops.reduce.ctc": "ctc_loss",
        "runtime.ops.reduce.pooling": """
            avg_pool avg_pool1d avg_pool2d avg_pool3d max_pool max_pool1d max_pool2d max_pool3d pool
            """,
        "runtime.ops.reduce.reduce": "zero_fraction",
        "runtime.ops.shape.sort": "in_top_k top_k",
    },
    "random": {
        "runtime.ops.random.random": """
            bernoulli categorical normal set_seed shuffle stateless_bernoulli stateless_categorical stateless_normal
            stateless_shuffle stateless_truncated_normal stateless_uniform truncated_normal uniform
            """,
        "runtime.ops.random.random_seeds": "experimental fold_in split",
        "runtime.ops.random.random_counts": "gamma poisson stateless_gamma stateless_poisson",
        "runtime.state.random_generator": "Generator create_rng_state get_global_generator set_global_generator",
    },
    "strings": {
        "runtime.ops.text.strings": """
            as_string format join length lower reduce_join regex_full_match regex_replace split strip substr to_number
            upper
            """,
        "runtime.ops.text.hashing": "to_hash_bucket_fast to_hash_bucket_strong",
    },
    "image": {
        "runtime.ops.image.adjustments": """
            adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_saturation per_image_standardization
            """,
        "runtime.ops.image.boxes": "crop_and_resize non_max_suppression",
        "runtime.ops.image.colors": """
            grayscale_to_rgb hsv_to_rgb rgb_to_grayscale rgb_to_hsv rgb_to_yiq rgb_to_yuv yiq_to_rgb yuv_to_rgb
            """,
        "runtime.ops.image.dtypes": "convert_image_dtype",
        "runtime.ops.image.layout": """
            central_crop crop_to_bounding_box flip_left_right flip_up_down pad_to_bounding_box resize_with_crop_or_pad
            rot90 transpose
            """,
        "runtime.ops.image.quality": "image_gradients psnr sobel_edges ssim total_variation",
        "runtime.ops.image.random_images": """
            random_brightness random_contrast random_crop random_flip_left_right random_flip_up_down random_hue
            random_saturation stateless_random_brightness stateless_random_contrast stateless_random_crop
            stateless_random_flip_left_right stateless_random_flip_up_down stateless_random_hue
            stateless_random_saturation
            """,
        "runtime.ops.image.patches": "extract_patches",
        "runtime.ops.image.resizing": "ResizeMethod resize resize_with_pad",
        "runtime.ops.pictures.decoding": """
            decode_and_crop_jpeg decode_bmp decode_gif decode_image decode_jpeg decode_png decode_webp
            extract_jpeg_shape is_jpeg
            """,
        "runtime.ops.pictures.encoding": "encode_jpeg encode_png",
    },
    "signal": {
        "runtime.ops.signal.frames": "frame hamming_window hann_window overlap_and_add vorbis_window",
        "runtime.ops.signal.spectra": """
            dct idct inverse_stft inverse_stft_window_fn linear_to_mel_weight_matrix mfccs_from_log_mel_spectrograms
            stft
            """,
        "runtime.ops.signal.transforms": """
            fft fft2d fft3d fftshift ifft ifft2d ifft3d ifftshift irfft irfft2d irfft3d rfft rfft2d rfft3d
            """,
    },
    "io": {
        "runtime.ops.files.bytes": "decode_base64 decode_raw encode_base64",
        "runtime.ops.files.csv": "decode_csv",
        "runtime.ops.files.examples": """
            FixedLenFeature FixedLenSequenceFeature VarLenFeature parse_example parse_single_example
            """,
        "runtime.ops.files.sequence_examples": "parse_sequence_example parse_single_sequence_example",
        "runtime.ops.files.files": "matching_files read_file write_file",
        "runtime.ops.files.serialized": "parse_tensor serialize_tensor",
        "runtime.ops.pictures.decoding": """
            decode_and_crop_jpeg decode_bmp decode_gif decode_image decode_jpeg decode_png decode_webp
            extract_jpeg_shape is_jpeg
            """,
        "runtime.ops.pictures.encoding": "encode_jpeg encode_png",
        "runtime.tools.files": "gfile",
        "runtime.tools.files.records": "TFRecordOptions TFRecordWriter",
    },
    "autodiff": {"runtime.gradient.forward": "ForwardAccumulator", "runtime.gradient": "GradientTape"},
    "train": {
        "distribute.cluster": "ClusterSpec",
        "runtime.tools.export.checkpoint": "Checkpoint CheckpointManager latest_checkpoint",
        "runtime.tools.files.messages": """
            BytesList Example Feature FeatureList FeatureLists Features FloatList Int64List SequenceExample
            """,
    },
    "export": {
        "runtime.tools.export.onnx.exporting": "onnx",
        "runtime.tools.export.stablehlo.exporting": "stablehlo",
    },
    "saved_model": {"saved_models": "DEFAULT_SERVING_SIGNATURE_DEF_KEY contains_saved_model load save"},
    "dtypes": {
        "runtime.base.dtypes": """
            DType as_dtype bool=bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 half=float16 float32
            float64 double=float64 complex64 complex128 string variant
            """,
        "runtime.ops.elementwise.elementwise": "cast complex saturate_cast",
    },
    "bitwise": {},
}

# Modules that are public as they are.
_MODULES = {
    "compat": "runtime.tools.compat", "config": "config", "data": "data", "debugging": "runtime.state.debugging",
    "distribute": "distribute",
    "errors": "errors", "experimental": "experimental", "initializers": "keras.initializers", "keras": "keras",
    "losses": "keras.losses", "metrics": "keras.metrics", "nest": "runtime.base.nest",
    "optimizers": "keras.optimizers", "profiler": "runtime.tools.profiler", "summary": "runtime.tools.summary",
    "test": "runtime.tools.testing",
    "version": "version",
}  # fmt: skip

_names = _lazy.parse(_NAMES)
newaxis = None


def __getattr__(name: str) -> _Any:
    if name == "__all__":
        value: _Any = [each for each in __dir__() if not each.startswith("_")]
    elif name == "autograph":
        value = _lazy.importlib.import_module(__name__)
    elif name in _NAMESPACES:
        plugged = "runtime.tools.export.plugged" if name == "export" else None
        value = _lazy.Namespace(name, _NAMESPACES[name], plugged)
    elif name in _MODULES:
        value = _lazy.module(f"{__name__}.{_MODULES[name]}")
    else:
        try:
            value = _lazy.load(_names, name, __name__, "")
        except AttributeError as error:
            _lazy.trimmed(error)
            raise
    globals()[name] = value
    return value


def __dir__() -> _Any:
    return [*_names, *_lazy.places_of_ops(""), *_NAMESPACES, *_MODULES, "autograph", "newaxis", "__version__"]


_lazy.sys.meta_path.append(_lazy.Finder(__name__, {*_NAMESPACES, *_MODULES}))
if any(name.startswith("AUTOGRAPH_") for name in _os.environ):
    from . import config as config  # a switch with a wrong value is an error now, not at the first use of a name
