"""Understanding as data: what a specialist can be asked, in example sentences, and what it has to know to do it.

    Understanding(
        intents=(
            Intent(
                id="measure",
                tool="measure",
                examples={"en": ("sales by customer this year",), "es": ("ventas por cliente este año",)},
                slots=(
                    Slot(name="measure", type="choice", required=True, values=names_of_measures,
                         question={"en": "Which figure?", "es": "¿Qué cifra?"}),
                    Slot(name="period", type="period"),
                ),
                gives="dataset",
            ),
        )
    )

A model that reads no prose (the built-in one) plans, asks and calls tools from it; nothing about a specialist is written
anywhere else.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from batuta.language.findings import LANGUAGES, Language

SlotType = Literal[
    "text", "quoted", "number", "integer", "money", "percentage", "quantity", "unit", "duration", "date", "time", "moment",
    "period", "comparison", "recurrence", "zone", "zone_from", "zone_to", "person", "company", "expression", "choice", "ranking", "limit", "result",
    "flag", "wordings", "bound", "code", "found", "end",
]  # fmt: skip
"""What a slot takes. `text` is the whole request; `result` a dataset or other result of an earlier step, by its name;
`limit` the n of "top 5"; `zone_from` and `zone_to` the two places of a conversion; `ranking` whether the most or the least is asked for; `flag` whether one of its words is said; `wordings` the request in plainer words, as a list;
`bound` a limit such as "more than 5,000" or "less than 60 days"; `code` a number that names a document, such as 103001 or
INV-7; `found` what the specialist's own reader finds; `end` a day, or the last one of a period ("the days left in
November"; its first after `until`)."""

Synonyms = Mapping[str, Sequence[str]]
"""Values, each with the words for it in any language."""
Values = Synonyms | Callable[[], Synonyms]
"""Fixed, or asked for each time: customers come and go."""
Effect = Literal["answer", "change"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """Something an intent has to know, and how it is found in a request."""

    name: str
    type: SlotType = "text"
    is_required: bool = False
    question: Mapping[Language, str] = field(default_factory=dict)
    """What to ask when it is required and missing."""
    values: Values = field(default_factory=dict)
    """For `choice` and `flag`: what can be meant."""
    is_many: bool = False
    """Takes all that are named, as a list."""
    after: Sequence[str] = ()
    """Words that stand before it where a request names several of its kind: ("to", "a") for the target."""
    is_telling: bool = False
    """Whether naming one of its values is enough to know that the intent is meant too: a kind of chart."""
    find: Callable[[str, str], Any] | None = None
    """For `found`: reads the value from a request and what was answered before; `None` where there is none."""
    is_conclusive: bool = False
    """Whether finding it is enough to be sure that the intent is meant, where the request is an order."""
    has_names: bool | None = None
    """For `choice`: whether its values are names, which a part of them tells ("Sotomar") and no other form of a word.
    Unless it is said, those that are asked for each time are."""
    is_grouping: bool = False
    """Whether it says what rows are grouped by: a message that names another one asks for other rows, and does not only
    change how the last ones are shown."""
    is_narrowing: bool = False
    """Whether it says which records count: "only Spain" asks for other rows, also where those shown do not tell it."""
    stands_in: bool = False
    """Whether it may say what a required one is left out for: who names an account means expenses."""
    asks_more: bool = False
    """Whether a message that says nothing but its words asks about what the last request was about: "is it paid?"."""
    default: Any = None

    @property
    def takes_names(self) -> bool:
        """Whether its values are names."""
        return callable(self.values) if self.has_names is None else self.has_names

    def known_values(self) -> Synonyms:
        """What can be meant now."""
        return self.values() if callable(self.values) else self.values


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What is really meant by the values of some slots, and the words that turned out to mean nothing here."""

    values: Mapping[str, Any]
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """Something that can be asked."""

    id: str
    examples: Mapping[Language, Sequence[str]]
    """Sentences as people write them: ten in each language are plenty, and the more they differ the better."""
    slots: Sequence[Slot] = ()
    tool: str | None = None
    """The tool that does it, with the slots as arguments; none leaves the choice to the tools' descriptions."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """Arguments that are called otherwise than their slots, or are part of one: {"since": "period.first"}."""
    constants: Mapping[str, Any] = field(default_factory=dict)
    """Arguments that are always the same."""
    effect: Effect = "answer"
    """Whether it answers or changes something: a change has to be understood more surely."""
    label: Mapping[Language, str] = field(default_factory=dict)
    """What it does, for "do you mean … or …?"; the first example if it is left out."""
    takes: str | None = None
    """The kind of result of an earlier step that it works on, such as "dataset"."""
    gives: str | None = None
    """The kind of result it has for steps that take one."""
    reply: Callable[[Language], str] | None = None
    """What is answered at once, without a tool, such as which documents there are."""
    reads_every_word: bool = False
    """Whether each word has to be taken by a slot or say nothing: a figure that leaves out a word of the question is the
    answer to another one. Where all are taken, the intent is surely meant."""
    fillers: Sequence[str] = ()
    """For one that reads every word: words that say nothing here, besides those that never do."""
    settle: Callable[[Mapping[str, Any], Sequence[str]], "Settled"] | None = None
    """What the slots found in a request and its amendments turned into what is really meant: for words that change one
    another."""
    amends: Sequence[str] = ()
    """Patterns, folded, with which a short message opens that changes what was made last: "only", "without", "sort"."""
    excludes: Sequence[str] = ()
    """Patterns, folded, of requests that read like its own and are none of it: an alarm for seven is no appointment."""
    is_fallback: bool = False
    """Takes questions that nothing else understands, such as a search in documents."""

    def label_in(self, language: Language) -> str:
        """What it does, in a few words."""
        examples = self.examples.get(language) or next(iter(self.examples.values()), ())
        return self.label.get(language) or (examples[0] if examples else self.id.replace("_", " "))

    def slot(self, name: str) -> Slot | None:
        """One of its slots."""
        return next((slot for slot in self.slots if slot.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Understanding:
    """What one specialist understands. Compared by identity: it is made once and kept."""

    intents: Sequence[Intent] = ()
    agent_id: str = ""
    """Whose it is; a team fills it in."""
    name: str = ""

    def __post_init__(self) -> None:
        """Raise `ValueError` for two intents of one id and for examples in a language that is not read."""
        ids = [intent.id for intent in self.intents]
        if len(set(ids)) < len(ids):
            raise ValueError(f"two intents have the same id: {', '.join(sorted(ids))}")
        for intent in self.intents:
            unknown = set(intent.examples) - set(LANGUAGES)
            if unknown or not any(intent.examples.values()):
                raise ValueError(f"the intent {intent.id} needs examples in {' or '.join(LANGUAGES)}")

    def intent(self, intent_id: str) -> Intent | None:
        """One of its intents."""
        return next((intent for intent in self.intents if intent.id == intent_id), None)
