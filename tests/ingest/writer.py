"""Run as a program: ingests generated documents and prints every stage, to be killed in the middle."""

import sys

import psycopg

from ragspine_pg.contract.document import Document
from ragspine_pg.contract.ingest import Progress
from ragspine_pg.flow.driver import run
from ragspine_pg.ingest import pipeline


def documents(edition: str, number: int) -> list[Document]:
    """Documents d0, d1, ... of an edition; a third of them is the same in every edition."""
    return [
        Document(
            f"d{key}",
            f"Foxes and owls of edition {edition if key % 3 else 'any'} meet at night. " * 12,
            readers={f"group:{key % 5}"} if key % 2 else None,
        )
        for key in range(number)
    ]


def main() -> None:
    url, tenant, library, edition, number = sys.argv[1:]

    def tell(progress: Progress) -> None:
        sys.stdout.write(f"{progress.stage}\n")
        sys.stdout.flush()

    with psycopg.connect(url) as connection:
        run(pipeline.ingest(tenant, library, documents(edition, int(number)), progress=tell), connection)
    sys.stdout.write("committed\n")


if __name__ == "__main__":
    main()
