"""Datasets: pipelines of elements that are made one by one, eagerly and in graphs."""
