"""What models write when they are asked for JSON, and what has to come of it.

Each case is a text, the type asked for, and either the strategy and value that are expected, or the kind of failure.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from batuta.kernel.errors import InvalidAnswerError, NoJsonFoundError


class Item(BaseModel):
    sku: str
    quantity: int = 1


class Order(BaseModel):
    customer: str
    items: list[Item] = []


class Mood(Enum):
    GOOD = "good"
    BAD = "bad"


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    due: date
    mood: Mood
    pair: tuple[int, int]


class Node(BaseModel):
    name: str
    children: list["Node"] = []


@dataclass(frozen=True)
class Case:
    name: str
    text: str
    into: Any
    strategy: str | None = None
    value: Any = None
    fails: type[InvalidAnswerError] | None = None


A = {"a": 1}
AB = {"a": 1, "b": 2}
FENCE = "```"

# name, text, expected value: the whole text is JSON
DIRECT: list[tuple[str, str, Any, Any]] = [
    ("an object", '{"a": 1}', dict[str, int], A),
    ("an empty object", "{}", dict[str, int], {}),
    ("an empty list", "[]", list[int], []),
    ("a list", "[1, 2, 3]", list[int], [1, 2, 3]),
    ("white space around", ' \n\t{"a": 1}\r\n ', dict[str, int], A),
    ("a byte order mark", '\ufeff{"a": 1}', dict[str, int], A),
    ("a number", "42", int, 42),
    ("a negative number", "-7", int, -7),
    ("a fraction", "0.5", float, 0.5),
    ("an exponent", "1e3", float, 1000.0),
    ("a text", '"yes"', str, "yes"),
    ("true", "true", bool, True),
    ("null", "null", None, None),
    ("null where it is allowed", "null", int | None, None),
    ("a model", '{"sku": "A-1", "quantity": 2}', Item, Item(sku="A-1", quantity=2)),
    ("a model with a default", '{"sku": "A-1"}', Item, Item(sku="A-1")),
    (
        "a nested model",
        '{"customer": "Ana", "items": [{"sku": "A"}]}',
        Order,
        Order(customer="Ana", items=[Item(sku="A")]),
    ),
    ("a list of models", '[{"sku": "A"}, {"sku": "B"}]', list[Item], [Item(sku="A"), Item(sku="B")]),
    ("a model or nothing", '{"sku": "A"}', Item | None, Item(sku="A")),
    ("an enum member by value", '"good"', Mood, Mood.GOOD),
    ("a literal", '"b"', Literal["a", "b"], "b"),
    ("a date", '"2026-01-31"', date, date(2026, 1, 31)),
    (
        "a strict model",
        '{"due": "2026-01-31", "mood": "bad", "pair": [1, 2]}',
        Strict,
        Strict(due=date(2026, 1, 31), mood=Mood.BAD, pair=(1, 2)),
    ),
    ("escapes", r'{"a": "line\nbreak \u00e9 \"q\""}', dict[str, str], {"a": 'line\nbreak é "q"'}),
    ("a pair of surrogates", r'"\ud83d\ude00"', str, "😀"),
    ("letters of the world", '{"ciudad": "Málaga", "名": "京"}', dict[str, str], {"ciudad": "Málaga", "名": "京"}),
    ("a big number", "1" + "0" * 30, int, 10**30),
    ("a number too big for a float", '{"a": 1e999}', dict[str, float], {"a": float("inf")}),
    ("infinity as JavaScript has it", '{"a": -Infinity}', dict[str, float], {"a": float("-inf")}),
    ("a fence inside a text", '{"a": "```json {} ```"}', dict[str, str], {"a": "```json {} ```"}),
    ("brackets inside a text", '{"a": "}]{["}', dict[str, str], {"a": "}]{["}),
    ("the same key twice", '{"a": 2, "a": 1}', dict[str, int], A),
    ("numbers as texts", '{"sku": "A", "quantity": "2"}', Item, Item(sku="A", quantity=2)),
    ("keys that are not asked for", '{"sku": "A", "colour": "red"}', Item, Item(sku="A")),
    ("a hundred levels", "[" * 100 + "]" * 100, list[Any], None),
    ("a tree", '{"name": "r", "children": [{"name": "k"}]}', Node, Node(name="r", children=[Node(name="k")])),
]

FENCED: list[tuple[str, str, Any, Any]] = [
    ("a json fence", f'{FENCE}json\n{{"a": 1}}\n{FENCE}', dict[str, int], A),
    ("a bare fence", f'{FENCE}\n{{"a": 1}}\n{FENCE}', dict[str, int], A),
    ("words before", f'Here you are:\n{FENCE}json\n{{"a": 1}}\n{FENCE}', dict[str, int], A),
    ("words after", f'{FENCE}json\n{{"a": 1}}\n{FENCE}\nAnything else?', dict[str, int], A),
    ("words around", f'Sure!\n\n{FENCE}json\n{{"a": 1}}\n{FENCE}\n\nHope that helps.', dict[str, int], A),
    ("upper case", f'{FENCE}JSON\n{{"a": 1}}\n{FENCE}', dict[str, int], A),
    ("another language", f'{FENCE}javascript\n{{"a": 1}}\n{FENCE}', dict[str, int], A),
    ("a language with signs", f'{FENCE}json5\n{{"a": 1}}\n{FENCE}', dict[str, int], A),
    ("a space before the language", f'{FENCE} json\n{{"a": 1}}\n{FENCE}', dict[str, int], A),
    ("carriage returns", f'{FENCE}json\r\n{{"a": 1}}\r\n{FENCE}', dict[str, int], A),
    ("all on one line", f'{FENCE}json {{"a": 1}} {FENCE}', dict[str, int], A),
    ("a fence that is not closed", f'{FENCE}json\n{{"a": 1}}', dict[str, int], A),
    ("an indented fence", f'  {FENCE}json\n  {{"a": 1}}\n  {FENCE}', dict[str, int], A),
    (
        "the second of two fences",
        f'{FENCE}json\n{{"x": "no"}}\n{FENCE}\n{FENCE}json\n{{"a": 1}}\n{FENCE}',
        dict[str, int],
        A,
    ),
    (
        "the first of two that fit",
        f'{FENCE}json\n{{"a": 1}}\n{FENCE}\n{FENCE}json\n{{"a": 2}}\n{FENCE}',
        dict[str, int],
        A,
    ),
    ("code, then JSON", f'{FENCE}python\nprint(1)\n{FENCE}\n{FENCE}json\n{{"a": 1}}\n{FENCE}', dict[str, int], A),
    ("a list in a fence", f"{FENCE}json\n[1, 2]\n{FENCE}", list[int], [1, 2]),
    ("a number in a fence", f"The answer:\n{FENCE}\n42\n{FENCE}", int, 42),
    ("a text in a fence", f'{FENCE}json\n"yes"\n{FENCE}', str, "yes"),
    ("a model in a fence", f'{FENCE}json\n{{"sku": "A"}}\n{FENCE}', Item, Item(sku="A")),
    ("a brace in the words before", f'Use {{braces}}:\n{FENCE}json\n{{"a": 1}}\n{FENCE}', dict[str, int], A),
]

EMBEDDED: list[tuple[str, str, Any, Any]] = [
    ("words before", 'The order is {"a": 1}', dict[str, int], A),
    ("words after", '{"a": 1} is what I found.', dict[str, int], A),
    ("words around", 'I think {"a": 1} fits best.', dict[str, int], A),
    ("tags around", '<json>{"a": 1}</json>', dict[str, int], A),
    ("an assignment", 'result = {"a": 1};', dict[str, int], A),
    ("a comment line before", '// the answer\n{"a": 1}', dict[str, int], A),
    ("a heading before", '# Answer\n\n{"a": 1}', dict[str, int], A),
    ("tildes as a fence", '~~~json\n{"a": 1}\n~~~', dict[str, int], A),
    ("nested fences", f'{FENCE}`json\n{FENCE}\n{{"a": 1}}\n{FENCE}\n{FENCE}`', dict[str, int], A),
    ("braces in the words before", 'Use {curly} braces: {"a": 1}', dict[str, int], A),
    ("citations before", 'As said in [1] and [2]: {"a": 1}', dict[str, int], A),
    ("many citations before", "see [1] " * 200 + '{"a": 1}', dict[str, int], A),
    ("an index before", 'a[0] gives {"a": 1}', dict[str, int], A),
    ("two objects", '{"a": 1}{"b": 2}', dict[str, int], A),
    ("one object a line", '{"a": 1}\n{"a": 2}', dict[str, int], A),
    ("the one that fits", '{"x": "y"} or {"sku": "A"}', Item, Item(sku="A")),
    ("a list in words", "They are [1, 2, 3].", list[int], [1, 2, 3]),
    ("a list of models in words", 'Found: [{"sku": "A"}]', list[Item], [Item(sku="A")]),
    ("a trailing quote", '{"a": 1}"', dict[str, int], A),
    ("a trailing brace", '{"a": 1}}', dict[str, int], A),
    ("a leading brace", '{ {"a": 1}', dict[str, int], A),
    ("thinking aloud", 'Hmm, maybe {a}? No. Final: {"a": 1}', dict[str, int], A),
    ("a table before", '| a | b |\n|---|---|\n{"a": 1}', dict[str, int], A),
    ("a log line", '2026-01-01 INFO answer={"a": 1} took=3ms', dict[str, int], A),
    ("an ellipsis around", '…{"a": 1}…', dict[str, int], A),
    ("a null byte before", '\x00{"a": 1}', dict[str, int], A),
]

CLEANED: list[tuple[str, str, Any, Any]] = [
    ("a trailing comma", '{"a": 1,}', dict[str, int], A),
    ("a trailing comma in a list", "[1, 2,]", list[int], [1, 2]),
    ("trailing commas within", '{"a": [1, 2,], "b": {"c": 3,},}', dict[str, Any], {"a": [1, 2], "b": {"c": 3}}),
    ("single quotes", "{'a': 1}", dict[str, int], A),
    ("single quotes with an apostrophe", "{'a': 'it\\'s'}", dict[str, str], {"a": "it's"}),
    ("a mixture of quotes", "{'a': \"x\", \"b\": 'y'}", dict[str, str], {"a": "x", "b": "y"}),
    ("typographic quotes", "{“a”: “b”}", dict[str, str], {"a": "b"}),
    ("Python's True", '{"a": True}', dict[str, bool], {"a": True}),
    ("Python's False", '{"a": False}', dict[str, bool], {"a": False}),
    ("Python's None", '{"a": None}', dict[str, Any], {"a": None}),
    ("a Python dict", "{'a': True, 'b': None, 'c': [1]}", dict[str, Any], {"a": True, "b": None, "c": [1]}),
    ("a tuple", "{'a': (1, 2)}", dict[str, list[int]], {"a": [1, 2]}),
    ("a line comment", '{"a": 1, // one\n"b": 2}', dict[str, int], AB),
    ("a hash comment", '{"a": 1, # one\n"b": 2}', dict[str, int], AB),
    ("a block comment", '{"a": 1, /* one */ "b": 2}', dict[str, int], AB),
    ("a comment at the end", '{"a": 1 /* one */}', dict[str, int], A),
    ("keys without quotes", "{a: 1, b: 2}", dict[str, int], AB),
    ("values without quotes", '{"a": yes}', dict[str, str], {"a": "yes"}),
    ("a missing comma", '{"a": 1 "b": 2}', dict[str, int], AB),
    ("a missing comma on a new line", '{"a": 1\n"b": 2}', dict[str, int], AB),
    ("commas missing in a list", "[1 2 3]", list[int], [1, 2, 3]),
    ("a semicolon for a comma", '{"a": 1; "b": 2}', dict[str, int], AB),
    ("an unclosed brace", '{"a": 1', dict[str, int], A),
    ("an unclosed bracket", "[1, 2", list[int], [1, 2]),
    ("unclosed within", '{"a": [1, {"b": 2', dict[str, Any], {"a": [1, {"b": 2}]}),
    ("an unclosed text", '{"a": "hello', dict[str, str], {"a": "hello"}),
    ("an unclosed list of lists", "[[1, 2], [3", list[list[int]], [[1, 2], [3]]),
    ("cut after a comma", '{"a": 1,', dict[str, int], A),
    ("cut after null", '{"a": null', dict[str, Any], {"a": None}),
    ("cut in the middle of a model", '{"customer": "Ana", "items": [{"sku": "A"}, {"sku": "B"', Order,
     Order(customer="Ana", items=[Item(sku="A"), Item(sku="B")])),
    ("a cut tree is not its leaf", '{"name": "root", "children": [{"name": "kid", "children": []}', Node,
     Node(name="root", children=[Node(name="kid")])),
    ("a broken tree is not its leaf", '{"name": "root", "children": [{"name": "kid", "children": []}],}', Node,
     Node(name="root", children=[Node(name="kid")])),
    ("a line break in a text", '{"a": "one\ntwo"}', dict[str, str], {"a": "one\ntwo"}),
    ("a tab in a text", '{"a": "one\ttwo"}', dict[str, str], {"a": "one\ttwo"}),
    ("quotes in a text", '{"a": "say "hi" now"}', dict[str, str], {"a": 'say "hi" now'}),
    ("a hexadecimal escape", r'{"a": "\x41"}', dict[str, str], {"a": "A"}),
    ("a leading zero", '{"a": 01}', dict[str, int], A),
    ("a point at the end", '{"a": 1.}', dict[str, float], {"a": 1.0}),
    ("a point at the start", '{"a": .5}', dict[str, float], {"a": 0.5}),
    ("a plus sign", '{"a": +1}', dict[str, int], A),
    ("words before something broken", "The order is {'a': 1}", dict[str, int], A),
    ("words around something broken", "So: {'a': 1,} okay?", dict[str, int], A),
    ("something broken in a fence", f"{FENCE}json\n{{'a': 1,}}\n{FENCE}", dict[str, int], A),
    ("something cut in a fence", f'{FENCE}json\n{{"a": 1\n{FENCE}', dict[str, int], A),
    ("a comment in a fence", f'{FENCE}json\n{{"a": 1 // one\n}}\n{FENCE}', dict[str, int], A),
    ("a model with single quotes", "{'sku': 'A', 'quantity': 2}", Item, Item(sku="A", quantity=2)),
    ("a list of models, cut", '[{"sku": "A"}, {"sku": "B"}', list[Item], [Item(sku="A"), Item(sku="B")]),
    ("Python's True in a model", "{'sku': 'A', 'quantity': 2, 'new': True}", Item, Item(sku="A", quantity=2)),
    ("a bracket too few in the middle", '{"a": [1, 2, "b": 3}', dict[str, Any], None),
    ("an ellipsis in a list", "[1, 2, ...]", list[Any], None),
]  # fmt: skip

NOTHING_THERE: list[tuple[str, str]] = [
    ("nothing", ""), ("white space", "  \n\t "), ("words", "I could not find an order."), ("a word", "yes"),
    ("a number in words", "The answer is 42."), ("an opening brace", "{"), ("an opening bracket", "["),
    ("a closing brace", "}"), ("closing brackets", "]]]"), ("an empty fence", f"{FENCE}json\n{FENCE}"),
    ("a fence of words", f"{FENCE}\nhello\n{FENCE}"), ("round brackets", "(1, 2)"), ("Python's True", "True"),
    ("a text in single quotes", "'hello'"), ("only a byte order mark", "\ufeff"), ("only fences", FENCE * 3),
    ("a null byte", "\x00"), ("a colon", '"a": 1'), ("XML", "<a>1</a>"), ("YAML", "a: 1\nb: 2"),
    ("an emoji", "🙂"), ("a lone surrogate", "\ud83d"),
]  # fmt: skip

WRONG_SHAPE: list[tuple[str, str, Any]] = [
    ("a list for an object", "[1]", dict[str, int]), ("an object for a list", '{"a": 1}', list[int]),
    ("a text for a number", '{"a": "many"}', dict[str, int]), ("a missing field", '{"quantity": 1}', Item),
    ("a wrong field", '{"sku": "A", "quantity": "many"}', Item), ("null for a model", "null", Item),
    ("a fraction for a whole number", "1.5", int), ("not a number for a whole number", "NaN", int),
    ("an unknown member", '"ugly"', Mood), ("an unknown literal", '"c"', Literal["a", "b"]),
    ("a wrong item", '[{"sku": "A"}, {"quantity": 2}]', list[Item]),
    ("a model for its list", '{"sku": "A"}', list[Item]),
    ("a coerced value for a strict model", '{"due": "2026-01-31", "mood": "bad", "pair": ["1", 2]}', Strict),
    ("a wrong model in a fence", f'{FENCE}json\n{{"x": 1}}\n{FENCE}', Item),
    ("a wrong model in words", 'It is {"x": 1}.', Item), ("a wrong model with single quotes", "{'x': 1}", Item),
    ("a lone surrogate", r'{"a": "\ud83d"}', dict[str, str]), ("a wrong tuple", "[1, 2, 3]", tuple[int, int]),
]  # fmt: skip

HOSTILE: list[tuple[str, str]] = [
    ("open brackets", "[" * 100_000), ("open braces", "{" * 100_000), ("open objects", '{"a":' * 50_000),
    ("open lists", "[1," * 100_000), ("objects in lists", '{"a":[' * 50_000), ("braces and quotes", '{"' * 100_000),
    ("braces and single quotes", "{'a':'" * 33_000), ("escaped quotes", '{"' + '\\"' * 50_000),
    ("backslashes", '{"a": "' + "\\" * 1_000_001), ("a text that never ends", '{"a": "' + "x" * 1_900_000),
    ("fences", FENCE * 300_000), ("open fences", f"{FENCE}json\n{{" * 50_000), ("commas", "[" + "," * 1_000_000),
    ("colons", "{" + ":" * 500_000), ("an open comment", "{/*" + "*" * 1_000_000), ("slashes", "{" + "/" * 1_000_000),
    ("brackets before a long text", "[" * 64 + '"' + "a" * 1_900_000), ("braces in words", "{ x } " * 200_000),
    ("deep and closed", "[" * 50_000 + "]" * 50_000), ("just too deep", "[" * 900 + "]" * 900),
    ("closing brackets", "]" * 1_000_000), ("citations", "lorem [1] " * 100_000), ("quotes", '{"a": ' + '"' * 100_000),
]  # fmt: skip


def found_cases() -> Iterator[Case]:
    """Texts that hold what is asked for."""
    for strategy, table in (("direct", DIRECT), ("fenced", FENCED), ("embedded", EMBEDDED), ("cleaned", CLEANED)):
        for name, text, into, value in table:
            yield Case(name=f"{strategy}: {name}", text=text, into=into, strategy=strategy, value=value)


def failing_cases() -> Iterator[Case]:
    """Texts that do not."""
    for name, text in NOTHING_THERE:
        yield Case(name=f"nothing: {name}", text=text, into=dict[str, int], fails=NoJsonFoundError)
    for name, text, into in WRONG_SHAPE:
        yield Case(name=f"wrong shape: {name}", text=text, into=into, fails=InvalidAnswerError)
    for name, text in HOSTILE:
        yield Case(name=f"hostile: {name}", text=text, into=dict[str, int], fails=InvalidAnswerError)
