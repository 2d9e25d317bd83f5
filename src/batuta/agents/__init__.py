"""Ready members of a team. Each folder is independent of the others and offers `specialist(…)`."""
