"""Judged collections: a folder of documents, queries and grades, with a version that is its content."""

import gzip
import hashlib
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from ragspine_pg.contract.document import Document
from ragspine_pg.errors import ConfigurationError, InvalidDocument, SourceRefused
from ragspine_pg.ingest.loader.jsonl import load_jsonl


@dataclass(frozen=True, slots=True)
class Case:
    """A query and the grades of judged documents, by document id; a grade above 0 means relevant."""

    query_id: str
    text: str
    grades: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Dataset:
    """A judged collection. ``name`` is its folder's; ``cases`` are the queries with a relevant document, in file order.

    ``version`` is a SHA-256 over the unpacked bytes of corpus, queries and grades: packing a file anew does not change
    it, everything else does, the order of the queries included.
    """

    name: str
    version: str
    cases: tuple[Case, ...]
    corpus: Path

    def documents(self) -> Iterator[Document]:
        """The collection's documents in file order, read as they are asked for; all are open to every member.

        Raises ``InvalidDocument`` naming file and line.
        """
        for document in _lines(self.corpus):
            # Its rights are not looked at: what a judged set measures is everything in it.
            yield Document(document.id, document.text, title=document.title, metadata=document.metadata)


_HEADER = ["query-id", "corpus-id", "score"]
"""The first line of BEIR's files; ours may have none."""


def load_dataset(path: str | os.PathLike[str]) -> Dataset:
    """Read a folder that holds ``corpus.jsonl``, ``queries.jsonl`` (each perhaps ``.gz``) and ``qrels.tsv``.

    A line of ``qrels.tsv`` is query id, document id and grade, separated by tabs. Queries without a relevant document
    are left out: no measure says anything about them.

    Raises ``ConfigurationError`` for a missing file, a malformed or contradictory grade, a query twice, or when nothing
    is left; ``InvalidDocument`` for a malformed query line.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise ConfigurationError(f"{folder} is no folder with corpus.jsonl, queries.jsonl and qrels.tsv")
    corpus, queries = (_find(folder, name) for name in ("corpus.jsonl", "queries.jsonl"))
    qrels = folder / "qrels.tsv"
    if not qrels.is_file():
        raise ConfigurationError(f"{folder} has no qrels.tsv")
    grades = _read_grades(qrels)
    cases: dict[str, Case] = {}
    for query in _lines(queries):
        if query.id in cases:
            raise ConfigurationError(f"{queries.name} has a query id twice", query=query.id)
        cases[query.id] = Case(query.id, query.text, grades.get(query.id, {}))
    judged = tuple(case for case in cases.values() if any(grade > 0 for grade in case.grades.values()))
    if not judged:
        raise ConfigurationError(f"no query of {folder} has a relevant document in qrels.tsv")
    return Dataset(folder.resolve().name, _version(corpus, queries, qrels), judged, corpus)


def _find(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    raise ConfigurationError(f"{folder} has neither {name} nor {name}.gz")


@contextmanager
def _unpacked(path: Path) -> Iterator[BinaryIO]:
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        yield cast(BinaryIO, file)


def _lines(path: Path) -> Iterator[Document]:
    with _unpacked(path) as file:
        yield from load_jsonl(path.name, file)


def _read_grades(path: Path) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InvalidDocument(f"{path.name} is not valid UTF-8 at byte {error.start}", offset=error.start) from None
    for number, line in enumerate(lines, start=1):
        if not line.strip() or (number == 1 and line.split("\t") == _HEADER):
            continue
        match line.split("\t"):
            case [query_id, document_id, written] if written.strip().lstrip("-").isascii() and (
                written.strip().lstrip("-").isdigit()
            ):
                of_query, grade = grades.setdefault(query_id, {}), int(written)
            case _:
                raise ConfigurationError(f"line {number} of {path.name}: not query id, document id, whole-number grade")
        if of_query.setdefault(document_id, grade) != grade:
            raise ConfigurationError(f"line {number} of {path.name}: this pair has another grade in an earlier line")
    return grades


def _version(*paths: Path) -> str:
    whole = hashlib.sha256()
    for path in paths:
        try:
            with _unpacked(path) as file:
                # The digest of each file, so that moving a line from one to the next is another content.
                whole.update(_digest(file))
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise SourceRefused(f"{path.name} is a damaged .gz file", source=path.name) from None
    return whole.hexdigest()


def _digest(file: BinaryIO) -> bytes:
    digest = hashlib.sha256()
    while block := file.read(1 << 20):
        digest.update(block)
    return digest.digest()
