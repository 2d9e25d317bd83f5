"""Datasets over HTTP: rows by page, files, charts."""
