"""Recall and time of a vector search under filters from wide to very narrow, near the query and far from it.

50,000 vectors of 384 dimensions, interpolated between those of a judged collection where there is one (else between
random centres), one to a document, ingested by the facade. Filters pass 100, 10, 1, 0.1 and 0.01 % of the documents: at
random, the nearest ones to the query's neighbourhood, and the farthest. Each query goes, in turns, to

- ``ours``: the facade's search in mode vector, HNSW index built, filter and rights included;
- ``exact``: the same rows ordered by distance in plain SQL, no index, as the owner without rights;
- ``hnsw``: the raw index through the same filter, pgvector's defaults (ef_search 40, no iterative scan), as the owner.

Recall@10 is against numpy on the passing vectors. A search must give min(10, passing) hits.
"""

import argparse
import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from ragspine_pg import (
    Access,
    Distance,
    Document,
    Embedded,
    EmbeddingLimits,
    EmbeddingSpace,
    EmbeddingTask,
    FilterCondition,
    MetadataFilter,
    RagSpine,
    Usage,
)
from ragspine_pg.config import ServiceConfig
from ragspine_pg.contract.embedded import vector_text

ROOT = Path(__file__).resolve().parents[2]
DIMENSIONS = 384
ME = Access("bench", {"user:me"})
SHARES = (1.0, 0.1, 0.01, 0.001, 0.0001)


class GivenModel:
    """Vectors that were made before, looked up by the number that a text is."""

    name = "given"
    options: Mapping[str, Any] = {}
    remote = False
    limits = EmbeddingLimits(items=1000, characters=1_000_000)
    space = EmbeddingSpace("bench", "given", "1", DIMENSIONS, Distance.COSINE, True)

    def __init__(self, vectors: Any, queries: Any) -> None:
        self._vectors, self._queries = vectors, queries

    def embed(self, texts: Sequence[str], task: EmbeddingTask, *, deadline: Any = None) -> Embedded:
        rows = self._queries if task is EmbeddingTask.RETRIEVAL_QUERY else self._vectors
        return Embedded([rows[int(text.split()[-1])].tolist() for text in texts], Usage(len(texts), 0, 1))


def main() -> None:
    """Run the benchmark, print it, and write ``results/selectivity.json``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=int, default=50_000)
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks/results/selectivity.json")
    options = parser.parse_args()
    vectors, queries, source = made(options.vectors, options.queries)
    model = GivenModel(vectors, queries)
    with tempfile.TemporaryDirectory(prefix="ragspine-bench-") as folder:
        Path(folder).chmod(0o711)  # the server of root runs under another account
        config = ServiceConfig.load(home=Path(folder) / "home")
        with RagSpine.open(config=config, embedding_models=[model]) as spine:
            found = measured(spine, model, vectors, queries)
    result = {
        "benchmark": "vector/selectivity",
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": {"system": platform.platform(), "cpus": os.cpu_count(), "load": os.getloadavg()},
        "vectors": len(vectors),
        "source": source,
        **found,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


def made(count: int, queries: int) -> tuple[Any, Any, str]:
    """Normalised vectors and queries, and where they come from."""
    rng = np.random.default_rng(7)
    datasets = Path(os.environ.get("RAGSPINE_DATASETS", ROOT.parent / "shared" / "datasets"))
    given = [np.load(path) for path in sorted(datasets.glob("*/vectors-minilm.npz"))]
    if given:
        base = np.concatenate([one["corpus"] for one in given]).astype(np.float32)
        asked = np.concatenate([one["queries"] for one in given]).astype(np.float32)
        source = "interpolated MiniLM vectors of judged collections"
    else:
        base = rng.normal(size=(5000, DIMENSIONS)).astype(np.float32)
        asked = base[:500] + rng.normal(scale=0.5, size=(500, DIMENSIONS)).astype(np.float32)
        source = "random centres"
    share = rng.uniform(0.5, 1, (count, 1)).astype(np.float32)
    one, two = base[rng.integers(0, len(base), count)], base[rng.integers(0, len(base), count)]
    vectors = one * share + two * (1 - share) + rng.normal(scale=0.01, size=(count, DIMENSIONS)).astype(np.float32)
    chosen = asked[rng.permutation(len(asked))[:queries]]
    return (
        vectors / np.linalg.norm(vectors, axis=1, keepdims=True),
        chosen / np.linalg.norm(chosen, axis=1, keepdims=True),
        source,
    )


def measured(spine: RagSpine, model: GivenModel, vectors: Any, queries: Any) -> dict[str, Any]:
    """Fill a library, then measure each kind and width of filter."""
    rng = np.random.default_rng(8)
    count = len(vectors)
    # Near and far are by the distance to the middle of the queries, so that one field serves all of them.
    middle = queries.mean(axis=0)
    order = np.empty(count, dtype=int)
    order[np.argsort(-(vectors @ middle))] = np.arange(count)
    scattered = rng.permutation(count)
    fields = {"near": order, "random": scattered, "far": count - 1 - order}
    library = spine.create_library(
        "bench", "vectors", embedding=model, analyzer="simple", fields=dict.fromkeys(fields, "number")
    )
    started = time.perf_counter()
    library.ingest(
        Document(f"d{n}", f"vector {n}", metadata={name: int(rank[n]) for name, rank in fields.items()})
        for n in range(count)
    )
    ingested = time.perf_counter() - started
    started = time.perf_counter()
    built = library.optimize().vector_index
    print(f"ingested {count:,} in {ingested:.0f} s, index {built} in {time.perf_counter() - started:.0f} s")
    owner = spine.embedded.owner_url if spine.embedded is not None else ""
    rows = []
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute("SET max_parallel_workers_per_gather = 0")
        connection.execute("VACUUM ANALYZE ragspine.chunk_embedding, ragspine.document")
        for name, rank in fields.items():
            for share in SHARES if name == "random" else SHARES[1:]:
                limit = max(1, round(count * share))
                rows.append(one_filter(spine, connection, name, rank, limit, vectors, queries))
                print(
                    "{filter:>7} {share:8.2%} {passing:6d}  recall {recall:.3f} (hnsw {hnsw_recall:.3f})  "
                    "p50 ms ours {ours:6.1f} [{strategy}]  exact {exact:6.1f}  hnsw {hnsw:6.1f}".format(**rows[-1])
                )
    return {"ingest_seconds": round(ingested, 1), "rows": rows}


def one_filter(
    spine: RagSpine, connection: Any, name: str, rank: Any, limit: int, vectors: Any, queries: Any
) -> dict[str, Any]:
    """All queries under one filter, the contestants in turns."""
    passing = np.flatnonzero(rank < limit)
    wide = limit == len(rank)
    narrow = None if wide else MetadataFilter([FilterCondition(name, "lt", limit)])
    inner = f"SELECT document_no FROM ragspine.document WHERE (metadata->>'{name}')::int < {limit}"
    where = "" if wide else f"AND x.document_no IN ({inner})"
    statement = """
        SELECT d.document_id FROM (
          SELECT x.document_no, x.tenant_no FROM ragspine.chunk_embedding AS x
           WHERE x.version_no = 1 {where} ORDER BY {order} LIMIT 10) AS x
          JOIN ragspine.document AS d USING (tenant_no, document_no)"""
    exact = statement.format(where=where, order="(x.embedding <=> %s::vector) + 0")
    raw = statement.format(where=where, order=f"x.embedding::vector({DIMENSIONS}) <=> %s::vector({DIMENSIONS})")
    times: dict[str, list[float]] = {"ours": [], "exact": [], "hnsw": []}
    hit = raw_hit = 0
    wanted = min(10, len(passing))
    strategy = ""
    for number, query in enumerate(queries):
        best = passing[np.argsort(-(vectors[passing] @ query), kind="stable")[:wanted]]
        truth = {f"d{n}" for n in best}
        text = vector_text(query.tolist())
        for contestant in times:
            started = time.perf_counter()
            if contestant == "ours":
                result = spine.search(f"query {number}", access=ME, mode="vector", metadata_filter=narrow)
                found = {found.document_id for found in result.hits}
            else:
                found = {row[0] for row in connection.execute(exact if contestant == "exact" else raw, [text])}
            times[contestant].append(time.perf_counter() - started)
            if contestant == "ours":
                if len(found) != wanted:
                    raise SystemExit(f"{len(found)} hits instead of {wanted}")
                hit += len(found & truth)
            elif contestant == "hnsw":
                raw_hit += len(found & truth)
    trace = spine.search("query 0", access=ME, mode="vector", metadata_filter=narrow, explain=True).trace or {}
    strategy = trace["libraries"]["vectors"]["strategy"]["vector"]
    return {
        "filter": name,
        "share": limit / len(rank),
        "passing": len(passing),
        "recall": hit / (wanted * len(queries)),
        "hnsw_recall": raw_hit / (wanted * len(queries)),
        "strategy": strategy,
        **{who: statistics.median(seconds) * 1000 for who, seconds in times.items()},
    }


if __name__ == "__main__":
    main()
