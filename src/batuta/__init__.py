"""Batuta: code conducts, models play."""
