"""A Business Central-compatible OData v4 service over SQLite: for development, tests and demonstrations.

    from batuta.sandbox.records import SandboxStore

Everything schema-like is generated from `data/entities.json`; only behaviour is written by hand.
"""
