"""Files in the formats of Keras: weights and models in HDF5."""
