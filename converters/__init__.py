"""The passes, one class in one file each; `autograph.pipeline` puts them in order."""

if __name__ == "converters":
    raise ImportError("import autograph.converters instead: the package must not be loaded twice")
