"""Whether Chinese, Japanese and Italian are found as well as with a real segmenter or stemmer of the language.

Of each judged collection: nDCG@10 and R@10 of ours, each document a chunk, by the analyzer of its language; beside
bm25s over what jieba (``cut_for_search``), janome (base forms, without symbols) or Snowball (PyStemmer, without stop
words) make of the same documents and queries. Both measure the usual length. A paired bootstrap says whether the
difference is one: the script fails where ours is significantly below.

And in a mixed library, all these documents in one: ``multilingual``, and a list that analyses each document by its
language (``cjk,italian``), against each language's own over the same documents.
"""

import argparse
import json
import os
import platform
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import bm25s
import psycopg

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))  # a script's own folder is on it, and this one is not

from benchmarks.database import database  # noqa: E402
from benchmarks.lexical.contest.paired import Interval, bootstrap  # noqa: E402
from benchmarks.quality.judged import datasets  # noqa: E402
from ragspine_pg import Access, Document, RagSpine  # noqa: E402
from ragspine_pg.connect.embedded import EmbeddedServer  # noqa: E402
from ragspine_pg.evaluation.dataset import Case, Dataset, load_dataset  # noqa: E402
from ragspine_pg.evaluation.measures import measure  # noqa: E402

TENANT, READER, K = "bench", Access("bench", {"user:ann"}), 10
SHOWN = ("nDCG@10", "R@10")
SEARCH = "SELECT document_id FROM ragspine.search_lexical(%s, %s, %s) ORDER BY rank"
MULTILINGUAL = "multilingual"

Tokenizer = Callable[[str], list[str]]
Values = Mapping[str, Mapping[str, float]]
"""Of each query, the value of each measure."""


def main() -> None:
    """Run it, print the tables, and write ``results/languages.json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", type=Path, help="folder of the collections")
    parser.add_argument("--only", nargs="+", choices=[item.name for item in COLLECTIONS], help="some of them")
    parser.add_argument("--queries", type=int, default=1000, help="of each collection, drawn; 0 takes all")
    parser.add_argument("--losses", type=int, default=0, help="print so many queries that ours loses most by, of each")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks/results/languages.json")
    options = parser.parse_args()
    folder = datasets(options.datasets)
    if folder is None:
        print("no judged collections here: name their folder by --datasets or RAGSPINE_DATASETS")
        return
    chosen = [item for item in COLLECTIONS if not options.only or item.name in options.only]
    sets = {item: drawn(load_dataset(folder / item.name), options.queries) for item in chosen}
    with tempfile.TemporaryDirectory(prefix="ragspine-bench-") as home:
        Path(home).chmod(0o711)  # the server of root runs under another account
        with EmbeddedServer.open(Path(home) / "home") as server, database(server, "languages") as spine:
            desk = Desk(server, spine)
            print(f"{' / '.join(SHOWN):22}{'queries':>8}{'ours':>18}{'bm25s':>18}   ours less bm25s, and 95 %")
            apart = {item.name: side_by_side(desk, item, of, options.losses) for item, of in sets.items()}
            mixed = in_one_library(desk, sets)
            desk.close()
    below = [
        f"{what} {name}, {of}"
        for what, cells in (("", apart), ("mixed", mixed))
        for name, cell in cells.items()
        for of, interval in cell["differences"].items()
        if interval["high"] < 0
    ]
    result = {
        "benchmark": "lexical/languages",
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": {"system": platform.platform(), "cpus": os.cpu_count(), "load": os.getloadavg()},
        "python": platform.python_version(),
        "collections": apart,
        "mixed": mixed,
        "below": below,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"\nwritten to {options.output}")
    if below:
        sys.exit(f"significantly below: {'; '.join(below)}")


@dataclass(frozen=True)
class Collection:
    """A judged set: the analyzer of its language, and the peer's tokens."""

    name: str
    analyzer: str
    tokenizer: Tokenizer


def chinese(text: str) -> list[str]:
    """Words by jieba, and the words inside long ones."""
    return [word for word in _jieba().cut_for_search(text.lower()) if _WORD.search(word)]


def japanese(text: str) -> list[str]:
    """Base forms by janome."""
    found = []
    for token in _janome().tokenize(text.lower()):
        word = token.surface if token.base_form == "*" else token.base_form
        if _WORD.search(word) and not token.part_of_speech.startswith("記号"):
            found.append(word)
    return found


def italian(text: str) -> list[str]:
    """Snowball's stems, without its stop words."""
    from bm25s.stopwords import STOPWORDS_ITALIAN

    words = [word for word in _WORD.findall(text.lower()) if word not in STOPWORDS_ITALIAN]
    stems: list[str] = _snowball().stemWords(words)
    return stems


_WORD = re.compile(r"\w+")


@cache
def _jieba() -> Any:
    import logging

    import jieba

    jieba.setLogLevel(logging.WARNING)
    return jieba


@cache
def _janome() -> Any:
    from janome.tokenizer import Tokenizer as Janome

    return Janome()


@cache
def _snowball() -> Any:
    import Stemmer

    return Stemmer.Stemmer("italian")


COLLECTIONS = [
    Collection("cmrc2018-zh", "cjk", chinese),
    Collection("xquad-zh", "cjk", chinese),
    Collection("jsquad-ja", "cjk", japanese),
    Collection("libreoffice-help-ja", "cjk", japanese),
    Collection("squad-it", "italian", italian),
    Collection("libreoffice-help-it", "italian", italian),
    Collection("debian-packages-it", "italian", italian),
]


def drawn(dataset: Dataset, number: int) -> Dataset:
    """With that many of its queries, or all."""
    if not number or number >= len(dataset.cases):
        return dataset
    return replace(dataset, cases=tuple(random.Random(7).sample(dataset.cases, number)))


class Desk:
    """A facade, and a connection that saves a login for every question."""

    def __init__(self, server: EmbeddedServer, spine: RagSpine) -> None:
        self._spine = spine
        self._reader = psycopg.connect(server.url("reader", "languages"))

    def close(self) -> None:
        """Close the connection."""
        self._reader.close()

    def ingest(self, name: str, analyzer: str, documents: Iterable[Document]) -> None:
        """Into a library of that name."""
        library = self._spine.create_library(
            TENANT, name, analyzer=analyzer, chunker="whole", profile={"pivot": "measured"}
        )
        library.ingest(documents)

    def search(self, name: str, cases: Sequence[Case]) -> dict[str, list[str]]:
        """The ids of the first documents, of each query."""
        with self._reader.transaction():
            self._reader.execute("SELECT ragspine.assume(%s)", [self._spine.grant(READER, seconds=86_400)])
            return {
                case.query_id: [id for (id,) in self._reader.execute(SEARCH, [case.text, K, [name]], prepare=True)]
                for case in cases
            }


class Peer:
    """bm25s over the tokens of documents."""

    def __init__(self, documents: Iterable[Document], tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        held = [(document.id, tokenizer(f"{document.title}\n{document.text}")) for document in documents]
        self._ids = [id for id, _ in held]
        self._model = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        self._model.index([tokens for _, tokens in held], show_progress=False)

    def search(self, cases: Sequence[Case]) -> dict[str, list[str]]:
        """The ids of the first documents that hold a word, of each query."""
        found: dict[str, list[str]] = {}
        for case in cases:
            tokens = [token for token in self._tokenizer(case.text) if token in self._model.vocab_dict]
            found[case.query_id] = []
            if tokens:
                ranked = self._model.retrieve([tokens], k=min(K, len(self._ids)), show_progress=False, n_threads=0)
                pairs = zip(ranked.documents[0], ranked.scores[0], strict=True)
                found[case.query_id] = [self._ids[at] for at, score in pairs if score > 0]
        return found


def side_by_side(desk: Desk, item: Collection, dataset: Dataset, losses: int) -> dict[str, Any]:
    """A line of the first table."""
    desk.ingest(item.name, item.analyzer, dataset.documents())
    ours = measure(dataset.cases, desk.search(item.name, dataset.cases))
    peer = measure(dataset.cases, Peer(dataset.documents(), item.tokenizer).search(dataset.cases))
    found = compared(ours, peer)
    line(item.name, len(dataset.cases), [ours, peer], found)
    by_loss = sorted(dataset.cases, key=lambda case: ours[case.query_id][SHOWN[0]] - peer[case.query_id][SHOWN[0]])
    for case in by_loss[:losses]:
        values = (f"{of[case.query_id][SHOWN[0]]:.2f}" for of in (ours, peer))
        print(f"    {' against '.join(values)}: {case.text} -> {', '.join(case.grades)}")
    return _told(dataset, {"ours": ours, "bm25s": peer}, found)


def in_one_library(desk: Desk, sets: Mapping[Collection, Dataset]) -> dict[str, Any]:
    """The second table."""
    documents = [
        replace(document, id=f"{item.name}/{document.id}", language=item.name.rpartition("-")[2])
        for item, dataset in sets.items()
        for document in dataset.documents()
    ]
    own = sorted({item.analyzer for item in sets})
    by_language = ",".join(own)
    for analyzer in {*own, MULTILINGUAL, by_language}:
        desk.ingest(f"all, {analyzer}", analyzer, documents)
    found = {}
    for together in dict.fromkeys((MULTILINGUAL, by_language)):
        title = f"mixed, {len(documents):,}"
        print(f"\n{title:22}{'queries':>8}{together:>18}{'own analyzer':>18}   the first less the second")
        found |= {f"{name}, {together}": cell for name, cell in _mixed(desk, sets, together).items()}
    return found


def _mixed(desk: Desk, sets: Mapping[Collection, Dataset], together: str) -> dict[str, Any]:
    found = {}
    for item, dataset in sets.items():
        cases = [
            replace(case, grades={f"{item.name}/{id}": grade for id, grade in case.grades.items()})
            for case in dataset.cases
        ]
        both = [measure(cases, desk.search(name, cases)) for name in (f"all, {together}", f"all, {item.analyzer}")]
        differences = compared(*both)
        line(item.name, len(cases), both, differences)
        found[item.name] = _told(dataset, dict(zip((together, "own analyzer"), both, strict=True)), differences)
    return found


def compared(one: Values, other: Values) -> dict[str, Interval]:
    """Of each measure that is shown, the first less the second."""
    return {name: bootstrap([one[query][name] - other[query][name] for query in one]) for name in SHOWN}


def mean(values: Values, name: str) -> float:
    """Over all queries."""
    return sum(of[name] for of in values.values()) / len(values)


def line(name: str, queries: int, both: Sequence[Values], differences: Mapping[str, Interval]) -> None:
    """Figures side by side."""
    cells = "".join(f"{' / '.join(f'{mean(of, part):.4f}' for part in SHOWN):>18}" for of in both)
    told = "; ".join(
        f"{of.mean:+.4f} ({of.low:+.4f} to {of.high:+.4f}){' !' if of.below else ''}" for of in differences.values()
    )
    print(f"{name:22}{queries:8,}{cells}   {told}", flush=True)


def _told(dataset: Dataset, of: Mapping[str, Values], differences: Mapping[str, Interval]) -> dict[str, Any]:
    return {
        "dataset_version": dataset.version,
        "queries": len(dataset.cases),
        "means": {who: {name: round(mean(values, name), 4) for name in SHOWN} for who, values in of.items()},
        "differences": {name: asdict(interval) for name, interval in differences.items()},
    }


if __name__ == "__main__":
    main()
