# ruff: noqa: SLF001 - an event loop works with asyncio's own handles
"""An event loop that a seed drives: virtual time, several processes, and an outside world that fails.

    loop = SimulatedLoop(seed=7)
    worker = loop.process("worker")
    worker.start(work())
    loop.run_until_complete(story())
    worker.kill()                       # not one more line of it runs, not even a `finally`

Callbacks of one process keep their order, as asyncio promises; which process goes on is drawn, and so is how long
everything outside takes and how it fails. Time stands still while something can run and then jumps to the next timer.
The same seed gives the same run, callback by callback: `trace` is its digest.
"""

import asyncio
import heapq
import sys
import warnings
import zlib
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context, ContextVar, copy_context
from functools import partial
from itertools import count
from random import Random
from typing import Any, TypeVar, TypeVarTuple, Unpack, cast

from batuta.kernel.errors import StoreUnavailableError
from batuta.testing.simulation.weather import CALM, Weather

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
MOST_STEPS = 2_000_000
MOST_WAITS_AT_CLOSE = 50
_NANOSECONDS = 1_000_000_000


class SimulationStuckError(AssertionError):
    """Everything waits for something that cannot happen, or a simulation goes on for ever."""


class SimulatedProcess:
    """Some tasks that live and die together."""

    def __init__(self, name: str, loop: "SimulatedLoop") -> None:
        self.name = name
        self.label = name.encode()
        self.is_dead = False
        self.ready: deque[asyncio.Handle] = deque()
        self.tasks: list[asyncio.Task[Any]] = []
        self.context = copy_context()
        self.context.run(_PROCESS.set, self)
        self._loop = loop
        self.frozen_until = 0.0

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run something in this process."""
        return self._loop.create_task(work, context=self.context.copy())

    def call(self, delay: float, act: Callable[[], object]) -> None:
        """Have something come in from outside after a while."""
        self._loop.call_later(delay, act, context=self.context)

    def kill(self) -> None:
        """End it as `kill -9` does: nothing of it runs any more. What it has sent may still arrive."""
        self.is_dead = True
        self.ready.clear()
        self._loop.forget(self)

    def freeze(self, seconds: float) -> None:
        """Stop it for a while, as a long garbage collection or a debugger does; time goes on around it."""
        self.frozen_until = self._loop.time() + seconds
        self._loop.call_later(seconds, _nothing, context=Context())

    @property
    def alive_tasks(self) -> list[asyncio.Task[Any]]:
        """Its tasks that have not ended."""
        return [task for task in self.tasks if not task.done()]


_PROCESS: ContextVar[SimulatedProcess] = ContextVar("batuta_simulated_process")


class _NumberedTask(asyncio.Task[T]):
    """A task whose hash is its number: sets of tasks have the same order in every run."""

    def __init__(self, number: int, work: Coroutine[Any, Any, T], **options: Any) -> None:
        self._number = number
        super().__init__(work, **options)

    def __hash__(self) -> int:
        return self._number


class _NumberedFuture(asyncio.Future[Any]):
    def __init__(self, number: int, loop: asyncio.AbstractEventLoop) -> None:
        self._number = number
        super().__init__(loop=loop)

    def __hash__(self) -> int:
        return self._number


class SimulatedLoop(asyncio.BaseEventLoop):
    """Runs all processes of a simulation, one callback at a time."""

    def __init__(self, seed: int, weather: Weather = CALM) -> None:
        super().__init__()
        self.random = Random(seed)  # noqa: S311 - a simulation is to be repeated
        self.weather = weather
        self.trace = 0
        self.complaints: list[str] = []
        """What would have been written to the program's log as lost: exceptions that nothing waits for."""
        self._time = 0.0
        self._numbers = count()
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._processes: list[SimulatedProcess] = []
        self._alive: list[SimulatedProcess] = []
        self._main = self.process("main")

    def process(self, name: str) -> SimulatedProcess:
        """One more process, with nothing in it yet."""
        process = SimulatedProcess(name, self)
        self._processes.append(process)
        self._alive.append(process)
        return process

    def forget(self, process: SimulatedProcess) -> None:
        """Run nothing of a process any more."""
        self._alive.remove(process)

    async def outside(self, act: Callable[[], T], failure: Callable[[str], Exception] | None = None) -> T:
        """Have something done outside the process: after a while, perhaps not at all, and perhaps its answer is lost.

        What was sent arrives, also if its sender dies meanwhile. `failure` makes the error for what does not get
        through; without one everything does.
        """
        caller, answer = self._process_of(copy_context()), self.create_future()
        fate = self.weather.fate(self.random) if failure is not None else "answered"

        def settle(outcome: Callable[[], Any]) -> None:
            if answer.done():
                return  # its caller was cancelled
            try:
                answer.set_result(outcome())
            except Exception as error:
                answer.set_exception(error)

        def arrive() -> None:
            outcome = _outcome_of(act)
            if fate == "unanswered" and failure is not None:
                outcome = partial(_raise, failure("its answer was lost"))
            caller.call(self.weather.latency(self.random), partial(settle, outcome))

        if fate == "unreached" and failure is not None:
            lost = partial(_raise, failure("it was not reached"))
            caller.call(self.weather.latency(self.random), partial(settle, lost))
        else:
            self._main.call(self.weather.latency(self.random), arrive)
        return cast("T", await answer)

    # What asyncio asks of a loop -----------------------------------------------------------------------------------

    def time(self) -> float:
        """Seconds since the beginning of the simulation."""
        return self._time

    def time_ns(self) -> int:
        """The same as a time of day, for ids."""
        return 1_767_225_600 * _NANOSECONDS + int(self._time * _NANOSECONDS)

    def call_soon(
        self, callback: Callable[[Unpack[Ts]], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        """Put a callback behind the others of its process."""
        handle = asyncio.Handle(callback, args, self, context if context is not None else copy_context())
        self._enqueue(handle)
        return handle

    def call_at(
        self, when: float, callback: Callable[[Unpack[Ts]], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Run a callback at a time; of several at the same time the order is drawn."""
        timer = asyncio.TimerHandle(when, callback, args, self, context if context is not None else copy_context())
        heapq.heappush(self._timers, (when, (self.random.getrandbits(20) << 40) | next(self._numbers), timer))
        return timer

    def call_later(
        self, delay: float, callback: Callable[[Unpack[Ts]], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Run a callback after so many seconds."""
        return self.call_at(self._time + max(delay, 0.0), callback, *args, context=context)

    call_soon_threadsafe = call_soon

    def create_future(self) -> asyncio.Future[Any]:
        """A future whose hash is its number."""
        return _NumberedFuture(next(self._numbers), self)

    def create_task(self, coro: Any, *, name: Any = None, context: Context | None = None) -> asyncio.Task[Any]:
        """A task of the process that makes it."""
        task: asyncio.Task[Any] = _NumberedTask(next(self._numbers), coro, loop=self, name=name, context=context)
        self._process_of(context if context is not None else copy_context()).tasks.append(task)
        return task

    def run_in_executor(self, executor: Any, func: Callable[[Unpack[Ts]], T], *args: *Ts) -> asyncio.Future[T]:
        """What threads would do is done outside; a store's own threads fail as stores do."""
        failure = None if executor is None else StoreUnavailableError
        return self.create_task(self.outside(partial(func, *args), failure))

    def run_until_complete(self, future: Any) -> Any:
        """Run everything until this has ended."""
        main = self._main.start(future)
        hooks = sys.get_asyncgen_hooks()
        sys.set_asyncgen_hooks(firstiter=None, finalizer=_nothing)  # those of the dead are left as they are
        asyncio._set_running_loop(self)
        try:
            for _ in range(MOST_STEPS):
                if main.done():
                    return main.result()
                self._step()
        finally:
            asyncio._set_running_loop(None)
            sys.set_asyncgen_hooks(*hooks)
        raise SimulationStuckError(f"no end after {MOST_STEPS} callbacks, at {self._time:.1f} s")

    def close(self) -> None:
        """Let go of what the dead had in hand. Their coroutines are closed here, where nothing listens any more; what
        their `finally` blocks would still say is of no interest.
        """
        super().close()
        hook, sys.unraisablehook = sys.unraisablehook, _nothing
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for process in self._processes:
                    for task in process.alive_tasks:
                        task._log_destroy_pending = False  # type: ignore[attr-defined]
                        _close(task.get_coro())
        finally:
            sys.unraisablehook = hook

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """Keep what asyncio would complain about."""
        self.complaints.append(f"{context.get('message')}: {context.get('exception')!r}")

    def is_running(self) -> bool:
        """Whether it is within `run_until_complete`."""
        return asyncio._get_running_loop() is self

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Cancelled timers are passed over when their time comes."""

    # How it runs ---------------------------------------------------------------------------------------------------

    def _process_of(self, context: Context) -> SimulatedProcess:
        return context.get(_PROCESS, self._main)

    def _enqueue(self, handle: asyncio.Handle) -> None:
        process = self._process_of(handle._context)  # type: ignore[attr-defined]
        if not process.is_dead:
            process.ready.append(handle)

    def _step(self) -> None:
        now = self._time
        runnable = [process for process in self._alive if process.ready and process.frozen_until <= now]
        if not runnable:
            self._jump()
            return
        process = runnable[0] if len(runnable) == 1 else runnable[int(self.random.random() * len(runnable))]
        handle = process.ready.popleft()
        if not handle.cancelled():
            self.trace = zlib.crc32(process.label, self.trace)
            handle._run()

    def _jump(self) -> None:
        """Move time to the next timer; those of the dead never fire."""
        while self._timers:
            when, _, timer = heapq.heappop(self._timers)
            if timer.cancelled() or self._process_of(timer._context).is_dead:  # type: ignore[attr-defined]
                continue
            self._time = max(self._time, when)
            self.trace = zlib.crc32(b"%.6f" % self._time, self.trace)
            self._enqueue(timer)
            return
        raise SimulationStuckError(f"everything waits for something that cannot happen, at {self._time:.1f} s")


def _outcome_of(act: Callable[[], T]) -> Callable[[], T]:
    """What an act returned or raised, to be returned or raised elsewhere."""
    try:
        result = act()
    except Exception as error:
        return partial(_raise, error)
    return lambda: result


def _raise(error: Exception) -> Any:
    raise error


def _close(work: Any) -> None:
    """Close a coroutine, however often it waits for something on its way out."""
    for _ in range(MOST_WAITS_AT_CLOSE):
        try:
            work.close()
        except RuntimeError as error:
            if "GeneratorExit" in str(error):
                continue
        except BaseException:  # noqa: S110 - it is over, and that is all that is wanted of it
            pass
        return


def _nothing(*_: object) -> None:
    pass
