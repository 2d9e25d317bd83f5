"""A scored benchmark of business tasks (A-9): questions, and the figure or state that must result."""
