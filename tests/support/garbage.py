"""What code leaves to the garbage collector."""

import gc
from collections.abc import Awaitable, Callable


async def left_to_the_collector(run: Callable[[], Awaitable[object]]) -> int:
    """How many objects one more run leaves behind that only the collector frees."""
    await run()
    gc.collect()
    gc.disable()
    try:
        await run()
        return gc.collect()
    finally:
        gc.enable()
