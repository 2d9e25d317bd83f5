"""A person's sessions: listed, named, kept, read, exported."""
