"""The socket's side of a plan: write, wait, cut, reset. Nothing is decided here."""

import asyncio
import socket
import struct
from collections.abc import Callable

from aiohttp import web

from batuta.simulator.plans import Cut, DeliveryPlan, Reset, Send, Wait

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


async def deliver(plan: DeliveryPlan, request: web.Request, sent: Callable[[Send], None]) -> web.StreamResponse:
    """Play a plan to the client; ``sent`` is called for every write that went out.

    Raises:
        ConnectionResetError: the client left.
    """
    response = _response(plan)
    for step in plan.steps:
        match step:
            case Wait():
                await asyncio.sleep(step.seconds)
            case Send():
                await _send(step, response, request)
                sent(step)
            case Cut():
                _close(request)
            case Reset():
                _reset(request)
    return response


def _response(plan: DeliveryPlan) -> web.StreamResponse:
    headers = {"content-type": plan.content_type, **plan.headers}
    if plan.is_stream:
        headers["cache-control"] = "no-cache"
    response = web.StreamResponse(status=plan.status, headers=headers)
    if plan.length is None:
        response.enable_chunked_encoding()
    else:
        response.content_length = plan.length
    return response


async def _send(step: Send, response: web.StreamResponse, request: web.Request) -> None:
    if not response.prepared:
        await response.prepare(request)
    await response.write(step.data)


def _close(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.close()


def _reset(request: web.Request) -> None:
    if request.transport is None:
        return
    connection: socket.socket = request.transport.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    request.transport.abort()
