"""Written by `python -m tests.stubs`."""

from .runtime.ops.signal.spectra import dct as dct
from .runtime.ops.signal.transforms import fft as fft
from .runtime.ops.signal.transforms import fft2d as fft2d
from .runtime.ops.signal.transforms import fft3d as fft3d
from .runtime.ops.signal.transforms import fftshift as fftshift
from .runtime.ops.signal.frames import frame as frame
from .runtime.ops.signal.frames import hamming_window as hamming_window
from .runtime.ops.signal.frames import hann_window as hann_window
from .runtime.ops.signal.spectra import idct as idct
from .runtime.ops.signal.transforms import ifft as ifft
from .runtime.ops.signal.transforms import ifft2d as ifft2d
from .runtime.ops.signal.transforms import ifft3d as ifft3d
from .runtime.ops.signal.transforms import ifftshift as ifftshift
from .runtime.ops.signal.spectra import inverse_stft as inverse_stft
from .runtime.ops.signal.spectra import inverse_stft_window_fn as inverse_stft_window_fn
from .runtime.ops.signal.transforms import irfft as irfft
from .runtime.ops.signal.transforms import irfft2d as irfft2d
from .runtime.ops.signal.transforms import irfft3d as irfft3d
from .runtime.ops.signal.spectra import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from .runtime.ops.signal.spectra import mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms
from .runtime.ops.signal.frames import overlap_and_add as overlap_and_add
from .runtime.ops.signal.transforms import rfft as rfft
from .runtime.ops.signal.transforms import rfft2d as rfft2d
from .runtime.ops.signal.transforms import rfft3d as rfft3d
from .runtime.ops.signal.spectra import stft as stft
from .runtime.ops.signal.frames import vorbis_window as vorbis_window
