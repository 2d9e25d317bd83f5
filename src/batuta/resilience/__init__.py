"""Staying upright when the outside does not: deadlines, retries, breakers, limiters."""
