"""What measures and their splits are called, for the page: from the definitions that the agent computes by."""

import json

from batuta.agents.erp.measures.model import standard_measures
from batuta.language.findings import LANGUAGES
from tools.typescript import HEADER


def names_text() -> str:
    """A TypeScript module with the titles by language."""
    book = standard_measures()
    parts = [HEADER.replace("the event catalogue", "the measures")]
    for language in LANGUAGES:
        rows = {one.id: one.title[language] for one in book.dimensions.values()}
        rows |= {one.id: one.title[language] for one in book.measures.values()}
        lines = "".join(f"  {name}: {json.dumps(title, ensure_ascii=False)},\n" for name, title in rows.items())
        parts.append(f"export const {language}: Readonly<Record<string, string>> = {{\n{lines}}};\n")
    return "\n".join(parts)
