"""Matrices and convolutions."""
