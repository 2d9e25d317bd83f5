"""OpenAI and compatible endpoints: clients and encoders of both APIs. Answers are read by `batuta.events.adapters`."""
