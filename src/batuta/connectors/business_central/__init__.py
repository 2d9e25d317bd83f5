"""Business Central over its API v2.0: sign-in, connector, and the catalogue of what the API offers."""
