"""Ready tools. Each module makes its own with a function; `batuta-ai[tools]` brings what they need beyond the core."""
