"""What was seen, so that a run that saw nothing is no success."""

import threading
from collections import Counter


class Seen:
    """Counts, of all readers together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.hits: Counter[str] = Counter()
        """Searches that had hits, by door."""
        self.snapshots = 0
        self.overlapped = 0
        """Snapshots during whose searches somebody's write came to its end."""
        self.audits = 0

    def searched(self, door: str, hits: int) -> None:
        """A search was compared."""
        with self._lock:
            self.hits[door] += hits > 0

    def snapshot(self, *, overlapped: bool) -> None:
        """A snapshot was left."""
        with self._lock:
            self.snapshots += 1
            self.overlapped += overlapped

    def audited(self) -> None:
        """An audit found nothing."""
        with self._lock:
            self.audits += 1
