"""A request without its courtesies: "could you please tell me when my dentist is?" asks when the dentist is."""

import re

from batuta.language.folding import aligned, composed

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
    rf"(?:te|le)\s+importaria\s+decirme\s+{_ASKED_WORD}",
    rf"(?:me\s+gustaria|quisiera|querria|queria|quiero|necesito)\s+(?:saber|preguntar){_PLEASE}{_ASKED_WORD}",
    r"(?:te\s+|le\s+)?agradeceria\s+(?:mucho\s+)?(?:que\s+me\s+|que\s+)?",
)
_HESITATION = re.compile(
    r"^[\s¿¡]*(?:(?:uh+|um+|eh|hm+|mmm+|a\s+ver|oye|anda|well|bueno|pues|okay\s+so|ok\s+so|so)\b[\s,]*)+(?=\w+\s)"
)
_TAG = re.compile(r"[\s,]+(?:(?:would|could|can|will)\s+you|anda|venga|please|pls|por\s+favor|porfa)\s*[?.!]*\s*$")
_IS_IT_SO = re.compile(r"[\s,]+(?:ok(?:ay)?|right|vale|verdad|no)\s*(?=\?\s*$)")
"""Asks for a yes behind what it asks about: "taxi at night, ok?"."""
_COURTESY = re.compile(rf"^[\s¿¡]*(?:{'|'.join(_COURTESIES)})")


def without_courtesy(text: str) -> str:
    """What a request asks for, without the forms that only ask for it kindly."""
    text = composed(text)
    for aside in (_HESITATION, _TAG, _IS_IT_SO):
        found = aside.search(aligned(text))
        rest = text[: found.start()] + text[found.end() :] if found else ""
        text = rest if len(rest.split()) >= LEAST_WORDS else text
    while (found := _COURTESY.match(aligned(text))) and len(text[found.end() :].split()) >= LEAST_WORDS:
        text = text[found.end() :]
    return text
