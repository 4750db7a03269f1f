"""Checks that a version's vectors are where they belong: some texts, embedded again, find their own chunks first."""

from ragspine_pg.contract.embedded import Embedded, vector_text
from ragspine_pg.contract.ports import EmbeddingModel, EmbeddingTask
from ragspine_pg.contract.space import embedding_text
from ragspine_pg.contract.usage import Usage
from ragspine_pg.embedding.checked import embed_checked
from ragspine_pg.errors import VerificationFailed
from ragspine_pg.flow.steps import Flow, fetch, work
from ragspine_pg.ingest.target import Target
from ragspine_pg.statement.catalogue import query

SAMPLE = 16

_SAMPLE = query("ingest_sample_embedded")
_VERIFY = query("ingest_verify_recall", str)


def verify_recall(target: Target, model: EmbeddingModel) -> Flow[Usage]:
    """Embed the texts of ``SAMPLE`` chunks again and look for them. Raises ``VerificationFailed`` naming a document."""
    place = {"tenant_no": target.tenant_no, "version_no": target.version_no}
    rows = yield from fetch(_SAMPLE, **place, number=SAMPLE)
    if not rows:
        return Usage()

    def embed() -> Embedded:
        return embed_checked(
            model,
            [embedding_text(title, text) for _, _, title, text in rows],
            EmbeddingTask.RETRIEVAL_DOCUMENT,
            labels=[document for _, document, _, _ in rows],
        )

    embedded = yield from work(embed)
    missed = yield from fetch(
        _VERIFY,
        **place,
        chunk_nos=[chunk_no for chunk_no, _, _, _ in rows],
        embeddings=[vector_text(vector) for vector in embedded.vectors],
    )
    if missed:
        raise VerificationFailed(
            f"document {missed[0]!r}: its vector is not that of its text ({len(missed)} of {len(rows)} in a sample)",
            document=missed[0],
        )
    return embedded.usage
