"""Which languages text can be recognised in here: asked by processes that read no file themselves, and load no reader.

The library comes with the extra `ocr`, the data of languages from the system: Debian's `tesseract-ocr-eng` and
`tesseract-ocr-spa`, or a folder named by `TESSDATA_PREFIX`.
"""

import importlib.util
import os
from pathlib import Path

LANGUAGES = ("eng", "spa")
FOLDERS = ("/usr/share/tesseract-ocr/5/tessdata", "/usr/share/tesseract-ocr/4.00/tessdata", "/usr/share/tessdata")
LANGUAGE_DATA = "TESSDATA_PREFIX"
"""The variable that names a folder of one's own with the data of languages."""


def installed_languages() -> tuple[str, ...]:
    """The languages that can be recognised here; none if the extra or their data are missing."""
    folder = data_folder()
    if folder is None or importlib.util.find_spec("tesserocr") is None:
        return ()
    return tuple(language for language in LANGUAGES if (folder / f"{language}.traineddata").is_file())


def data_folder() -> Path | None:
    """Where the data of languages lie."""
    named = os.environ.get(LANGUAGE_DATA)
    return next((Path(folder) for folder in (named, *FOLDERS) if folder and Path(folder).is_dir()), None)
