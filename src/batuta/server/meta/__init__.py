"""Public facts about this platform, and its health."""
