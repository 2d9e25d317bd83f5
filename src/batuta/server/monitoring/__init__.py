"""The observers of a process, and the gauges that no event reports."""
