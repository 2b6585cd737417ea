"""Graphs and weights as files."""
