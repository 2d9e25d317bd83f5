"""The same turns for AG-UI clients."""
