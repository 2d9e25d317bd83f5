"""Answers from documents, with citations that code has checked."""

from batuta.agents.documents.agent import SAMPLES, folder_library, specialist
from batuta.agents.documents.library import SHARED, DocumentLibrary

__all__ = ["SAMPLES", "SHARED", "DocumentLibrary", "folder_library", "specialist"]
