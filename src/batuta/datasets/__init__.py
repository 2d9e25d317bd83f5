"""Datasets: tables that agents hand on by name, so that no figure passes through a model's memory."""
