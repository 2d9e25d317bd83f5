"""A pipeline as a Mermaid flowchart: what runs after what, and which type goes along each arrow."""

from dataclasses import dataclass, field
from typing import Literal

Shape = Literal["step", "end", "choice", "join", "effect", "agent"]

_SHAPES: dict[Shape, tuple[str, str]] = {
    "step": ("[", "]"),
    "end": ("([", "])"),
    "choice": ("{", "}"),
    "join": ("((", "))"),
    "effect": ("[/", "/]"),
    "agent": ("{{", "}}"),
}


@dataclass(frozen=True, slots=True)
class Exit:
    """A place from which an arrow leaves, and what it carries."""

    node: str
    label: str = ""


@dataclass(slots=True)
class Drawing:
    """Collects nodes and arrows."""

    _lines: list[str] = field(default_factory=lambda: ["flowchart TD"])
    _count: int = 0
    _depth: int = 1

    def node(self, label: str, shape: Shape = "step") -> str:
        """Add a node and return its id."""
        node = f"n{self._count}"
        self._count += 1
        left, right = _SHAPES[shape]
        self._write(f"{node}{left}{_quoted(label)}{right}")
        return node

    def arrows(self, sources: list[Exit], target: str) -> None:
        """Arrows from every exit to a node."""
        for source in sources:
            label = f"|{_quoted(source.label)}|" if source.label else ""
            self._write(f"{source.node} -->{label} {target}")

    def open_group(self, label: str) -> None:
        """What follows stands in a box."""
        self._write(f"subgraph g{self._count} [{_quoted(label)}]")
        self._count += 1
        self._depth += 1

    def close_group(self) -> None:
        """The box ends."""
        self._depth -= 1
        self._write("end")

    def __str__(self) -> str:
        """The flowchart as text."""
        return "\n".join(self._lines) + "\n"

    def _write(self, line: str) -> None:
        self._lines.append("  " * self._depth + line)


_CODES = str.maketrans({"#": "#35;", '"': "#quot;", "&": "#amp;", "<": "#lt;", ">": "#gt;", "`": "#96;"})
"""Mermaid's own entity codes for what means something to it, or to the HTML it writes."""


def _quoted(label: str) -> str:
    """A label that Mermaid takes as text, whatever it holds."""
    return f'"{label.translate(_CODES)}"'
