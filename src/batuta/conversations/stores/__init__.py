"""Where conversations are kept when the library is used alone: in memory, SQLite or PostgreSQL."""
