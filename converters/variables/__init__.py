"""Passes over what functions do with their variables: loads, stores, writes to those of functions around them."""
