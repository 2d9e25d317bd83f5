"""Google's SDK and LangChain's packages warn when they are first compiled or imported; here warnings are errors."""

import warnings
from importlib import import_module

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for package in ("google.genai.types", "langchain_anthropic", "langchain_google_genai", "langchain_openai"):
        import_module(package)
