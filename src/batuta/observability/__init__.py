"""Every run as trace, metric, log and timeline, made from its events alone. Chosen at the edge, never by the core."""
