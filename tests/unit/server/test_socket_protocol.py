"""A connection is shut down without complaint in whatever state its client left it."""

from unittest.mock import Mock

import pytest
from websockets.protocol import State
from websockets.server import ServerProtocol

from batuta.server.http.protocols import SocketProtocol


@pytest.mark.parametrize("state", [State.OPEN, State.CLOSING, State.CLOSED])
def test_it_is_closed_in_every_state(state: State) -> None:
    protocol = SocketProtocol.__new__(SocketProtocol)
    protocol.transport = Mock()
    protocol.queue = Mock()
    protocol.conn = ServerProtocol()
    protocol.conn.state = state
    protocol.handshake_complete, protocol.close_sent = True, False
    protocol.stop_keepalive = Mock()  # type: ignore[method-assign]
    protocol.shutdown()
    protocol.transport.close.assert_called_once_with()
    assert protocol.transport.write.called is (state is State.OPEN)
