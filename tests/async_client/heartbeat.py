"""A task that ticks, and tells how long it ever had to wait."""

import asyncio
import time
from types import TracebackType
from typing import Self

TICK_SECONDS = 0.001


class Heartbeat:
    """``longest`` is in seconds, beyond the tick."""

    def __init__(self) -> None:
        self.longest = 0.0
        self.beats = 0

    async def _beat(self) -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(TICK_SECONDS)
            self.longest = max(self.longest, time.perf_counter() - began - TICK_SECONDS)
            self.beats += 1

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._beat())
        await asyncio.sleep(0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])
