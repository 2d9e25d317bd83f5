"""The schema of the platform's own tables, version by version; `batuta migrate` runs it."""
