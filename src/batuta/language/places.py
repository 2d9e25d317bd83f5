"""Cities and countries by their names in both languages, and the time zones they keep.

A country with several zones gives that of its largest cities first and the others as alternatives. `unknown_places`
tells what a text speaks of as a place and this table does not know, so that it can be said instead of guessed.
"""

import re
from functools import cache
from zoneinfo import available_timezones

from batuta.language.findings import Finding, Language, TextSpan
from batuta.language.folding import SHORTEST_MENDED, aligned, composed, nearest
from batuta.language.lexicon import MONTHS, WEEKDAYS

ZONES: dict[str, str] = {
    "Europe/Madrid": "madrid,barcelona,sevilla,seville,valencia,bilbao,zaragoza,malaga,murcia,alicante,palma,espana,spain,granada,vigo,gijon",
    "Atlantic/Canary": "canarias,canary islands,tenerife,las palmas",
    "Europe/London": "london,londres,manchester,edinburgh,edimburgo,uk,england,inglaterra,reino unido,united kingdom,great britain,scotland,escocia,birmingham,liverpool,glasgow",
    "Europe/Dublin": "dublin,ireland,irlanda",
    "Europe/Lisbon": "lisbon,lisboa,portugal,porto,oporto",
    "Europe/Paris": "paris,france,francia,lyon,marseille,marsella,toulouse,nice,burdeos,bordeaux",
    "Europe/Berlin": "berlin,germany,alemania,munich,frankfurt,hamburg,hamburgo,cologne,colonia,stuttgart,dusseldorf",
    "Europe/Rome": "rome,roma,italy,italia,milan,milano,naples,napoles,turin,florence,florencia,venice,venecia",
    "Europe/Amsterdam": "amsterdam,netherlands,paises bajos,holland,holanda,rotterdam,the hague,la haya",
    "Europe/Brussels": "brussels,bruselas,belgium,belgica,antwerp,amberes",
    "Europe/Zurich": "zurich,geneva,ginebra,switzerland,suiza,basel,basilea,bern,berna",
    "Europe/Vienna": "vienna,viena,austria",
    "Europe/Stockholm": "stockholm,estocolmo,sweden,suecia",
    "Europe/Oslo": "oslo,norway,noruega",
    "Europe/Copenhagen": "copenhagen,copenhague,denmark,dinamarca",
    "Europe/Helsinki": "helsinki,finland,finlandia",
    "Europe/Warsaw": "warsaw,varsovia,poland,polonia,krakow,cracovia",
    "Europe/Prague": "prague,praga,czech republic,republica checa,czechia,chequia",
    "Europe/Budapest": "budapest,hungary,hungria",
    "Europe/Bucharest": "bucharest,bucarest,romania,rumania",
    "Europe/Athens": "athens,atenas,greece,grecia",
    "Europe/Istanbul": "istanbul,estambul,turkey,turquia,ankara",
    "Europe/Kiev": "kyiv,kiev,ukraine,ucrania",
    "Europe/Moscow": "moscow,moscu,russia,rusia,saint petersburg,san petersburgo",
    "Atlantic/Reykjavik": "reykjavik,iceland,islandia",
    "Africa/Casablanca": "casablanca,morocco,marruecos,rabat",
    "Africa/Cairo": "cairo,el cairo,egypt,egipto",
    "Africa/Lagos": "lagos,nigeria",
    "Africa/Nairobi": "nairobi,kenya,kenia",
    "Africa/Johannesburg": "johannesburg,johannesburgo,south africa,sudafrica,cape town,ciudad del cabo",
    "Asia/Jerusalem": "jerusalem,jerusalen,tel aviv,israel",
    "Asia/Dubai": "dubai,abu dhabi,uae,emiratos,emirates",
    "Asia/Riyadh": "riyadh,riad,saudi arabia,arabia saudi",
    "Asia/Qatar": "doha,qatar",
    "Asia/Tehran": "tehran,teheran,iran",
    "Asia/Karachi": "karachi,pakistan,islamabad,lahore",
    "Asia/Kolkata": "india,delhi,new delhi,nueva delhi,mumbai,bombay,bangalore,calcutta,calcuta,kolkata,chennai,hyderabad",
    "Asia/Bangkok": "bangkok,thailand,tailandia",
    "Asia/Ho_Chi_Minh": "hanoi,vietnam,ho chi minh,saigon",
    "Asia/Jakarta": "jakarta,yakarta,indonesia",
    "Asia/Singapore": "singapore,singapur",
    "Asia/Kuala_Lumpur": "kuala lumpur,malaysia,malasia",
    "Asia/Manila": "manila,philippines,filipinas",
    "Asia/Hong_Kong": "hong kong",
    "Asia/Shanghai": "shanghai,beijing,pekin,china,shenzhen,guangzhou,canton",
    "Asia/Taipei": "taipei,taiwan",
    "Asia/Seoul": "seoul,seul,korea,corea,south korea,corea del sur",
    "Asia/Tokyo": "tokyo,tokio,japan,japon,osaka,kyoto,kioto",
    "Australia/Sydney": "sydney,sidney,melbourne,canberra,australia",
    "Australia/Perth": "perth",
    "Australia/Brisbane": "brisbane",
    "Pacific/Auckland": "auckland,new zealand,nueva zelanda,wellington",
    "Pacific/Honolulu": "honolulu,hawaii,hawai",
    "America/New_York": "new york,nueva york,ny,nyc,washington,boston,miami,atlanta,philadelphia,filadelfia,usa,us east coast,estados unidos,united states,eeuu,the us,orlando,detroit,eastern time,est,et",
    "America/Chicago": "chicago,dallas,houston,austin,texas,new orleans,central time",
    "America/Denver": "denver,colorado,salt lake city,mountain time",
    "America/Los_Angeles": "los angeles,san francisco,california,seattle,las vegas,san diego,silicon valley,portland,pacific time,pst,sf",
    "America/Toronto": "toronto,canada,montreal,ottawa",
    "America/Vancouver": "vancouver",
    "America/Mexico_City": "mexico city,ciudad de mexico,mexico,cdmx,guadalajara,monterrey",
    "America/Havana": "havana,la habana,cuba",
    "America/Guatemala": "guatemala",
    "America/Costa_Rica": "costa rica",
    "America/Panama": "panama",
    "America/Bogota": "bogota,colombia,medellin,cali",
    "America/Caracas": "caracas,venezuela",
    "America/Lima": "lima,peru",
    "America/Guayaquil": "quito,ecuador,guayaquil",
    "America/La_Paz": "la paz,bolivia",
    "America/Santiago": "santiago,santiago de chile,chile",
    "America/Argentina/Buenos_Aires": "buenos aires,argentina,rosario,cordoba argentina",
    "America/Montevideo": "montevideo,uruguay",
    "America/Asuncion": "asuncion,paraguay",
    "America/Sao_Paulo": "sao paulo,rio de janeiro,rio,brazil,brasil,brasilia",
    "UTC": "utc,gmt,zulu",
}  # fmt: skip
"""The names people use, folded."""
SEVERAL = {
    "usa": ("America/Chicago", "America/Denver", "America/Los_Angeles"),
    "united states": ("America/Chicago", "America/Denver", "America/Los_Angeles"),
    "the us": ("America/Chicago", "America/Denver", "America/Los_Angeles"),
    "estados unidos": ("America/Chicago", "America/Denver", "America/Los_Angeles"),
    "eeuu": ("America/Chicago", "America/Denver", "America/Los_Angeles"),
    "canada": ("America/Vancouver",),
    "australia": ("Australia/Perth", "Australia/Brisbane"),
    "russia": ("Asia/Vladivostok",),
    "rusia": ("Asia/Vladivostok",),
}
"""Countries with more than one zone: the others."""
SPANISH_NAMES = {
    "Europe/London": "Londres", "Europe/Lisbon": "Lisboa", "Europe/Paris": "París", "Europe/Berlin": "Berlín", "Europe/Rome": "Roma",
    "Europe/Amsterdam": "Ámsterdam", "Europe/Brussels": "Bruselas", "Europe/Zurich": "Zúrich", "Europe/Vienna": "Viena",
    "Europe/Stockholm": "Estocolmo", "Europe/Copenhagen": "Copenhague", "Europe/Warsaw": "Varsovia", "Europe/Prague": "Praga",
    "Europe/Bucharest": "Bucarest", "Europe/Athens": "Atenas", "Europe/Istanbul": "Estambul", "Europe/Moscow": "Moscú",
    "Europe/Dublin": "Dublín", "Atlantic/Canary": "Canarias", "Atlantic/Reykjavik": "Reikiavik", "Africa/Cairo": "El Cairo",
    "Africa/Johannesburg": "Johannesburgo", "Asia/Jerusalem": "Jerusalén", "Asia/Dubai": "Dubái", "Asia/Riyadh": "Riad",
    "Asia/Tehran": "Teherán", "Asia/Kolkata": "Calcuta", "Asia/Singapore": "Singapur", "Asia/Jakarta": "Yakarta",
    "Asia/Shanghai": "Shanghái", "Asia/Taipei": "Taipéi", "Asia/Seoul": "Seúl", "Asia/Tokyo": "Tokio", "Australia/Sydney": "Sídney",
    "Pacific/Honolulu": "Honolulu", "America/New_York": "Nueva York", "America/Los_Angeles": "Los Ángeles",
    "America/Mexico_City": "Ciudad de México", "America/Havana": "La Habana", "America/Panama": "Panamá", "America/Bogota": "Bogotá",
    "America/Asuncion": "Asunción", "America/Sao_Paulo": "São Paulo",
}  # fmt: skip
AREAS = ("Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")

_EXACT = re.compile(rf"\b(?:{'|'.join(AREAS)})(?:/[A-Za-z_]+){{1,2}}\b", re.IGNORECASE)
_COMMON_WORDS = frozenset(
    [
        "center",
        "easter",
        "north",
        "south",
        "west",
        "eastern",
        "central",
        "nome",
        "general",
        "christmas",
        "reunion",
        "troll",
        "nice",
        "est",
        "et",
        "rio",
        "sf",
        "ny",
        "cali",
        "gaza",
        "guam",
        "home",
        "city",
        "line",
    ]
)
"""Names of places that are also common words: known only where a preposition says that a place is meant."""
_NAMED_AFTER = re.compile(
    r"\b(?:in|en|to|from|desde|de|a|at|for|para|vs|y|and)\s+(?P<place>[A-ZÁÉÍÓÚÑÜ][\w'’-]+(?:\s+(?:(?:de|del|la|of|the)\s+)?[A-ZÁÉÍÓÚÑÜ][\w'’-]+)*)"
)
_TIME_IN = re.compile(
    r"\b(?:time|hora|horas|clock|reloj)\b(?:(?!\b(?:i|we|you|should|must|can|have|tengo|debo|debemos|puedo|podemos|hay)\b)[^?.,])*?\b(?:in|en|at)\s+(?:el\s+|la\s+|the\s+)?(?P<place>[a-z][\w'-]+(?:\s+[a-z][\w'-]+){0,3})\s*\W*$"
)
_OF_A_CLOCK = re.compile(r"(?:'s)?\s+(?:local\s+)?time\b")
_ON_THE_CLOCK_OF = re.compile(
    r"(?:\b(?:hora|horario)\s+(?:local\s+)?(?:del?|en)\s+|(?<=\d)\s*(?:[ap]\.?m\.?|h)?\s+(?:hora\s+)?de\s+)(?:la\s+|el\s+)?$"
)
_CLOCK_THERE = re.compile(
    r"\b(?:in\s+)?(?:their|his|her|local)\s+(?:local\s+)?time\b(?!\s*zone)|\btime\s+over\s+there\b|\b(?:en\s+)?(?:la\s+)?hora\s+(?:(?:de\s+)?(?:alli|alla)|suya|local)\b(?!\s+de)"
)
"""In the time of a place that is named elsewhere in a text: "with the Oslo team at 3, their time"."""
CLOCKS = {
    zone: names.split()
    for zone, names in {
        "UTC": "utc gmt", "Europe/London": "bst", "Europe/Lisbon": "WET WEST", "Europe/Paris": "cet cest", "Europe/Athens": "EET EEST",
        "Europe/Moscow": "msk", "America/New_York": "est edt ET", "America/Chicago": "cst cdt CT", "America/Denver": "MST mdt MT",
        "America/Los_Angeles": "pst pdt PT", "America/Sao_Paulo": "BRT", "America/Argentina/Buenos_Aires": "ART", "Asia/Tokyo": "jst",
        "Asia/Singapore": "SGT", "Asia/Hong_Kong": "HKT", "Australia/Sydney": "aest aedt",
    }.items()
}  # fmt: skip
"""What clocks are called right behind a time; those in capitals are other words when they are written small."""
_AFTER_A_TIME = r"(?:(?<=\d)|(?<=[apAP][mM])|(?<=[apAP]\.[mM]\.)|(?<=\dh))"
_SHORT_CLOCK = re.compile(rf"{_AFTER_A_TIME}\s*\b(?P<clock>[A-Z]{{1,3}}T|[a-zA-Z]{{3,4}}|[A-Z]{{2,4}})\b(?!\s*/)")
_CLOCK_ZONES = {name: zone for zone, names in CLOCKS.items() for name in names}
_UNKNOWN_CLOCK = re.compile(
    r"(?:(?<=\d)|(?<=[apAP][mM])|(?<=clock))\s+(?P<place>[A-ZÁÉÍÓÚÑÜ]\w+(?:\s+[A-ZÁÉÍÓÚÑÜ]\w+)*)\s+time\b|"
    r"\bhora\s+(?:local\s+)?de\s+(?P<lugar>[A-ZÁÉÍÓÚÑÜ]\w+(?:\s+(?:de\s+)?[A-ZÁÉÍÓÚÑÜ]\w+)*)"
)
_NO_PLACES = frozenset(
    [
        "now",
        "right",
        "total",
        "euros",
        "dollars",
        "spanish",
        "english",
        "tomorrow",
        "today",
        "hours",
        "minutes",
        "this",
        "that",
        "my",
        "your",
        "mi",
        "tu",
        "el",
        "la",
        "casa",
        "home",
        "office",
        "oficina",
        "general",
        "ingles",
        "espanol",
        "punto",
        "ahora",
        "hoy",
        "manana",
        "two",
        "three",
        "one",
        "an",
        "a",
        "un",
        "una",
        "words",
        "figures",
        "letters",
    ]
)


_INITIALLED = {"LA": "America/Los_Angeles", "UK": "Europe/London", "US": "America/New_York", "EEUU": "America/New_York"}
"""Places by their initials, which are other words when they are written small."""
_INITIALS = re.compile(rf"(?<![\w/])(?:{'|'.join(_INITIALLED)})(?![\w/])")


_TOLD_BEFORE = re.compile(
    r"(?:\d|\d\s*[ap]\.?m\.?|\dh|\bde\s+la\s+(?:tarde|manana|noche|madrugada)|\bin\s+the\s+(?:morning|afternoon|evening))\s+$"
)
"""A time right before what a clock is called: "3pm est"."""


def find_zones(text: str) -> list[Finding[str]]:
    """The time zones (IANA names) of the places a text names, in order."""
    text = composed(text)
    plain = aligned(text)
    found: list[Finding[str]] = []
    for match in _EXACT.finditer(text):
        zone = _exact().get(match.group().lower())
        if zone:
            found.append(_finding(text, match.start(), match.end(), zone, ()))
    for match in _pattern().finditer(plain):
        name = " ".join(match.group().split())
        is_taken = any(each.span.start <= match.start() < each.span.end for each in found)
        is_common = name in _COMMON_WORDS or name in _CLOCK_ZONES
        is_clock = name in _CLOCK_ZONES and _TOLD_BEFORE.search(plain, 0, match.start())
        if is_taken or (is_common and not is_clock and not _is_placed(plain, match.start())):
            continue
        found.append(_finding(text, match.start(), match.end(), places()[name], SEVERAL.get(name, ())))
    found += _mistyped(text, plain, found)
    for match in _INITIALS.finditer("" if text.isupper() else text):
        if not any(each.span.start <= match.start() < each.span.end for each in found):
            found.append(_finding(text, match.start(), match.end(), _INITIALLED[match.group()], ()))
    return sorted(found, key=lambda each: each.span)


def find_clocks(text: str) -> list[Finding[str | None]]:
    """In whose time a text says its times ("9am Boston time", "a las 10, hora de Tokio"): zones, none if unknown."""
    text = composed(text)
    plain = aligned(text)
    found: list[Finding[str | None]] = []
    for each in find_zones(text):
        after = _OF_A_CLOCK.match(plain, each.span.end)
        before = _ON_THE_CLOCK_OF.search(plain, 0, each.span.start)
        if after or before:
            start, end = before.start() if before else each.span.start, after.end() if after else each.span.end
            found.append(Finding(value=each.value, span=TextSpan(start=start, end=end), text=text[start:end].strip()))
    for match in _SHORT_CLOCK.finditer(text):
        name = match["clock"]
        zone = _CLOCK_ZONES.get(name) or _CLOCK_ZONES.get(name.lower())
        if zone or re.fullmatch(r"[A-Z]{2,3}T", name):
            span = TextSpan(start=match.start("clock"), end=match.end("clock"))
            found.append(Finding(value=zone, span=span, text=name))
    named = {each.value for each in find_zones(text)}
    for match in _CLOCK_THERE.finditer(plain):
        span = TextSpan(start=match.start(), end=match.end())
        value = named.copy().pop() if len(named) == 1 else None
        if not any(span.overlaps(each.span) for each in found):
            found.append(Finding(value=value, span=span, text=text[span.start : span.end]))
    for match in _UNKNOWN_CLOCK.finditer(text):
        span = TextSpan(start=match.start(), end=match.end())
        if not any(span.overlaps(each.span) for each in found):
            found.append(Finding(value=None, span=span, text=match.group().strip()))
    return sorted(found, key=lambda each: each.span)


def places_of_time(text: str) -> list[Finding[str]]:
    """Places that a text asks the time of and this table does not know."""
    unknown = unknown_places(text)
    asked = [match.span("place") for match in _TIME_IN.finditer(aligned(composed(text)))]
    return [each for each in unknown if any(start <= each.span.start < end for start, end in asked)]


def unknown_places(text: str) -> list[Finding[str]]:
    """What a text speaks of as a place ("in Xanadu", "hora en Villarriba") and this table does not know."""
    text = composed(text)
    known = [each.span for each in find_zones(text)]
    matches = list(_NAMED_AFTER.finditer(text)) + list(_TIME_IN.finditer(aligned(text)))
    found: dict[int, Finding[str]] = {}
    for match in matches:
        start, end = match.span("place")
        words = aligned(text[start:end]).split()
        span = TextSpan(start=start, end=end)
        is_common = (
            words[0] in MONTHS or words[0] in WEEKDAYS or (words[0] in _NO_PLACES and not _is_capitals(text, start))
        )
        if not is_common and not any(span.overlaps(each) for each in known):
            found[start] = Finding(value=text[start:end], span=span, text=text[start:end])
    return [found[start] for start in sorted(found)]


def _is_capitals(text: str, start: int) -> bool:
    """Whether a word stands in capitals among small letters: "LA" is no article."""
    word = re.match(r"\w+", text[start:])
    return word is not None and len(word.group()) > 1 and word.group().isupper() and not text.isupper()


def place_name(zone: str, language: Language = "en") -> str:
    """The city of a zone as people write it: `New York` for `America/New_York`, `Nueva York` in Spanish."""
    spanish = SPANISH_NAMES.get(zone) if language == "es" else None
    return spanish or zone.rpartition("/")[2].replace("_", " ")


def _finding(text: str, start: int, end: int, zone: str, others: tuple[str, ...]) -> Finding[str]:
    return Finding(value=zone, span=TextSpan(start=start, end=end), text=text[start:end], alternatives=others)


def _is_placed(plain: str, start: int) -> bool:
    return re.search(r"\b(?:in|en|to|from|desde|de|a|at|for|para)\s+$", plain[:start]) is not None


def _mistyped(text: str, plain: str, found: list[Finding[str]]) -> list[Finding[str]]:
    """Places one letter off, where a preposition says that a place follows."""
    mended = []
    for match in re.finditer(r"\b(?:in|en|to|from|desde)\s+(?P<place>[a-z]{5,})\b", plain):
        word, start = match["place"], match.start("place")
        if any(each.span.start <= start < each.span.end for each in found) or word in _NO_PLACES:
            continue
        name = nearest(word, (each for each in places() if len(each) > SHORTEST_MENDED - 1 and " " not in each))
        if name is not None and name != word:
            mended.append(_finding(text, start, match.end("place"), places()[name], ()))
    return mended


@cache
def _exact() -> dict[str, str]:
    return {zone.lower(): zone for zone in available_timezones()}


@cache
def places() -> dict[str, str]:
    """Zones by the folded names of places."""
    names = {
        zone.rpartition("/")[2].replace("_", " ").lower(): zone
        for zone in sorted(available_timezones())
        if zone.partition("/")[0] in AREAS
    }
    usable = {name: zone for name, zone in names.items() if len(name) > 3}
    clocks = {name: zone for name, zone in _CLOCK_ZONES.items() if name.islower()}
    return {**clocks, **usable, **{name: zone for zone, listed in ZONES.items() for name in listed.split(",")}}


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(places(), key=len, reverse=True)
    names = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in longest_first)
    return re.compile(rf"(?<![\w/])(?:{names})(?![\w/])")
