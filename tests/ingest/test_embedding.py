"""What is embedded, when, and what never is."""

from collections.abc import Sequence

import psycopg
import pytest

from ragspine_pg import Access, Document, RagSpine, Usage
from ragspine_pg.client.library import Library
from ragspine_pg.embedding.known import KnownModels
from ragspine_pg.errors import (
    ConfigurationError,
    EmbeddingError,
    EmbeddingRejected,
    EmbeddingUnavailable,
    LibraryExists,
)
from ragspine_pg.flow.driver import run
from ragspine_pg.flow.steps import Flow, Statement, fetch
from ragspine_pg.ingest import embed, verify
from ragspine_pg.ingest.audit import audit
from ragspine_pg.ingest.target import Target, find_target
from tests.fixtures.database import Database
from tests.fixtures.models import WrittenModel

LABELS = ("PUBLIC", "INTERNAL", "CONFIDENTIAL", "RESTRICTED")


def embedded(database: Database, library: Library) -> list[str]:
    """The ids of the documents that have vectors, once a chunk."""
    with psycopg.connect(database.owner_url) as connection:
        rows = connection.execute(
            """
            SELECT d.document_id
              FROM ragspine.chunk_embedding AS e
              JOIN ragspine.document AS d USING (tenant_no, document_no)
              JOIN ragspine.tenant AS t USING (tenant_no)
              JOIN ragspine.library AS l USING (tenant_no, library_no)
             WHERE t.tenant = %s AND l.library_id = %s
             ORDER BY d.document_id
            """,
            [library.tenant, library.library_id],
        ).fetchall()
        assert run(audit(run(find_target(library.tenant, library.library_id), connection), deep=True), connection) == []
    return [row[0] for row in rows]


def labelled(text: str = "secret") -> list[Document]:
    return [Document(label, f"{text} {label} [1, {n + 1}]", sensitivity=label) for n, label in enumerate(LABELS)]


@pytest.mark.parametrize(
    ("remote", "opted_in", "shown"),
    [
        (False, False, LABELS[:3]),
        (True, False, LABELS[:2]),
        (True, True, LABELS[:3]),
    ],
)
def test_a_model_sees_what_it_may(
    spine: RagSpine,
    database: Database,
    request: pytest.FixtureRequest,
    remote: bool,
    opted_in: bool,
    shown: Sequence[str],
) -> None:
    model = WrittenModel(remote=remote)
    profile = {"embed_confidential": True} if opted_in else None
    library = spine.create_library("embedding", request.node.name, embedding=model, profile=profile)
    report = library.ingest(labelled())
    assert [text.split()[1] for text in model.seen] == list(shown)
    assert embedded(database, library) == sorted(shown)
    assert report.usage.items == len(shown)


def test_a_model_sees_what_it_may_has_teeth(fresh_spine: RagSpine, fresh_database: Database, plant) -> None:
    plant("embeds_v1", ("ELSE false", "ELSE true"))
    model = WrittenModel()
    fresh_spine.create_library("embedding", "leaky", embedding=model).ingest(labelled())
    assert any("RESTRICTED" in text for text in model.seen)


def test_a_label_that_is_raised_takes_the_vectors_away_and_one_that_is_lowered_brings_them(
    spine: RagSpine, database: Database, request: pytest.FixtureRequest
) -> None:
    model = WrittenModel()
    library = spine.create_library("embedding", request.node.name, embedding=model)
    library.ingest(labelled())
    library.relabel("INTERNAL", sensitivity="RESTRICTED")
    assert embedded(database, library) == ["CONFIDENTIAL", "PUBLIC"]
    model.seen.clear()
    library.relabel("RESTRICTED", sensitivity="PUBLIC")
    assert embedded(database, library) == ["CONFIDENTIAL", "PUBLIC", "RESTRICTED"]
    assert len(model.seen) == 1
    library.relabel("RESTRICTED", readers={"user:ann"})  # readers alone embed nothing anew
    assert len(model.seen) == 1
    # The same by ingest, of unchanged bytes.
    library.ingest([Document("PUBLIC", "secret PUBLIC [1, 1]", sensitivity="RESTRICTED")])
    assert embedded(database, library) == ["CONFIDENTIAL", "RESTRICTED"]
    assert len(model.seen) == 1
    library.ingest([Document("PUBLIC", "secret PUBLIC [1, 1]", sensitivity="INTERNAL")])
    assert embedded(database, library) == ["CONFIDENTIAL", "PUBLIC", "RESTRICTED"]
    assert len(model.seen) == 2


def test_a_remote_model_loses_what_becomes_confidential(
    spine: RagSpine, database: Database, request: pytest.FixtureRequest
) -> None:
    model = WrittenModel(remote=True)
    library = spine.create_library("embedding", request.node.name, embedding=model)
    library.ingest([Document("a", "one [1, 0]"), Document("b", "two [0, 1]")])
    library.relabel("a", sensitivity="CONFIDENTIAL")
    assert embedded(database, library) == ["b"]
    library.ingest([Document("b", "two [0, 1]", sensitivity="CONFIDENTIAL")])
    assert embedded(database, library) == []
    library.relabel("a", sensitivity="INTERNAL")
    assert embedded(database, library) == ["a"]


def test_whether_a_text_is_embedded_is_never_unknown(database: Database) -> None:
    with psycopg.connect(database.owner_url) as connection:
        for profile in (
            "{}",
            '{"embedding": {}}',
            '{"embedding": {"remote": true}}',
            '{"embedding": {"remote": false}}',
        ):
            for label in (*LABELS, None, "another"):
                row = connection.execute("SELECT ragspine.embeds_v1(%s, %s)", [profile, label]).fetchone()
                local = profile.endswith("false}}")
                open_label = label in ("PUBLIC", "INTERNAL") or (label == "CONFIDENTIAL" and local)
                assert row == ("embedding" in profile and open_label,), (profile, label)


def test_a_remote_model_does_not_stand_in_for_one_that_is_not(
    spine: RagSpine, database: Database, request: pytest.FixtureRequest
) -> None:
    made = spine.create_library("embedding", request.node.name, embedding=WrittenModel())
    made.ingest([Document("open", "open [0, 1]")])
    remote = WrittenModel(remote=True)
    with RagSpine.open(
        database.reader_url, ingest=database.ingest_url, grant_key=database.grant_key, embedding_models=[remote]
    ) as other:
        library = other.library("embedding", made.library_id)
        with pytest.raises(ConfigurationError, match="is remote here"):
            library.ingest([Document("a", "secret [1, 0]", sensitivity="CONFIDENTIAL")])
        with pytest.raises(ConfigurationError, match="is remote here"):
            other.search("[1, 0]", access=Access("embedding", {"u"}), libraries=[made.library_id], mode="vector")
        assert remote.seen == []


def test_a_document_that_keeps_its_label_is_embedded_by_the_stored_one(
    spine: RagSpine, database: Database, request: pytest.FixtureRequest
) -> None:
    model = WrittenModel()
    library = spine.create_library("embedding", request.node.name, embedding=model)
    library.ingest([Document("a", "old [1, 0]", sensitivity="RESTRICTED")])
    library.ingest([Document("a", "new [0, 1]", keep={"readers", "sensitivity"})])
    assert model.seen == []
    assert embedded(database, library) == []


def test_only_what_changed_is_embedded_again(spine: RagSpine, request: pytest.FixtureRequest) -> None:
    model = WrittenModel()
    library = spine.create_library("embedding", request.node.name, embedding=model)
    library.ingest([Document("a", "one [1, 0]", title="T"), Document("b", "two [0, 1]")])
    assert model.seen == ["T\none [1, 0]", "two [0, 1]"]
    model.seen.clear()
    library.ingest([Document("a", "one [1, 0]", title="T", metadata={"n": 1}), Document("b", "two [1, 1]")])
    assert model.seen == ["two [1, 1]"]


class Faulty(WrittenModel):
    """Gives vectors that no store may take."""

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.fault = fault

    def embed(self, texts, task, *, deadline=None):
        good = super().embed(texts, task, deadline=deadline)
        rows = [list(vector) for vector in good.vectors]
        match self.fault:
            case "too few":
                rows.pop()
            case "too many":
                rows.append(rows[0])
            case "dimensions":
                rows[-1].append(1.0)
            case "nan":
                rows[-1][0] = float("nan")
            case "too long":
                rows[-1] = [3e31, 0.0]
            case "too short":
                rows[-1] = [1e-31, 0.0]
            case "zero":
                rows[-1] = [0.0, 0.0]
        return type(good)(rows, good.usage)


@pytest.mark.parametrize("fault", ["too few", "too many", "dimensions", "nan", "zero", "too long", "too short"])
def test_a_faulty_model_leaves_nothing_behind(
    spine: RagSpine, database: Database, request: pytest.FixtureRequest, fault: str
) -> None:
    library = spine.create_library("embedding", request.node.name, embedding=Faulty(fault))
    with pytest.raises(EmbeddingRejected) as refused:
        library.ingest([Document(f"d{n}", f"Kolibri {n} [1, {n}]") for n in range(5)])
    assert "Kolibri" not in str(refused.value)
    assert library.stats().documents == 0
    assert embedded(database, library) == []


@pytest.mark.parametrize(
    "failure", [EmbeddingUnavailable("the model's server does not answer"), RuntimeError("Kolibri")]
)
def test_a_model_that_fails_leaves_what_was_there(
    spine: RagSpine, database: Database, request: pytest.FixtureRequest, failure: Exception
) -> None:
    model = WrittenModel()
    library = spine.create_library("embedding", request.node.name, embedding=model)
    library.ingest([Document("a", "Kolibri [1, 0]")])
    model.failure = failure
    with pytest.raises(EmbeddingError) as refused:
        library.ingest([Document("a", "Kolibri two [0, 1]"), Document("b", "Kolibri three [1, 1]")])
    assert "Kolibri" not in str(refused.value)
    model.failure = None
    (hit,) = library.search("[1, 0]", access=Access("embedding", {"u"}), mode="vector").hits
    assert hit.text == "Kolibri [1, 0]"


def test_a_whitespace_chunk_has_no_vector_and_is_no_error(
    spine: RagSpine, database: Database, request: pytest.FixtureRequest
) -> None:
    library = spine.create_library("embedding", request.node.name, embedding=WrittenModel(), chunker="whole")
    library.ingest([Document("title", "", title="Title [1, 0]"), Document("text", "[0, 1]")])
    assert embedded(database, library) == ["text", "title"]


def test_a_library_is_the_same_only_with_the_same_model(spine: RagSpine, request: pytest.FixtureRequest) -> None:
    name = request.node.name
    spine.create_library("embedding", name, embedding=WrittenModel())
    spine.create_library("embedding", name, embedding=WrittenModel(), exist_ok=True)
    spine.create_library("embedding", name, exist_ok=True)  # what is not named is as it was made
    with pytest.raises(LibraryExists):
        spine.create_library("embedding", name, embedding=WrittenModel(3), exist_ok=True)


def test_a_model_that_cannot_be_made_says_what_to_do(
    spine: RagSpine, database: Database, request: pytest.FixtureRequest
) -> None:
    library = spine.create_library("embedding", request.node.name, embedding=WrittenModel(name="unknown-kind"))
    library.ingest([Document("a", "[1, 0]")])
    from tests.fixtures.spine import open_spine

    with open_spine(database) as other:
        with pytest.raises(ConfigurationError, match="embedding_models"):
            other.search("[1, 0]", access=Access("embedding", {"u"}), libraries=[library.library_id])
        with pytest.raises(ConfigurationError, match="embedding_models"):
            other.library("embedding", library.library_id).ingest([Document("b", "[0, 1]")])
        # The rest is not read first.
        read = iter([Document(f"n{n}", f"[1, {n}]") for n in range(1000)])
        with pytest.raises(ConfigurationError, match="embedding_models"):
            other.library("embedding", library.library_id).ingest(read)
        assert next(read, None) is not None
        # What needs no model goes on.
        found = other.search("x", access=Access("embedding", {"u"}), libraries=[library.library_id], mode="economy")
        assert found.mode == "economy"


def test_a_label_is_raised_where_the_model_cannot_be_had(
    spine: RagSpine, database: Database, request: pytest.FixtureRequest
) -> None:
    made = spine.create_library("embedding", request.node.name, embedding=WrittenModel(name="unknown-kind"))
    made.ingest([Document("a", "[1, 0]"), Document("b", "[0, 1]"), Document("c", "[1, 1]", sensitivity="RESTRICTED")])
    from tests.fixtures.spine import open_spine

    with open_spine(database) as other:
        library = other.library("embedding", made.library_id)
        assert library.relabel("a", sensitivity="RESTRICTED")
        assert library.ingest([Document("b", "[0, 1]", sensitivity="RESTRICTED")]).relabelled == 1
        assert library.ingest([Document("c", "[9, 9]", keep={"readers", "sensitivity"})]).changed == 1
        assert embedded(database, library) == []
        with pytest.raises(ConfigurationError, match="embedding_models"):
            library.relabel("a", sensitivity="PUBLIC")


def test_what_was_embedded_before_the_locks_is_not_looked_for_again(
    spine: RagSpine, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, asked = embed.embed_documents, []

    def counted(target: Target, models: KnownModels, document_nos: Sequence[int]) -> Flow[Usage]:
        asked.append(len(document_nos))
        return (yield from right(target, models, document_nos))

    monkeypatch.setattr(embed, "embed_documents", counted)
    library = spine.create_library("embedding", request.node.name, embedding=WrittenModel())
    library.ingest(labelled())
    assert asked == [0]
    library.ingest(
        [
            Document("PUBLIC", "secret PUBLIC [1, 1]", sensitivity="INTERNAL"),  # the label alone
            Document("INTERNAL", "another text [5, 1]"),
            Document("RESTRICTED", "secret RESTRICTED [1, 4]", sensitivity="RESTRICTED"),
        ]
    )
    assert asked == [0, 1]
    library.rebuild(k1=1.1)
    assert asked == [0, 1, 0]


def test_catching_up_stages_no_texts(
    spine: RagSpine, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, staged = verify.verify_statistics, []
    pages = Statement("pages", "SELECT count(*) FROM pg_temp.ragspine_stage_page", int)

    def looking(target: Target) -> Flow[None]:
        staged.extend((yield from fetch(pages)))
        yield from right(target)

    monkeypatch.setattr(verify, "verify_statistics", looking)
    library = spine.create_library("embedding", request.node.name)
    library.ingest(labelled())
    library.rebuild(k1=1.1)
    assert staged == [4, 0]
