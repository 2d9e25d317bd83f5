"""Google: clients and encoder of the Gemini API. Its answers are read by `batuta.events.adapters`."""
