"""Connectors: typed access to the systems a company works with, each behind a protocol with a conformance suite."""
