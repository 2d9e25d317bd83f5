"""A switch: code decides which step runs, by an enum member. All members are covered, or it cannot be built."""

from collections.abc import Callable, Mapping
from enum import Enum, EnumMeta
from functools import reduce
from typing import Any, Generic, TypeVar, Union

from batuta.kernel.errors import PipelineTypeError
from batuta.pipelines.bounds import NOTHING, Bounds
from batuta.pipelines.context import Context
from batuta.pipelines.drawing import Drawing, Exit
from batuta.pipelines.step import Step
from batuta.pipelines.typecheck import fits, type_name

E = TypeVar("E", bound=Enum)
In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)


class SwitchStep(Step[In_contra, Out_co], Generic[E, In_contra, Out_co]):
    """Routes on an enum member: the input itself, the `option` of an `Intention`, or what `on` reads off it."""

    shape = "choice"

    def __init__(
        self,
        options: type[E],
        cases: Mapping[E, Step[In_contra, Out_co]],
        *,
        default: Step[In_contra, Out_co] | None = None,
        on: Callable[[In_contra], E] | None = None,
        name: str = "switch",
    ) -> None:
        _check_coverage(name, options, cases, default)
        self._cases: dict[E, Step[Any, Any]] = dict(cases)
        self._default = default
        self._options = options
        targets = self.children()
        super().__init__(
            name,
            input_type=_common_input(name, targets),
            output_type=_united([target.output_type for target in targets]),
        )
        self._on: Callable[[Any], Any] = on or _reader(name, options, self.input_type)

    async def _perform(self, value: In_contra, ctx: Context) -> Out_co:
        member = self._on(value)
        target = self._cases.get(member, self._default) if isinstance(member, self._options) else None
        if target is None:
            raise PipelineTypeError(f"{self.name}: {member!r} is no member of {self._options.__name__}")
        ctx.note(option=member.name, route=target.name)
        return await ctx.invoke(target, value)

    def bounds(self) -> Bounds:
        """Itself, and the worst of its cases."""
        worst = reduce(Bounds.or_else, (target.bounds() for target in self.children()), NOTHING)
        return Bounds(executions=1).then(worst.below(self.name))

    def children(self) -> tuple[Step[Any, Any], ...]:
        """The steps it may choose."""
        targets = [*self._cases.values(), *([self._default] if self._default is not None else [])]
        return tuple(dict.fromkeys(targets))

    def _draw(self, drawing: Drawing, entries: list[Exit]) -> list[Exit]:
        node = drawing.node(self.name, self.shape)
        drawing.arrows(entries, node)
        exits: list[Exit] = []
        for member, target in self._cases.items():
            exits += target._draw(drawing, [Exit(node, member.name)])
        if self._default is not None:
            exits += self._default._draw(drawing, [Exit(node, "otherwise")])
        return exits


def _check_coverage(name: str, options: Any, cases: Mapping[Any, Any], default: object) -> None:
    members: list[Enum] = list(options) if isinstance(options, EnumMeta) else []
    if not members:
        raise PipelineTypeError(f"{name}: a switch needs an enum with members, got {options!r}")
    for key, target in cases.items():
        if not isinstance(key, options):
            raise PipelineTypeError(f"{name}: {key!r} is no member of {options.__name__}")
        if not isinstance(target, Step):
            raise PipelineTypeError(f"{name}: the case {key.name} is no step but {target!r}")
    if default is not None and not isinstance(default, Step):
        raise PipelineTypeError(f"{name}: the default is no step but {default!r}")
    missing = [member.name for member in members if member not in cases]
    if missing and default is None:
        raise PipelineTypeError(
            f"{name}: no case for {', '.join(missing)} of {options.__name__}; add it, or give a default"
        )


def _common_input(name: str, targets: tuple[Step[Any, Any], ...]) -> Any:
    """The type that every case takes: the narrowest of theirs that fits all."""
    for candidate in (target.input_type for target in targets):
        if all(fits(candidate, target.input_type) for target in targets):
            return candidate
    takes = ", ".join(f"{target.name} takes {type_name(target.input_type)}" for target in targets)
    raise PipelineTypeError(f"{name}: its cases do not take the same input: {takes}")


def _united(types: list[Any]) -> Any:
    return Any if Any in types else Union[tuple(types)]  # noqa: UP007 - built at run time


def _reader(name: str, options: type[Enum], input_type: Any) -> Callable[[Any], Any]:
    """How the member is read off the input when nothing was said."""
    if fits(input_type, options) and input_type is not Any:
        return lambda value: value
    if "option" in getattr(input_type, "model_fields", {}) or input_type is Any:
        return lambda value: getattr(value, "option", value)
    raise PipelineTypeError(
        f"{name}: cannot read a member of {options.__name__} off {type_name(input_type)}; say how with `on`"
    )
