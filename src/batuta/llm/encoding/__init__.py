"""From a `ModelRequest` to each provider's own request: pure functions, one module per wire format."""
