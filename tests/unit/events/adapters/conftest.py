"""Google's SDK and LangChain's packages warn when they are first compiled or imported; here warnings are errors."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import google.genai.types
    import langchain_anthropic
    import langchain_google_genai
    import langchain_openai  # noqa: F401
