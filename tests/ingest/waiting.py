"""A call in another thread that has to wait for ours."""

import threading
from collections.abc import Callable


class Waiting(threading.Thread):
    """Something that has to wait for us; ``failure`` is what it raised."""

    def __init__(self, act: Callable[[], object]) -> None:
        super().__init__()
        self._act = act
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            self._act()
        except BaseException as error:  # noqa: BLE001 - told by ends()
            self.failure = error

    def waits(self) -> None:
        """Start it, and see that it does not come to its end."""
        self.start()
        self.join(0.7)
        assert self.is_alive(), "it did not wait"

    def ends(self) -> None:
        self.join(60)
        assert not self.is_alive()
        if self.failure is not None:
            raise self.failure
