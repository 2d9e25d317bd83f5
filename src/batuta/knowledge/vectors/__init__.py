"""Vectors of passages: how they are made, kept and compared (A-12)."""
