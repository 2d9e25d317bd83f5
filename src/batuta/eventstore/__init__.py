"""Where events are kept: logs in memory, SQLite, PostgreSQL and Redis, and what is made of them."""
