"""Why a file could not be read, in plain words with what to do: one table, both languages."""

from typing import Literal

from batuta.kernel.errors import LogicalError

FailureCode = Literal[
    "empty", "no_text", "encrypted", "broken", "too_large", "over_limit", "too_slow", "too_deep", "bomb", "image",
    "legacy", "unknown", "interrupted", "stopped", "missing",
]  # fmt: skip

REASONS: dict[FailureCode, dict[Literal["en", "es"], str]] = {
    "empty": {
        "en": "The file is empty. Upload it again.",
        "es": "El archivo está vacío. Vuelve a subirlo.",
    },
    "no_text": {
        "en": "No text was found: it may be a scan. Upload a version with text, or have text recognition installed.",
        "es": "No se ha encontrado texto: puede ser un escaneo. Sube una versión con texto o pide que se instale el "
        "reconocimiento de texto.",
    },
    "encrypted": {
        "en": "The file is protected by a password. Save a copy without it and upload that.",
        "es": "El archivo está protegido con contraseña. Guarda una copia sin ella y súbela.",
    },
    "broken": {
        "en": "The file is damaged. Open it in the program that made it, save it anew and upload that.",
        "es": "El archivo está dañado. Ábrelo con el programa que lo creó, guárdalo de nuevo y súbelo.",
    },
    "too_large": {
        "en": "Reading the file takes too much memory. Split it into smaller files.",
        "es": "Leer el archivo requiere demasiada memoria. Divídelo en archivos más pequeños.",
    },
    "over_limit": {
        "en": "The file is kept and can be downloaded, but files of more than 100 MiB are not read. Split it into "
        "smaller files to ask about it.",
        "es": "El archivo se guarda y se puede descargar, pero los archivos de más de 100 MiB no se leen. Divídelo en "
        "archivos más pequeños para preguntar por él.",
    },
    "too_slow": {
        "en": "Reading the file takes too long. Split it into smaller files.",
        "es": "Leer el archivo lleva demasiado tiempo. Divídelo en archivos más pequeños.",
    },
    "too_deep": {
        "en": "The file nests its parts too deeply to be read. Save it in another format and upload that.",
        "es": "El archivo anida sus partes demasiado. Guárdalo en otro formato y súbelo.",
    },
    "bomb": {
        "en": "The file unpacks to far more than its size and is not opened. Save it anew without embedded media.",
        "es": "El archivo se descomprime a mucho más de su tamaño y no se abre. Guárdalo de nuevo sin contenido "
        "incrustado.",
    },
    "image": {
        "en": "Pictures are read only where text recognition is installed. Upload a document with text.",
        "es": "Las imágenes solo se leen donde está instalado el reconocimiento de texto. Sube un documento con texto.",
    },
    "legacy": {
        "en": "This older format is not read. Save the file as PDF, DOCX, XLSX or PPTX and upload that.",
        "es": "Este formato antiguo no se lee. Guarda el archivo como PDF, DOCX, XLSX o PPTX y súbelo.",
    },
    "unknown": {
        "en": "This kind of file is not read. Upload PDF, DOCX, XLSX, PPTX, CSV, HTML, Markdown, text or e-mail.",
        "es": "Este tipo de archivo no se lee. Sube PDF, DOCX, XLSX, PPTX, CSV, HTML, Markdown, texto o correo.",
    },
    "interrupted": {
        "en": "Reading the file was interrupted several times, through no fault of the file. Try again.",
        "es": "La lectura del archivo se interrumpió varias veces sin que sea culpa del archivo. Inténtalo de nuevo.",
    },
    "stopped": {
        "en": "You stopped the reading of this file. Try again to be able to ask about it.",
        "es": "Detuviste la lectura de este archivo. Inténtalo de nuevo para poder preguntar por él.",
    },
    "missing": {
        "en": "The content of the file is not there any more. Delete it and upload it again.",
        "es": "El contenido del archivo ya no está. Elimínalo y vuelve a subirlo.",
    },
}


class ExtractionFailedError(LogicalError):
    """A file could not be read; another attempt at the same bytes would fail again."""

    def __init__(self, reason: FailureCode, detail: str = "") -> None:
        super().__init__(REASONS[reason]["en"])
        self.reason: FailureCode = reason
        self.detail = detail
        """For the log of the operator; may quote the file."""
