"""Finding sessions and messages again."""
