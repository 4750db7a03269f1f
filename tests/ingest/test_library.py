"""Creating libraries."""

from typing import Any

import psycopg
import pytest

from ragspine_pg import RagSpine
from ragspine_pg.chunking.registry import make_chunker
from ragspine_pg.config import ServiceConfig
from ragspine_pg.contract.document import Document
from ragspine_pg.contract.ingest import VersionInfo
from ragspine_pg.embedding.registry import make_embedding_model
from ragspine_pg.errors import ConfigurationError, EnvironmentChanged, LibraryExists
from ragspine_pg.ingest import pipeline
from tests.fixtures.database import Database
from tests.ingest.shelf import Shelf

DEFAULT = make_chunker("default")


def create(shelf: Shelf, library: str = "books", **options: Any) -> VersionInfo:
    return shelf.run(pipeline.create_library(shelf.tenant, library, **({"chunker": DEFAULT} | options)))


def test_a_new_library_has_one_empty_published_version(shelf: Shelf) -> None:
    assert (shelf.created.version, shelf.created.state, shelf.created.lexeme_count) == (1, "published", 0)
    assert (shelf.created.k1, shelf.created.b, shelf.created.analyzer) == (1.2, 0.75, "english")
    assert shelf.created.profile["chunker"]["fingerprint"] == DEFAULT.fingerprint
    assert shelf.run(pipeline.list_versions(shelf.tenant, shelf.library)) == [shelf.created]


def test_the_same_library_again_is_refused_unless_it_may_exist(shelf: Shelf) -> None:
    with pytest.raises(LibraryExists):
        create(shelf)
    assert create(shelf, exist_ok=True) == shelf.created


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"analyzer": "simple"}, ['analyzer is "english", not "simple"']),
        ({"profile": {"k1": 0.9}}, ["k1 is 1.2, not 0.9"]),
        ({"statistics": "library"}, ['statistics is "class", not "library"']),
        ({"profile": {"pivot": "measured"}}, ['pivot is 100.0, not "measured"']),
        ({"chunker": make_chunker("whole")}, ['chunker.name is "default", not "whole"']),
        ({"fields": {"year": "number"}}, ['fields.year is none, not "number"']),
        ({"embedding": make_embedding_model("hashing")}, ['embedding is none, not "hashing"']),
        (
            {"analyzer": "simple", "profile": {"b": 0, "fusion": "convex"}},
            ['analyzer is "english", not "simple"', "b is 0.75, not 0.0", 'fusion is none, not {"method":"convex"}'],
        ),
    ],
)
def test_another_profile_under_the_same_name_is_refused_even_if_it_may_exist(
    shelf: Shelf, other: dict[str, Any], told: list[str]
) -> None:
    with pytest.raises(LibraryExists) as refused:
        create(shelf, exist_ok=True, **other)
    assert str(refused.value).partition(": ")[2] == "; ".join(told)


@pytest.mark.parametrize(
    "wrong",
    [
        {"library": " "},
        {"library": "x" * 1025},
        {"library": "a\0b"},
        {"analyzer": "klingon"},
        {"fields": {"year": "integer"}},
        {"fields": {"": "number"}},
        {"statistics": "tenant"},
        {"statistics": None},
        {"profile": {"k2": 1}},
        {"profile": {"k1": -1}},
        {"profile": {"k1": float("nan")}},
        {"profile": {"b": 1.1}},
        {"profile": {"pivot": 0}},
        {"profile": {"pivot": "mean"}},
        {"profile": {"k1": True}},
    ],
)
def test_a_malformed_library_is_refused(shelf: Shelf, wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        create(shelf, **({"library": "other"} | wrong))


def test_another_chunker_than_the_profile_s_is_refused(shelf: Shelf) -> None:
    with pytest.raises(ConfigurationError, match="rebuild"):
        shelf.ingest(Document("a", "text"), chunker=make_chunker("default", size=77))


def test_the_profile_s_chunker_is_made_again_with_its_options(database: Database) -> None:
    shelf = Shelf(database, chunker_options={"size": 20, "overlap": 4})
    assert shelf.ingest(Document("a", "One two three. Four five six. Seven eight.")).chunks > 1
    assert shelf.audit() == []


def test_a_version_of_another_environment_takes_no_documents(shelf: Shelf) -> None:
    shelf.owner(
        "UPDATE ragspine.index_version SET environment = 'postgresql 15, libc C' WHERE tenant_no ="
        " (SELECT tenant_no FROM ragspine.tenant WHERE tenant = %(tenant)s)"
    )
    with pytest.raises(EnvironmentChanged, match="postgresql 15"):
        shelf.ingest(Document("a", "text"))


def test_declared_fields_have_keys_that_follow_the_metadata(database: Database) -> None:
    shelf = Shelf(database, fields={"year": "number", "tag": "string"})
    count = (
        "SELECT count(*)::int FROM ragspine.document_field JOIN ragspine.tenant USING (tenant_no)"
        " WHERE tenant = %(tenant)s"
    )
    shelf.ingest(Document("a", "text", metadata={"year": 1, "tag": ["x", "y", "x"]}), Document("b", "text"))
    assert shelf.owner(count) == [(3,)]
    assert shelf.ingest(Document("a", "text", metadata={"tag": "x"})).updated == 1
    assert shelf.owner(count) == [(1,)]
    shelf.relabel("a", readers=())
    assert shelf.audit() == []
    shelf.delete("a")
    assert shelf.owner(count) == [(0,)]


def test_a_default_that_changed_since_is_no_other_profile(fresh_spine: RagSpine, fresh_database: Database) -> None:
    fresh_spine.create_library("t", "l")
    with psycopg.connect(fresh_database.owner_url) as connection:
        connection.execute("UPDATE ragspine.index_version SET pivot = 77, profile = profile || '{\"pivot\": 77}'")
    fresh_spine.create_library("t", "l", exist_ok=True)
    with pytest.raises(LibraryExists):
        fresh_spine.create_library("t", "l", exist_ok=True, profile={"pivot": 78})


def test_a_description_given_later_is_taken_on(fresh_spine: RagSpine) -> None:
    make = fresh_spine.create_library
    make("t", "l", description="first")
    for given, kept in (("", "first"), ("second", "second"), ("", "second")):
        make("t", "l", description=given, exist_ok=True)
        assert [found.description for found in fresh_spine.ingestor.libraries("t")] == [kept]
    with pytest.raises(LibraryExists, match=r"k1 is 1.2, not 2.0"):
        make("t", "l", description="third", profile={"k1": 2}, exist_ok=True)
    assert [found.description for found in fresh_spine.ingestor.libraries("t")] == ["second"]


def test_a_library_with_a_model_is_not_one_without(fresh_spine: RagSpine) -> None:
    make = fresh_spine.create_library
    make("t", "embedded", embedding="hashing")
    make("t", "plain")
    for name in ("embedded", "plain"):
        make("t", name, exist_ok=True)  # any model will do
    make("t", "embedded", embedding="hashing", exist_ok=True)
    make("t", "plain", embedding="none", exist_ok=True)
    with pytest.raises(LibraryExists, match=r'embedding is "hashing", not none$'):
        make("t", "embedded", embedding="none", exist_ok=True)
    with pytest.raises(LibraryExists, match=r'embedding is none, not "hashing"$'):
        make("t", "plain", embedding="hashing", exist_ok=True)
    with pytest.raises(LibraryExists, match=r"embedding.options.dimensions is "):
        make("t", "embedded", embedding="hashing", profile={"embedding_options": {"dimensions": 7}}, exist_ok=True)


SPECIAL: dict[str, Any] = {
    "analyzer": "german",
    "chunker": "layout",
    "embedding": "hashing",
    "fields": {"year": "number"},
    "profile": {
        "k1": 0.9,
        "fusion": "convex",
        "chunker_options": {"size": 400},
        "embedding_options": {"dimensions": 16},
    },
}


@pytest.mark.parametrize(
    "given",
    [
        {},
        *({name: SPECIAL[name]} for name in SPECIAL if name != "profile"),
        {"profile": {"k1": 0.9}},
        {"profile": {"fusion": "convex"}},
        {"profile": {"chunker_options": {"size": 400}}},
        {"profile": {"embedding_options": {"dimensions": 16}}, "embedding": "hashing"},
        {"chunker": make_chunker("layout", size=400)},
        {"embedding": make_embedding_model("hashing", dimensions=16)},
        SPECIAL,
    ],
)
def test_what_a_call_does_not_give_is_as_the_library_there_has_it(fresh_spine: RagSpine, given: dict[str, Any]) -> None:
    fresh_spine.create_library("t", "l", **SPECIAL)
    made = fresh_spine.ingestor.versions("t", "l")
    assert fresh_spine.ingestor.create_library("t", "l", exist_ok=True, **given) == made[0]
    assert fresh_spine.ingestor.versions("t", "l") == made


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"analyzer": "english"}, 'analyzer is "german", not "english"'),
        ({"chunker": "default"}, 'chunker.name is "layout", not "default"'),
        ({"chunker": make_chunker("layout")}, "chunker.options.size is 400, not none"),
        ({"profile": {"chunker_options": {"size": 500}}}, "chunker.options.size is 400, not 500"),
        ({"embedding": "none"}, 'embedding is "hashing", not none'),
        ({"embedding": "hashing", "profile": {"embedding_options": {"dimensions": 8}}}, "embedding.options.dimensions"),
        ({"fields": {}}, 'fields.year is "number", not none'),
        ({"fields": {"year": "string"}}, 'fields.year is "number", not "string"'),
        ({"profile": {"k1": 1.2}}, "k1 is 0.9, not 1.2"),
    ],
)
def test_a_default_that_is_given_is_compared(fresh_spine: RagSpine, given: dict[str, Any], told: str) -> None:
    fresh_spine.create_library("t", "l", **SPECIAL)
    with pytest.raises(LibraryExists) as refused:
        fresh_spine.create_library("t", "l", exist_ok=True, **given)
    assert str(refused.value).partition("made otherwise: ")[2].startswith(told)


def test_an_unknown_key_of_a_profile_is_told_all_there_are(fresh_spine: RagSpine) -> None:
    with pytest.raises(ConfigurationError, match="chunker_options, embedding_options, not 'k2'"):
        fresh_spine.create_library("t", "l", profile={"k2": 1})


def test_a_default_that_settings_get_wrong_names_the_variable(database: Database) -> None:
    for setting, told in (("chunker", "RAGSPINE_CHUNKER"), ("embedding", "RAGSPINE_EMBEDDING")):
        config = ServiceConfig.load(**{setting: "nonsense"})
        with RagSpine.open(database.reader_url, ingest=database.ingest_url, config=config) as spine:
            with pytest.raises(ConfigurationError, match=rf"there are: .*\(set by {told}\)"):
                spine.create_library("wrong", "l")
            with pytest.raises(ConfigurationError) as refused:
                spine.create_library("wrong", "l", **{setting: "other"})  # type: ignore[arg-type]
            assert "set by" not in str(refused.value)
