"""Scripts of the repository: what is generated from the catalogue, and the recorded sessions."""
