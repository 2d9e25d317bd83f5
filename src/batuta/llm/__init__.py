"""The seam to language models: one small protocol, one thin client per provider."""
