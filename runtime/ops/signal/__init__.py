"""Signals (`tf.signal`): Fourier transforms, frames, windows, spectra."""
