"""A judged collection small enough to know every figure by hand."""

import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

DOCUMENTS: list[dict[str, Any]] = [
    {"id": "pears", "title": "Pears", "text": "Pears ripen off the tree.", "metadata": {"year": 1999, "weight": 0.1}},
    {"_id": "apples", "title": "Apples", "text": "Apples ripen on the tree. Apples keep well."},
    {"id": "cider", "text": "Cider is made of apples, pressed and fermented in a barrel in the cellar of the house."},
    {"id": "quinces", "title": "Quinces", "text": "Quinces are cooked before they are eaten."},
    {"id": "nothing", "title": "", "text": ""},
]
QUERIES = [
    {"id": "q2", "text": "where do pears ripen"},
    {"id": "q1", "text": "apples"},
    {"id": "q0", "text": "apples and quinces"},
    {"id": "unjudged", "text": "plums"},
    {"id": "q3", "text": "plums"},
]
# By BM25: q2 finds pears, then apples; q1 apples, then cider; q0 quinces, apples, cider; q3 nothing.
GRADES = {
    "q0": {"quinces": 1, "cider": 3, "apples": 0},
    "q1": {"cider": 2},
    "q2": {"pears": 1},
    "q3": {"quinces": 1},
    "unjudged": {"pears": 0},
}


def write_dataset(
    folder: Path,
    *,
    documents: Iterable[Mapping[str, Any]] = DOCUMENTS,
    queries: Iterable[Mapping[str, Any]] = QUERIES,
    grades: Mapping[str, Mapping[str, int]] = GRADES,
    packed: bool = False,
) -> Path:
    """Write the three files into ``folder``, which is made; ``packed`` as ``.gz``."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in (("corpus.jsonl", documents), ("queries.jsonl", queries)):
        written = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
        if packed:
            (folder / f"{name}.gz").write_bytes(gzip.compress(written))
        else:
            (folder / name).write_bytes(written)
    rows = [f"{query}\t{document}\t{grade}\n" for query, of in grades.items() for document, grade in of.items()]
    (folder / "qrels.tsv").write_text("".join(rows), encoding="utf-8")
    return folder
