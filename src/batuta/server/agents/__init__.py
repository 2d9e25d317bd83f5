"""The team, as the screen shows it."""
