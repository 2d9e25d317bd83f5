"""What measures, their splits, and the records of the ERP are called, for the page: from what the agent says."""

import json
from collections.abc import Mapping

from batuta.agents.erp.measures.model import standard_measures
from batuta.agents.erp.naming import SPANISH_ENTITIES, SPANISH_FIELDS
from batuta.language.findings import LANGUAGES
from tools.typescript import HEADER


def names_text() -> str:
    """A TypeScript module with the titles of figures by language, and what the API's names are in Spanish.

    In English the page spells those out.
    """
    book = standard_measures()
    parts = [HEADER.replace("the event catalogue", "the names of the ERP agent")]
    for language in LANGUAGES:
        rows = {one.id: one.title[language] for one in book.dimensions.values()}
        rows |= {one.id: one.title[language] for one in book.measures.values()}
        parts.append(_names(f"{language}Figures", rows))
    parts.append(_names("esEntities", SPANISH_ENTITIES))
    parts.append(_names("esFields", SPANISH_FIELDS))
    return "\n".join(parts)


def _names(constant: str, rows: Mapping[str, str]) -> str:
    lines = "".join(f"  {name}: {json.dumps(title, ensure_ascii=False)},\n" for name, title in rows.items())
    return f"export const {constant}: Readonly<Record<string, string>> = {{\n{lines}}};\n"
