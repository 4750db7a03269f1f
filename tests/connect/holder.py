"""A process that holds a share of an embedded server: opens it, says its postmaster's number, and closes at a line.

``python -m tests.connect.holder HOME [close | exit | fork]``
"""

import os
import sys
from pathlib import Path

from ragspine_pg.connect.embedded import EmbeddedServer


def main(home: str, ending: str = "close") -> None:
    server = EmbeddedServer.open(Path(home), durable=False)
    if ending == "fork" and os.fork() == 0:
        server.close()  # the child's, while the parent still holds its share
        os._exit(0)
    if ending == "fork":
        os.wait()
    pid = (server.home / "cluster" / "data" / "postmaster.pid").read_text().split()[0]
    sys.stdout.write(f"{pid}\n")
    sys.stdout.flush()
    sys.stdin.readline()
    if ending != "exit":
        server.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
