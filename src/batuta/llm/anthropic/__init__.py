"""Anthropic: the client and the encoder of the Messages API. Its answers are read by `batuta.events.adapters`."""
