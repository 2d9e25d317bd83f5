"""Why an uploaded file is no table, in both languages: a file is read before it is known who reads the answer."""

from typing import Final

from batuta.datasets.dataset import DatasetError

TEXTS: Final[dict[str, dict[str, str]]] = {
    "no_rows": {"en": "{name} has no rows under its head", "es": "{name} no tiene filas bajo su cabecera"},
    "no_text": {"en": "{name} is no text; save it as UTF-8", "es": "{name} no es texto; guárdelo como UTF-8"},
    "no_table": {"en": "{name} holds no table", "es": "{name} no contiene ninguna tabla"},
    "not_csv": {"en": "{name} cannot be read as CSV: {why}", "es": "{name} no se puede leer como CSV: {why}"},
    "not_workbook": {
        "en": "{name} cannot be read as a workbook: {why}",
        "es": "{name} no se puede leer como libro de cálculo: {why}",
    },
    "not_word": {
        "en": "{name} cannot be read as a Word document", "es": "{name} no se puede leer como documento de Word",
    },
    "no_workbook": {
        "en": "{name} is no workbook, or is protected by a password",
        "es": "{name} no es un libro de cálculo, o está protegido con contraseña",
    },
    "too_large": {
        "en": "{name} is larger than {most} MB; upload a part of it", "es": "{name} pasa de {most} MB; suba una parte",
    },
    "too_many_rows": {
        "en": "{name} has more than {most} rows; upload a part of it",
        "es": "{name} tiene más de {most} filas; suba una parte",
    },
    "too_many_columns": {
        "en": "{name} has more than {most} columns; upload a part of it",
        "es": "{name} tiene más de {most} columnas; suba una parte",
    },
    "unpacks_to_more": {
        "en": "{name} unpacks to more than it should; it is not read",
        "es": "{name} se descomprime en más de lo debido; no se lee",
    },
    "too_long": {
        "en": "{name} takes too long or too much memory to be read; upload a part of it",
        "es": "{name} tarda demasiado o necesita demasiada memoria; suba una parte",
    },
    "deleted": {"en": "{name} was deleted; upload it again", "es": "{name} se ha borrado; súbalo de nuevo"},
}  # fmt: skip


class UploadRefusedError(DatasetError):
    """A file that becomes no table; its message is in English, `texts` has every language."""

    def __init__(self, problem: str, **facts: object) -> None:
        """Name the problem and its facts."""
        super().__init__(TEXTS[problem]["en"].format(**facts))
        self.problem, self.facts = problem, facts

    def in_language(self, language: str) -> DatasetError:
        """The same for a reader of one language."""
        return DatasetError(TEXTS[self.problem].get(language, TEXTS[self.problem]["en"]).format(**self.facts))
