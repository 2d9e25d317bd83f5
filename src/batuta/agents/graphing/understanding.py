"""What the charts can be asked, as data (A-41): draw what there is, and change the last one (A-21)."""

from collections.abc import Mapping, Sequence
from typing import Any

from batuta.datasets.charts.asked_titles import asked_title
from batuta.datasets.charts.vocabulary import CHART_WORDS, COLOUR_WORDS, KIND_WORDS, TIME_UNIT_WORDS
from batuta.language.folding import fold
from batuta.language.understanding import Intent, Settled, Slot, Understanding

_COUNT = r"(?:the |los |las )?(?:\d{1,3}|two|three|four|five|six|ten|dos|tres|cuatro|cinco|seis|diez)"
_KIND_WORDS = "|".join(sorted({fold(word) for words in KIND_WORDS.values() for word in words}, key=len, reverse=True))
_COLOURS = "|".join(sorted({fold(word) for words in COLOUR_WORDS.values() for word in words}))
_MONTHS = (
    "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre|january|february|"
    "march|april|may|june|july|august|september|october|november|december"
)
_TIME = rf"(?:{_MONTHS}|(?:19|20)\d\d|[qt][1-4]|(?:\w+ )?(?:trimestre|quarter|semestre|half))"
_APPOINTED = r"\b(?:book|move|meeting|appointment|cita|reserva|reunion|mueve)\b"
"""Words of messages that change the calendar, however they open."""
AMENDING = (
    rf"(?:since|from|until|till|before|after|between|during|desde|a partir|hasta|antes|despues|entre|durante)\b.*\b{_TIME}",
    rf"de(?:l)? (?:\w+ )?{_TIME}(?: de \d{{4}})? a(?:l)? (?:\w+ )?{_TIME}",
    rf"(?:(?:make|paint|draw|plot|colou?r|show|hazl[oa]|ponl[oa]|pintal[oa]|dibujal[oa]|ponle|use|usa|in|en|de)\b.{{0,20}})?\b(?:{_COLOURS})(?:\W+(?:(?:y|and|con|with) )*(?:titulad|titled|titul|title|llama|called|call)\w*\b.*)?\W*$",
    r"(?:call|name|rename|title) (?:it|this|the chart)|(?:change|set|add|use|give it|put|with)\b.{0,12}\btitle|(?:the )?title\b",
    r"llamal[oa]|titulal[oa]|que se llame|renombral[oa]|(?:ponle|pon|dale|cambia\w*|anade|usa|con)\b.{0,8}\btitulo|(?:el )?titulo\b",
    r"(?:everything|all of (?:it|them)|todo|todos|todas)(?: again| otra vez)?\W*$",
    "only|just|solo|solamente|unicamente",
    r"[^.?!]{1,40}\b(?:only|solamente|nada mas)\W*$",
    rf"(?:add|include|anade\w*|agrega\w*|incluye)(?= )(?! (?:an?|una?|new|nuev[oa])\b|.*{_APPOINTED})",
    rf"(?:(?:and|y) )?(?:in|for|of|en|de|para) (?:the |el |la )?{_TIME}\W*$",
    r"(?:and |y |now |ahora )?(?:the |la |el )?(?:median|mean|average|maximum|minimum|mediana|media|promedio|maximo|minimo)\W*$",
    rf"(?:compare[ds]?|compara\w*)(?: it| this| lo)? (?:with|to|con|al?)\b(?!.*{_APPOINTED})",
    r"(?:and |y |plus |mas |con |with )(?:the |all the |el |l[oa]s )?(?:rest|others|resto|demas|otr[oa]s)\b",
    r"(?:stack (?:it|them|the bars)|apila\w*)",
    r"(?:back to|vuelve\w*|volver)\b.*\b(?:all|everything|tod[oa]s?)\W*$",
    "without|except|remove|drop|leave out|exclude|hide|everything but|all but|ignore",
    r"quita\w*|sin|excepto|salvo|excluye\w*|elimina|saca|oculta|todo menos|todos menos|ignora",
    r"(?:sort|order)(?:ed)?(?: it)? (?:by|from|alphabetically)|ordena\w*|alphabetically|alfabeticamente",
    "(?:largest|biggest|highest|smallest|lowest) first|de peor a mejor|de mejor a peor|ascending|descending|de mayor a menor|de menor a mayor",
    "en porcentajes?|as (?:a )?percentages?|in percent|en %|como porcentaje|as a share",
    r"(?:the |los |las )?(?:top|bottom) \w+",
    rf"{_COUNT} (?:\w+ )?(?:biggest|largest|best|highest|lowest|smallest|worst|primer[oa]s|mayores|mejores|peores|menores)",
    r"(?:by|per|por|segun)(?= )(?! (?:favor|que|the way|cierto|ejemplo|fin|lo)\b)",
    r"stacked by|apilad\w+ por|split by|broken down by|desglos\w+ por|separ\w+ por|divid\w+ por|colou?r(?:ed)?(?: it)? by|colorea\w* por",
    r"(?:show|use|with|con|muestra|usa|pon)\b.*\b(?:instead|en vez|en lugar)",
    rf"(?!.*{_APPOINTED})[^.?!]{{1,60}}\b(?:instead|en su lugar)\W*$",
    rf"(?!.*{_APPOINTED})[^.?!]{{1,60}}\b(?:instead of|rather than|in place of|en vez de|en vez del|en lugar del?)\b",
    r"(?:compare[ds]?|compara\w*|versus|vs\.?|against|frente al?|contra)\b.{0,20}\b(?:last|previous|prior|the year before|ano pasado|ano anterior|ano previo|(?:19|20)\d\d)",
    "(?:la |el |the )?(?:media|promedio|average|mean|suma|sum) (?:en vez|en lugar|instead|rather)",
    "show all|muestra todo|con todos|with all|no filter",
    r"(?:show|give|muestra\w*|ensena\w*|pon\w*)(?: me| us| it)? (?:everything|all|todos?|todas)",
    rf"(?:en|como|as|in|into|de) (?:an? |una? |el |la )?(?:{_KIND_WORDS})",
    rf"(?:an? |una? )?(?:{_KIND_WORDS})(?: please| por favor)?\W*$",
)
"""How messages open that change a chart, folded."""
_SLOTS = (
    Slot(name="kind", type="choice", values=KIND_WORDS, is_telling=True),
    Slot(name="time_unit", type="choice", values=TIME_UNIT_WORDS),
    Slot(name="top", type="limit"),
)


def _with_words(values: Mapping[str, Any], texts: Sequence[str]) -> Settled:
    """The request itself goes with what was found in it: columns and values are read against the table.

    What stands in a title is none of it: "call it Top 5 by month" asks for no five, and for no months.
    """
    found = {} if asked_title(texts[-1])[0] else values
    return Settled(values={**found, "options": {"asked": texts[-1]}})


UNDERSTANDING = Understanding(
    intents=(
        Intent(
            id="draw",
            tool="draw_chart",
            takes="dataset",
            label={"en": "Draw the result as bars", "es": "Hazme un gráfico"},
            examples={
                "en": (
                    "Draw the result as bars", "make a chart", "plot that", "draw it as a bar chart", "show it as a pie chart", "a line chart please",
                    "chart it", "can you graph this", "show me a graph", "turn it into a chart", "visualise it", "Top 5 customers as a pie", "graph of sales by month",
                    "make a bar chart of the result", "put it in a diagram",
                ),
                "es": (
                    "Hazme un gráfico", "dibuja un gráfico", "grafícalo", "ponlo en un gráfico de barras", "muéstralo como gráfico circular", "un gráfico de líneas por favor",
                    "haz una gráfica", "puedes hacer un gráfico de esto", "enséñame una gráfica", "conviértelo en un gráfico", "visualízalo", "Los 5 mayores en un gráfico circular",
                    "gráfico de ventas por mes", "un diagrama de barras con eso", "quiero verlo en una gráfica", "dibújalo como línea",
                ),
            },
            slots=(*_SLOTS, Slot(name="chart_asked", type="flag", values={"chart": CHART_WORDS}, is_telling=True)),
            settle=_with_words,
        ),
        Intent(
            id="change",
            tool="change_chart",
            takes="dataset",
            label={"en": "The same by month", "es": "Lo mismo por mes"},
            examples={
                "en": ("The same by month", "as a line", "now as a pie", "change the chart to bars", "only the top 5 in the chart", "as bars instead", "the same chart by quarter", "switch to a line chart"),
                "es": ("Lo mismo por mes", "como línea", "ahora como tarta", "cambia el gráfico a barras", "solo los 5 primeros en el gráfico", "mejor en barras", "el mismo gráfico por trimestre", "pásalo a líneas"),
            },
            slots=_SLOTS,
            amends=AMENDING,
            settle=_with_words,
        ),
    )
)  # fmt: skip
