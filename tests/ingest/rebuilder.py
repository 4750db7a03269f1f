"""Run as a program: rebuilds and publishes a library and prints how far it is, to be killed in the middle."""

import sys

import psycopg

from ragspine_pg import Ingestor
from ragspine_pg.contract.ingest import Progress
from ragspine_pg.ingest import catch_up, discard

SIZE = 150


def main() -> None:
    url, tenant, library = sys.argv[1:]
    catch_up.EMBEDDED_BATCH = (10, 100_000)
    discard.SLICE = 10

    def tell(stage: str) -> None:
        sys.stdout.write(f"{stage}\n")
        sys.stdout.flush()

    def progress(said: Progress) -> None:
        tell(f"{said.stage} {said.done}")

    with psycopg.connect(url, autocommit=True) as connection, Ingestor.open(connection) as ingestor:
        tell("begin")
        report = ingestor.rebuild(tenant, library, chunker_options={"size": SIZE}, progress=progress)
        tell("publish")
        ingestor.publish(tenant, library, report.version, progress=progress)
    tell("done")


if __name__ == "__main__":
    main()
