"""Typed, forward-only pipelines and the runner that wraps every step."""
