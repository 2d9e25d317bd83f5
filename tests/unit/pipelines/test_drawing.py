"""`draw()` gives valid Mermaid for every kind of step, whatever they are called (F-12)."""

import re
from enum import Enum
from typing import Literal

import pytest

from batuta import Branch, Context, ParallelStep, ParserStep, Pipeline, Step, SwitchStep, action, step
from batuta.pipelines.drawing import Drawing, Exit


class Way(Enum):
    LEFT = "left"
    RIGHT = "right"


@step
async def parse(text: str) -> int:
    return int(text)


@step
async def show(value: int) -> str:
    return str(value)


@step
async def again(value: int) -> str:
    return str(value)


@action(mode="idempotent")
async def save(value: int) -> None: ...


class Custom(Step[int, dict[str, Literal["<a>", '"b"']]]):
    async def _perform(self, value: int, ctx: Context) -> dict[str, Literal["<a>", '"b"']]:
        return {}


SIDE_BY_SIDE: Step[int, list[str]] = ParallelStep(
    list[str], [Branch(show, merge=list.append), Branch(save >> again, merge=list.append)]
)

EVERY_KIND: dict[str, Step[int, object]] = {
    "function": show,
    "chain": save >> show,
    "action": save,
    "custom": Custom(),
    "parser": show >> ParserStep(int),
    "switch": SwitchStep(Way, {Way.LEFT: show}, default=again, on=lambda _: Way.LEFT),
    "parallel": SIDE_BY_SIDE,
    "pipeline": Pipeline("inner", save >> Pipeline("innermost", show)),
    "wild names": Pipeline('say "hi" <b>& `co` #35; | [x] {y} (z) -->', show.named('end; "quoted" ]) ``')),
}

TEXT = r'"(?:[^"#&<>`]|#(?:\w+);)*"'
NODE = rf"n\d+(?:\[{TEXT}\]|\(\[{TEXT}\]\)|\{{{TEXT}\}}|\(\({TEXT}\)\)|\[/{TEXT}/\]|\{{\{{{TEXT}\}}\}})"
LINE = re.compile(rf"(?:{NODE}|(n\d+) -->(?:\|{TEXT}\|)? (n\d+)|subgraph g\d+ \[{TEXT}\]|end)")


def check(drawn: str) -> None:
    first, *lines = drawn.splitlines()
    assert first == "flowchart TD"
    depth, nodes = 0, set()
    for line in lines:
        found = LINE.fullmatch(line.strip())
        assert found, line
        nodes |= set(re.findall(r"^n\d+(?=\W)", line.strip())) if not found.group(1) else set()
        assert found.group(1) is None or {found.group(1), found.group(2)} <= nodes, (
            "an arrow joins nodes that are there"
        )
        depth += line.strip().startswith("subgraph")
        depth -= line.strip() == "end"
        assert depth >= 0
    assert depth == 0


@pytest.mark.parametrize("kind", EVERY_KIND)
def test_every_kind_of_step_can_be_drawn(kind: str) -> None:
    check(EVERY_KIND[kind].draw())


def test_a_pipeline_of_everything_can_be_drawn() -> None:
    check(
        Pipeline(
            "all", parse >> SwitchStep(Way, {Way.LEFT: show, Way.RIGHT: EVERY_KIND["parallel"]}, on=lambda _: Way.LEFT)
        ).draw()
    )


def test_arrows_carry_the_types_between_the_steps() -> None:
    assert Pipeline("p", parse >> show).draw() == (
        "flowchart TD\n"
        '  n0(["str"])\n'
        '  subgraph g1 ["p"]\n'
        '    n2["parse"]\n'
        "    n0 --> n2\n"
        '    n3["show"]\n'
        '    n2 -->|"int"| n3\n'
        "  end\n"
        '  n4(["str"])\n'
        '  n3 -->|"str"| n4\n'
    )


def test_a_switch_names_the_member_on_each_way() -> None:
    drawn = EVERY_KIND["switch"].draw()
    assert '-->|"LEFT"|' in drawn
    assert '-->|"otherwise"|' in drawn


def test_what_means_something_to_mermaid_is_written_as_its_code() -> None:
    drawing = Drawing()
    drawing.arrows([Exit(drawing.node('a "b" #c <d> & `e`'))], drawing.node("f"))
    assert 'n0["a #quot;b#quot; #35;c #lt;d#gt; #amp; #96;e#96;"]' in str(drawing)
