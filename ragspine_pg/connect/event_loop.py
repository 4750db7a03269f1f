"""What connections that are awaited ask of their callers: one event loop, and on a lent one a turn each."""

import asyncio
from types import TracebackType
from typing import Any

from ragspine_pg.errors import ConfigurationError


class OneLoop:
    """The event loop of the first call; sockets, pools and locks are bound to it.

    Forks need no care: a loop cannot be used across one, and a child's own loop is another.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    def check(self) -> None:
        """Raise ``ConfigurationError`` in any other loop than that of the first call."""
        running = asyncio.get_running_loop()
        if self._loop is None:
            self._loop = running
        elif self._loop is not running:
            raise ConfigurationError(
                "this was first used in another event loop, and its connections belong to that one: open one for each "
                "loop, inside it"
            )


class TaskLock:
    """Held by one task at a time, which may enter it again inside."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._owner: asyncio.Task[Any] | None = None
        self._depth = 0

    async def __aenter__(self) -> None:
        task = asyncio.current_task()
        if self._owner is None or self._owner is not task:
            await self._lock.acquire()
            self._owner = task
        self._depth += 1

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._owner = None
            self._lock.release()
