"""Requests as people type them: courtesies around what is asked, and words as they are shortened on a phone."""

import re
from functools import partial

from batuta.language.detection import detect_language
from batuta.language.findings import Language
from batuta.language.folding import aligned, composed, fold
from batuta.language.lexicon import MONTH_NAMES, SHORT_WEEKDAYS, WEEKDAY_NAMES, one_of

LEAST_WORDS = 2
"""Of what is left: a courtesy alone is small talk."""

_PLEASE = r"(?:[\s,]*(?:please|kindly|por\s+favor)\b)?[\s,]*"
_ASKED_WORD = r"(?=(?:what|which|who|whom|whose|when|where|why|how|on\s+which|at\s+what|in\s+which|que|cual\w*|quien\w*|cuando|donde|como|cuant\w+|en\s+que|a\s+que|de\s+que|por\s+que)\b)"
_COURTESIES = (
    r"(?:dear|estimad[oa]s?|querid[oa]s?)\s+\w+\s*[,:]\s*",
    rf"(?:when(?:ever)?\s+you\s+(?:have\s+(?:a\s+|some\s+)?(?:moment|minute|time)|can)|cuando\s+(?:puedas|pueda|tengas\s+un\s+(?:momento|rato))){_PLEASE}",
    rf"(?:can|could|would|will)\s+you{_PLEASE}(?:tell\s+(?:me|us)|let\s+(?:me|us)\s+know|explain(?:\s+to\s+(?:me|us))?){_PLEASE}{_ASKED_WORD}",
    rf"(?:would|could)\s+you\s+be\s+so\s+kind\s+(?:as\s+to|and){_PLEASE}(?:tell\s+me\s+{_ASKED_WORD})?",
    rf"(?:would|do)\s+you\s+mind\s+telling\s+me\s+{_ASKED_WORD}",
    rf"i(?:'d|\s+would)\s+(?:be\s+(?:very\s+)?grateful|appreciate\s+it|be\s+glad)\s+if\s+you\s+(?:could|would){_PLEASE}",
    r"i(?:'d|\s+would)\s+(?:very\s+much\s+)?appreciate\s+",
    rf"i(?:'d|\s+would)?\s*(?:like|love|want|need|wanted)\s+to\s+(?:know|ask(?:\s+you)?){_PLEASE}{_ASKED_WORD}",
    rf"(?:me\s+)?(?:podrias?|puedes?|podria|podriais)(?:me)?{_PLEASE}(?:decir(?:me|nos)?|explicar(?:me)?|indicar(?:me)?){_PLEASE}{_ASKED_WORD}",
    rf"(?:serias?|seria\s+usted)\s+tan\s+amable\s+de{_PLEASE}(?:decirme\s+{_ASKED_WORD})?",
    r"(?:(?:please\s+)?be\s+so\s+(?:kind|good)\s+(?:as\s+to|and)|(?:tenga|ten|tendria|tendrias)\s+la\s+(?:bondad|amabilidad|gentileza)\s+de|"
    r"(?:haga|haz|hagame|hazme|me\s+hace[s]?|me\s+haria[s]?)\s+el\s+favor\s+de|(?:sea|se)\s+tan\s+amable\s+de)\s+",
    r"(?:que\s+)?no\s+(?:se\s+te\s+olvide|(?:te\s+)?olvides(?:\s+de)?)\s+(?=\w+r(?:me|nos|l[oae]s?)?\s)",
    r"(?:please\s+)?(?:make\s+sure|be\s+sure)\s+to\s+",
    r"(?:is\s+there\s+)?any\s+chance\s+(?:that\s+)?you\s+(?:could|can|might)\s+",
    r"(?:hay|habria)\s+(?:alguna\s+)?(?:posibilidad|manera|forma)\s+de\s+(?:que\s+)?",
    rf"(?:te|le)\s+importaria\s+decirme\s+{_ASKED_WORD}",
    rf"(?:me\s+gustaria|quisiera|querria|queria|quiero|necesito)\s+(?:saber|preguntar){_PLEASE}{_ASKED_WORD}",
    r"(?:te\s+|le\s+)?agradeceria\s+(?:mucho\s+)?(?:que\s+me\s+|que\s+)?",
    rf"(?:(?:just|only)\s+)?tell\s+(?:me|us){_PLEASE}{_ASKED_WORD}",
    rf"(?:(?:solo|solamente|simplemente)\s+)?(?:dime|dinos|digame|decidme){_PLEASE}{_ASKED_WORD}",
)
_HESITATION = re.compile(
    r"^[\s¿¡]*(?:(?:uh+|um+|eh|hm+|mmm+|a\s+ver|oye|anda|well|bueno|pues|entonces|ok(?:ay)?|so|"
    r"vale(?=\s*,|\s+(?:pues|entonces)\b)|(?:great|good|perfect|fine|cool|genial|perfecto|estupendo|bien)(?=\s*[,!]))\b[\s,!]*)+(?=\w+\s)"
)
"""What opens a request and only takes up what was said before."""
_TAG = re.compile(
    r"[\s,]+(?:(?:would|could|can|will)\s+you|anda|venga|please|pls|por\s+favor|porfa|(?<!and\s)(?<!since\s)(?<!by\s)then|entonces|pues)\s*[?.!]*\s*$"
)
_IS_IT_SO = re.compile(r"[\s,]+(?:ok(?:ay)?|right|vale|verdad|no)\s*(?=\?\s*$)")
"""Asks for a yes behind what it asks about: "taxi at night, ok?"."""
_GREETING = re.compile(
    r"^[\s¿¡]*(?:hello|hi(?:ya)?|hey|good\s+(?:morning|afternoon|evening|day)|hola|buenos\s+dias|buenas(?:\s+(?:tardes|noches))?|saludos)"
    r"(?:\s+(?:there|again|all|team|everyone|equipo|a\s+todos))?(?:[\s,]+(?:what'?s\s+up|how\s+are\s+you|how's\s+it\s+going|que\s+tal|como\s+estas))?\s*[,.!:?]+[\s¿¡]*|"
    r"^[\s¿¡]*(?:many\s+|mil\s+|muchas\s+)?(?:thanks|thank\s+you|thx|gracias)(?:\s+a\s+lot|\s+so\s+much)?\s*[,.!:;]+\s*(?:(?:and|y)\s+)?(?:now|ahora)\s+"
)
_THANKS = re.compile(
    r"[\s,.!?;]+(?:many\s+|mil\s+|muchas\s+|muchisimas\s+)?(?:thanks|thank\s+you|thx|gracias)"
    r"(?:\s+(?:a\s+lot|so\s+much|very\s+much|a\s+million|in\s+advance|de\s+antemano|por\s+adelantado))?[\s.!]*$"
)
_COURTESY = re.compile(rf"^[\s¿¡]*(?:{'|'.join(_COURTESIES)})")


def without_courtesy(text: str) -> str:
    """What a request asks for, without the forms that only ask for it kindly."""
    text = composed(text)
    for aside in (_GREETING, _THANKS, _HESITATION, _TAG, _IS_IT_SO):
        found = aside.search(aligned(text))
        rest = text[: found.start()] + text[found.end() :] if found else ""
        text = rest if len(rest.split()) >= LEAST_WORDS else text
    while (found := _COURTESY.match(aligned(text))) and len(text[found.end() :].split()) >= LEAST_WORDS:
        text = text[found.end() :]
    return text


SHORTENED: dict[Language, dict[str, str]] = {
    "en": {
        "u": "you", "ur": "your", "pls": "please", "plz": "please", "thx": "thanks", "r": "are", "w": "with", "w/": "with", "wat": "what", "wats": "what's", "wen": "when", "hav": "have",
        "rn": "right now", "n": "and", "yday": "yesterday", "aft": "afternoon", "hols": "holidays", "appt": "appointment",
        "mtg": "meeting", "tmrw": "tomorrow", "tmr": "tomorrow", "tmw": "tomorrow", "resched": "reschedule", "mv": "move", "abt": "about", "bc": "because", "ppl": "people", "wk": "week",
        "yr": "year", "hrs": "hours", "hr": "hour", "wich": "which", "havnt": "haven't", "wont": "won't", "alot": "a lot",
        "recieved": "received", "waht": "what", "whats": "what's", "salles": "sales", "contry": "country", "meating": "meeting",
        **dict.fromkeys(("shedule", "schedual", "scedule", "schedle"), "schedule"), **dict.fromkeys(("cancle", "cansel"), "cancel"),
        **dict.fromkeys(("wendsday", "wensday", "wednsday", "wednesdey"), "Wednesday"), "thrusday": "Thursday",
        **dict.fromkeys(("tommorow", "tommorrow", "tomorow"), "tomorrow"),
        **{f"{verb}nt": f"{verb}n't" for verb in ("have", "has", "had", "do", "does", "did", "is", "are", "was", "were")},
    },
    "es": {
        "q": "que", "k": "que", "d": "de", "x": "por", "xq": "por que", "pq": "por que", "cn": "con", "c/": "con", "tb": "tambien",
        "tmb": "tambien", "xfa": "por favor", "pf": "por favor", "dnd": "donde", "cdo": "cuando", "reu": "reunion", "dto": "descuento", "porfa": "por favor",
        "grax": "gracias", "sem": "semana", "emos": "hemos", "ke": "que", "kien": "quien", "qien": "quien", "aora": "ahora",
        "asta": "hasta", "bendido": "vendido", "bendimos": "vendimos", "bentas": "ventas", "ventaz": "ventas", "deven": "deben", "deve": "debe",
        "bencidas": "vencidas", "bencida": "vencida", "bencido": "vencido", "bence": "vence", "bencen": "vencen", "probedor": "proveedor",
        "probedores": "proveedores", "clintes": "clientes",
    },
}  # fmt: skip
_NEVER_WORDS = frozenset(
    ("tue", "tues", "weds", "thu", "thur", "thurs", "fri", "lun", "mie", "mierc", "jue", "juev", "vie", "vier")
)
"""Short names of days that are no other word."""
_AFTER_DAY = r"(?=\s+(?:\d|at\b|from\b|a\s+la|de\s+\d|morning|aft|evening|night|noon|por\b|x\s)|\s*[?!.,]?\s*$)"
_DAY = re.compile(rf"(?<![\w/.-])(?P<day>{one_of(SHORT_WEEKDAYS)}|sáb|mié)\b\.?{_AFTER_DAY}", re.IGNORECASE)
_HOUR_BEHIND = re.compile(r"\s+(?:(?:at|from|de|a\s+las?)\s+)?\d")
_MONTH = re.compile(
    r"(?<=[a-z]\s)(?P<month>jan|feb|apr|jun|jul|aug|sept?|oct|nov|dec|ene|abr|dic)\.?(?=\s*[?!]?$|\s+20\d\d)",
    re.IGNORECASE,
)
_WORDS = {
    language: re.compile(rf"(?<![\w'’/.%-])(?P<word>{one_of(table)})(?=\s|$|[?!,])")
    for language, table in SHORTENED.items()
}
_OF_A_DAY = re.compile(
    rf"(?:\b(?:cancel|delete|remove|drop|move|push|shift|postpone|reschedule|change|delay|bring|scrap|extend|shorten|swap|switch|skip|my|our|about|is|when's)\s+"
    rf"(?:{one_of(name.lower() for name in WEEKDAY_NAMES['en'])})|\b(?:today|tonight|tomorrow|yesterday))s(?=\s+(?!(?:at|from|until|till|and|or|in|on|for|with|by|to)\b)[a-z]{{3,}})",
    re.IGNORECASE,
)
"""What is of a day, written without its apostrophe: "tomorrows call", "cancel mondays demo"."""
_IN_A_SUM = re.compile(r"\d\s*$")


def spelled_out(text: str, reader: Language = "en") -> str:
    """A text with its shortened words in full; capitals and letters between numbers are left: "Plan B", "3 x 4"."""
    text = composed(text)
    language = detect_language(text, reader)
    text = _DAY.sub(lambda match: _full_day(match, language), text)
    text = _OF_A_DAY.sub(lambda match: f"{match.group().removesuffix('s')}'s", text)
    text = _MONTH.sub(lambda match: _full_month(match["month"], language), text)
    for spoken in dict.fromkeys((language, reader)):
        text = _WORDS[spoken].sub(partial(_full_word, SHORTENED[spoken]), text)
    return text


def _full_day(match: re.Match[str], language: Language) -> str:
    word = fold(match["day"])
    is_other = word not in _NEVER_WORDS and not _HOUR_BEHIND.match(match.string, match.end())
    if is_other or word == "mar":
        return match.group()
    is_spanish = word in ("lun", "mie", "mierc", "jue", "juev", "vie", "vier", "sab", "dom")
    return WEEKDAY_NAMES["es" if is_spanish else "en"][SHORT_WEEKDAYS[word]]


def _full_month(word: str, language: Language) -> str:
    named = [name for name in MONTH_NAMES[language] if name.lower().startswith(word.lower()[:3])]
    return named[0] if named else word


def _full_word(words: dict[str, str], match: re.Match[str]) -> str:
    is_between_numbers = _IN_A_SUM.search(match.string[: match.start()]) and re.match(
        r"\s*\d", match.string[match.end() :]
    )
    is_measure = match["word"] in ("hr", "hrs", "h")
    return match.group() if is_between_numbers and not is_measure else words[match["word"]]
