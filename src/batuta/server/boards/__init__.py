"""Boards: charts, tables and figures pinned from conversations, computed again from their sources on demand."""
