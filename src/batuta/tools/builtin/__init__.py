"""Ready tools. Each module makes its own with a function; what it needs beyond the core comes with `batuta[tools]`."""
