"""Answers from a folder of documents, with citations that code has checked."""

from batuta.agents.documents.agent import SAMPLES, reader, specialist

__all__ = ["SAMPLES", "reader", "specialist"]
