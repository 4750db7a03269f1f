"""By how much a process of its own grows over many searches, after it is warm; in KiB."""

import asyncio
from pathlib import Path

from ragspine_pg import Access, AsyncRagSpine, RagSpine

ME = Access("soak", {"user:ann"})
WARM = 1_000


def blocking(url: str, grant_key: str, searches: int) -> int:
    """By the blocking client."""
    with RagSpine.open(url, grant_key=grant_key) as spine:
        for number in range(WARM):
            assert spine.search(f"return number {number % 100}", access=ME).hits
        warm = _peak()
        for number in range(searches):
            assert spine.search(f"return number {number % 100}", access=ME).hits
        return _peak() - warm


def awaited(url: str, grant_key: str, searches: int) -> int:
    """By the awaited client, ten at a time."""

    async def body() -> int:
        async with await AsyncRagSpine.open(url, grant_key=grant_key) as spine:

            async def search(number: int) -> None:
                assert (await spine.search(f"return number {number % 100}", access=ME)).hits

            async def many(count: int) -> None:
                for first in range(0, count, 10):
                    await asyncio.gather(*(search(first + number) for number in range(10)))

            await many(WARM)
            warm = _peak()
            await many(searches)
            return _peak() - warm

    return asyncio.run(body())


def keeping(url: str, grant_key: str, searches: int) -> int:
    """By a client that forgets no result."""
    with RagSpine.open(url, grant_key=grant_key) as spine:
        kept = [spine.search("return number 7", access=ME) for _ in range(WARM)]
        warm = _peak()
        kept += [spine.search("return number 7", access=ME) for _ in range(searches)]
        assert len(kept) == WARM + searches
        return _peak() - warm


def _peak() -> int:
    # Not getrusage: its peak is that of the process which started this one, where that was larger.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0])
