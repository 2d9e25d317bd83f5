"""Live delivery: what a session's log gains reaches everyone who follows the session."""
