"""Variables, modules, random generators, tensor arrays, debugging, devices."""
