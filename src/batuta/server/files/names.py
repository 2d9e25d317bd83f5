"""Names of files and folders that can be shown and stored."""

import re

from batuta.server.problems import BadRequestProblem

MAX_NAME_CHARS = 200
MAX_FOLDER_CHARS = 400

_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f/\\]")


def checked_name(name: str) -> str:
    """A name that can be shown and stored. Raises `BadRequestProblem`."""
    plain = " ".join(name.split())
    if not plain or len(plain) > MAX_NAME_CHARS or _FORBIDDEN.search(name) or plain in (".", ".."):
        raise BadRequestProblem(f"A file needs a name of 1 to {MAX_NAME_CHARS} characters without slashes.")
    return plain


def checked_folder(folder: str) -> str:
    """A folder such as `contracts/2026`. Raises `BadRequestProblem`."""
    parts = [part for part in folder.strip("/").split("/") if part]
    if len(folder) > MAX_FOLDER_CHARS:
        raise BadRequestProblem(f"The name of a folder may have {MAX_FOLDER_CHARS} characters.")
    return "/".join(checked_name(part) for part in parts)
