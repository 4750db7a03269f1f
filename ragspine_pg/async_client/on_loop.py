"""Progress of a call whose flow runs in a thread, told on the event loop, where its caller lives."""

import asyncio
from concurrent.futures import Future

from ragspine_pg.contract.ingest import Progress
from ragspine_pg.ingest.progress import OnProgress


def on_loop(progress: OnProgress | None) -> OnProgress | None:
    """``progress``, called on the running loop; what it raises is raised in the thread, and ends the call."""
    if not callable(progress):
        return progress  # None; anything else is refused where every progress is
    loop = asyncio.get_running_loop()

    def tell(said: Progress) -> None:
        heard: Future[None] = Future()

        def call() -> None:
            try:
                progress(said)
            except BaseException as error:  # noqa: BLE001 - it is not ours to judge
                heard.set_exception(error)
            else:
                heard.set_result(None)

        loop.call_soon_threadsafe(call)
        heard.result()

    return tell
