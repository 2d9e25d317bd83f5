"""Steps: typed units of work that compose with `>>`, and `@step`, which makes one of an async function."""

import inspect
import sys
from collections.abc import Callable, Coroutine, Mapping
from copy import copy
from datetime import timedelta
from itertools import pairwise
from types import FrameType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NoReturn, TypeVar, Unpack, get_args, get_origin, overload

from batuta import pipelines
from batuta.kernel.errors import PipelineTypeError
from batuta.pipelines.context import Context, invocation_of
from batuta.pipelines.options import RunOptions
from batuta.pipelines.result import StepResult
from batuta.pipelines.runner import start
from batuta.pipelines.typecheck import arguments_as, fits, type_name
from batuta.resilience.deadlines import seconds_of

if TYPE_CHECKING:
    from batuta.pipelines.bounds import Bounds
    from batuta.pipelines.drawing import Drawing, Exit, Shape

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)
A = TypeVar("A")
B = TypeVar("B")
Next = TypeVar("Next")


class Step(Generic[In_contra, Out_co]):
    """One unit of work with a typed input and output.

    A subclass says what it does in `_perform`, which only the runner calls. Its types come from the class
    (`class Price(Step[Order, PricedOrder])`) or are given to `__init__`.
    """

    shape: "ClassVar[Shape]" = "step"
    is_transparent: ClassVar[bool] = False
    """Whether it only arranges other steps and is not a step of its own in paths and events."""
    is_announced: ClassVar[bool] = True
    """Whether `step.started` and `step.completed` are emitted for it. Not for a step of the runtime that only runs
    another one, whose events say the same; it is reported when it fails by itself.
    """

    name: str
    input_type: Any
    output_type: Any
    timeout: timedelta | None
    kind: str

    def __init__(
        self,
        name: str | None = None,
        *,
        input_type: Any = None,
        output_type: Any = None,
        timeout: timedelta | float | None = None,
    ) -> None:
        declared = arguments_as(type(self), Step) or (Any, Any)
        self.name = _checked_name(type(self).__name__ if name is None else name)
        self.kind = type(self).__name__
        self.input_type = declared[0] if input_type is None else input_type
        self.output_type = declared[1] if output_type is None else output_type
        self.timeout = None if timeout is None else _checked_timeout(self.name, timeout)

    async def _perform(self, value: In_contra, ctx: Context) -> Out_co:
        """Do the work. Only the runner calls this."""
        raise NotImplementedError(f"{self.name}: a step says what it does in `_perform`")

    async def run(self, value: In_contra, **options: Unpack[RunOptions]) -> StepResult[Out_co]:
        """Run it; inside a running step it joins that run. Errors are values; only cancellation escapes."""
        return await start(self, value, options)

    def __rshift__(self, other: "Step[Out_co, Next]") -> "Step[In_contra, Next]":
        """This step, then another that takes what this one gives."""
        if not isinstance(other, Step):
            raise PipelineTypeError(
                f"{self.name} >> {other!r}: only steps compose; make a step of an async function with @step"
            )
        return Chain((*self._links(), *other._links()))

    def named(self, name: str) -> "Step[In_contra, Out_co]":
        """The same step under another name, so that it can stand twice in a pipeline."""
        twin = copy(self)
        twin.name = _checked_name(name)
        return twin

    def draw(self) -> str:
        """A Mermaid flowchart of the typed graph."""
        drawing = pipelines.Drawing()
        entry = pipelines.Exit(drawing.node(type_name(self.input_type), "end"))
        exits = self._draw(drawing, [entry])
        drawing.arrows(exits, drawing.node(type_name(self.output_type), "end"))
        return str(drawing)

    def bounds(self) -> "Bounds":
        """The worst case, before anything runs."""
        return pipelines.one_execution(self.name, self.timeout)

    def children(self) -> "tuple[Step[Any, Any], ...]":
        """The steps this one may have run, as far as they are known."""
        return ()

    def _links(self) -> "tuple[Step[Any, Any], ...]":
        return (self,)

    def _draw(self, drawing: "Drawing", entries: "list[Exit]") -> "list[Exit]":
        node = drawing.node(self.name, self.shape)
        drawing.arrows(entries, node)
        return [pipelines.Exit(node, type_name(self.output_type))]

    def __repr__(self) -> str:
        """Name and types."""
        return f"{self.kind}({self.name!r}: {type_name(self.input_type)} -> {type_name(self.output_type)})"


class Chain(Step[In_contra, Out_co]):
    """Steps one after the other: what `>>` builds. It is no step of its own; its links are."""

    is_transparent = True

    def __init__(self, links: "tuple[Step[Any, Any], ...]") -> None:
        for first, second in pairwise(links):
            check_fit(first, second)
        super().__init__(
            " >> ".join(link.name for link in (links[0], links[-1])),
            input_type=links[0].input_type,
            output_type=links[-1].output_type,
        )
        self.links = links

    async def _perform(self, value: In_contra, ctx: Context) -> Out_co:
        current: Any = value
        invocation = invocation_of(ctx)
        for link in self.links:
            current = await invocation.run.invoke(link, current, invocation)
        result: Out_co = current
        return result

    def bounds(self) -> "Bounds":
        """Its links, one after the other."""
        return pipelines.in_turn(link.bounds() for link in self.links)

    def children(self) -> "tuple[Step[Any, Any], ...]":
        """Its links."""
        return self.links

    def _links(self) -> "tuple[Step[Any, Any], ...]":
        return self.links

    def _draw(self, drawing: "Drawing", entries: "list[Exit]") -> "list[Exit]":
        for link in self.links:
            entries = link._draw(drawing, entries)
        return entries


class FunctionStep(Step[In_contra, Out_co]):
    """An async function as a step: what `@step` builds."""

    def __init__(
        self,
        function: Callable[..., Coroutine[Any, Any, Any]],
        signature: "Signature",
        *,
        name: str | None = None,
        timeout: timedelta | float | None = None,
        invokes: "Mapping[Step[Any, Any], int] | None" = None,
    ) -> None:
        super().__init__(
            name or name_of(function),
            input_type=signature.input_type,
            output_type=signature.output_type,
            timeout=timeout,
        )
        self.__doc__ = function.__doc__
        self._function = function
        self._takes_context = signature.takes_context
        self._invokes = invokes

    async def _perform(self, value: In_contra, ctx: Context) -> Out_co:
        result: Out_co = await (self._function(value, ctx) if self._takes_context else self._function(value))
        return result

    def bounds(self) -> "Bounds":
        """Itself and what it declares to invoke; a function that may invoke anything has no bound."""
        own = pipelines.one_execution(self.name, self.timeout)
        if not self._takes_context:
            return own
        if self._invokes is None:
            return own.then(pipelines.anything(self.name)).within(self.timeout)
        invoked = pipelines.in_turn(pipelines.in_turn([step.bounds()] * count) for step, count in self._invokes.items())
        return own.then(invoked.below(self.name)).within(self.timeout)

    def children(self) -> "tuple[Step[Any, Any], ...]":
        """The steps it declares to invoke."""
        return tuple(self._invokes or ())


class Signature:
    """What `@step` reads off a function."""

    __slots__ = ("input_type", "output_type", "takes_context")

    def __init__(self, input_type: Any, output_type: Any, *, takes_context: bool) -> None:
        self.input_type = type(None) if input_type is None else input_type
        self.output_type = type(None) if output_type is None else output_type
        self.takes_context = takes_context


@overload
def step(function: Callable[[A], Coroutine[Any, Any, StepResult[B]]], /) -> Step[A, B]: ...
@overload
def step(function: Callable[[A, Context], Coroutine[Any, Any, StepResult[B]]], /) -> Step[A, B]: ...
@overload
def step(function: Callable[[A], Coroutine[Any, Any, B]], /) -> Step[A, B]: ...
@overload
def step(function: Callable[[A, Context], Coroutine[Any, Any, B]], /) -> Step[A, B]: ...
@overload
def step(
    *,
    name: str | None = None,
    timeout: timedelta | float | None = None,
    invokes: Mapping[Step[Any, Any], int] | None = None,
) -> "StepDecorator": ...
def step(function: Any = None, /, **options: Any) -> Any:
    """Make a step of `async def f(value: In) -> Out` or `async def f(value: In, ctx: Context) -> Out`.

    Name and types come from the signature. Options: `name`, `timeout` (seconds or timedelta), and for functions that
    have other steps run, `invokes` ({step: how often at most}), which keeps `bounds()` exact.
    """
    if function is None:
        return lambda f: FunctionStep(f, read_signature(f), **options)
    return FunctionStep(function, read_signature(function), **options)


class StepDecorator:
    """What `@step(...)` returns; it exists for type checkers only."""

    @overload
    def __call__(self, function: Callable[[A], Coroutine[Any, Any, StepResult[B]]], /) -> Step[A, B]: ...
    @overload
    def __call__(self, function: Callable[[A, Context], Coroutine[Any, Any, StepResult[B]]], /) -> Step[A, B]: ...
    @overload
    def __call__(self, function: Callable[[A], Coroutine[Any, Any, B]], /) -> Step[A, B]: ...
    @overload
    def __call__(self, function: Callable[[A, Context], Coroutine[Any, Any, B]], /) -> Step[A, B]: ...
    def __call__(self, function: Any, /) -> NoReturn:
        """Never called: `step` returns a plain function with this signature."""
        raise NotImplementedError


def read_signature(function: Any) -> Signature:
    """The types of an async function of one value, and of a context if it asks for one."""
    name = name_of(function)
    if not inspect.iscoroutinefunction(function):
        raise PipelineTypeError(f"{name}: a step is made of an async function; write `async def {name}(...)`")
    parameters = list(inspect.signature(function).parameters.values())
    if not 1 <= len(parameters) <= 2:
        raise PipelineTypeError(f"{name}: a step takes one value, and a Context if it wants one; got {len(parameters)}")
    for odd in (p for p in parameters if p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)):
        raise PipelineTypeError(
            f"{name}: a step is called with its value and Context in order; {str(odd)!r} does not fit"
        )
    hints = _hints(function, name)
    for missing in (p.name for p in parameters if p.name not in hints):
        raise PipelineTypeError(f"{name}: parameter {missing!r} has no type annotation; a step's types are checked")
    if "return" not in hints:
        raise PipelineTypeError(f"{name}: the return type is not annotated; a step's types are checked")
    if len(parameters) == 2 and not fits(Context, hints[parameters[1].name]):
        raise PipelineTypeError(f"{name}: the second parameter of a step is its Context; annotate it as such")
    return Signature(hints[parameters[0].name], _unwrapped(hints["return"]), takes_context=len(parameters) == 2)


def name_of(function: Any) -> str:
    """What a step made of a function is called."""
    return getattr(function, "__name__", None) or type(function).__name__


def check_fit(first: Step[Any, Any], second: Step[Any, Any]) -> None:
    """Raise `PipelineTypeError` unless the second step takes what the first one gives."""
    if not fits(first.output_type, second.input_type):
        raise PipelineTypeError(
            f"{first.name} >> {second.name}: {first.name!r} gives {type_name(first.output_type)}, "
            f"but {second.name!r} takes {type_name(second.input_type)}"
        )


def _hints(function: Any, name: str) -> dict[str, Any]:
    try:
        return inspect.get_annotations(inspect.unwrap(function), eval_str=True, locals=_names_around())
    except Exception as error:
        raise PipelineTypeError(f"{name}: its annotations cannot be read: {error}") from error


def _names_around() -> dict[str, Any]:
    """The caller's local names: an annotation may name it."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the documented way to look at a caller
    while frame is not None and frame.f_globals.get("__name__", "").startswith("batuta."):
        frame = frame.f_back
    return {} if frame is None else dict(frame.f_locals)


def _unwrapped(annotation: Any) -> Any:
    """`StepResult[T]` as a return type means that the step gives T or an error."""
    if annotation is StepResult:
        return Any
    return get_args(annotation)[0] if get_origin(annotation) is StepResult else annotation


def _checked_timeout(name: str, timeout: timedelta | float) -> timedelta:
    seconds = seconds_of(timeout)
    if not 0 < seconds < float("inf"):
        raise PipelineTypeError(f"{name}: a timeout is a number of seconds above zero, or None; got {timeout!r}")
    return timedelta(seconds=seconds)


def _checked_name(name: object) -> str:
    if not isinstance(name, str) or not name.strip() or "/" in name or not name.isprintable():
        raise PipelineTypeError(f"{name!r} cannot name a step: names are printable, not empty, and hold no '/'")
    return name
