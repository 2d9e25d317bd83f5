"""API keys: how programs are let in."""
