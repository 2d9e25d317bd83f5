"""Measures: what the business counts, as data. One definition gives the figure, its records and its words."""
