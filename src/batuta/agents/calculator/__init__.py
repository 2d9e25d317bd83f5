"""Exact arithmetic, the time, and time zones."""

from batuta.agents.calculator.agent import specialist

__all__ = ["specialist"]
