"""Whether a pooled connection must be asked if it still lives, before it is given out.

Asking always costs every search a round trip more. A server that stopped, or that ended the connection, has said so:
its last words, or the end of the stream, wait in the socket, and looking there costs a microsecond. A host that
vanished, or a firewall that forgot the connection, says nothing; but hardly within a second of the last answer.
"""

import select
import time
from typing import Any, Final

import psycopg

TRUSTED_SECONDS: Final = 1.0
"""For so long after its last use a connection whose socket is silent is taken to live."""


class PooledConnection(psycopg.Connection[Any]):
    """A connection of our pool; ``used_at`` is when it was made or last given back, on the monotonic clock."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.used_at = time.monotonic()


class AsyncPooledConnection(psycopg.AsyncConnection[Any]):
    """``PooledConnection``, awaited."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.used_at = time.monotonic()


def must_be_asked(connection: PooledConnection | AsyncPooledConnection) -> bool:
    """Whether it was idle for too long to be trusted, or something unasked for waits in its socket.

    Raises the driver's error for a connection that is closed already.
    """
    if time.monotonic() - connection.used_at > TRUSTED_SECONDS:
        return True
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))
