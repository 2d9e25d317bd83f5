import warnings

with warnings.catch_warnings():
    # Its first import compiles string literals that Python warns about.
    warnings.simplefilter("ignore")
    import google.genai  # noqa: F401
