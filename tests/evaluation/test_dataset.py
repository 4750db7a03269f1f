"""Reading a judged collection: what counts, in which order, and what its version is made of."""

import gzip
from decimal import Decimal
from pathlib import Path

import pytest

from ragspine_pg.errors import ConfigurationError, InvalidDocument, RagSpineError
from ragspine_pg.evaluation import load_dataset
from tests.evaluation.tiny import DOCUMENTS, GRADES, QUERIES, write_dataset


def test_cases_keep_the_order_of_the_file_and_need_a_relevant_document(tmp_path: Path) -> None:
    dataset = load_dataset(write_dataset(tmp_path / "fruit"))
    assert dataset.name == "fruit"
    assert [case.query_id for case in dataset.cases] == ["q2", "q1", "q0", "q3"]
    assert dataset.cases[2].grades == {"quinces": 1, "cider": 3, "apples": 0}


def test_documents_come_in_order_with_either_key_of_identity_and_exact_metadata(tmp_path: Path) -> None:
    documents = list(load_dataset(write_dataset(tmp_path)).documents())
    assert [document.id for document in documents] == ["pears", "apples", "cider", "quinces", "nothing"]
    assert documents[0].metadata == {"year": 1999, "weight": Decimal("0.1")}
    assert documents[2].title == ""


def test_rights_in_the_corpus_are_not_taken_over(tmp_path: Path) -> None:
    closed = {"id": "closed", "text": "x", "readers": [], "sensitivity": "RESTRICTED"}
    folder = write_dataset(tmp_path, documents=[closed], grades={"q1": {"closed": 1}})
    [document] = load_dataset(folder).documents()
    assert (document.readers, document.sensitivity) == (None, "INTERNAL")


def test_packing_does_not_change_the_version(tmp_path: Path) -> None:
    plain = load_dataset(write_dataset(tmp_path / "plain"))
    packed = load_dataset(write_dataset(tmp_path / "packed", packed=True))
    assert plain.version == packed.version
    assert plain.cases == packed.cases
    assert [document.id for document in plain.documents()] == [document.id for document in packed.documents()]


def test_every_content_changes_the_version(tmp_path: Path) -> None:
    versions = {
        load_dataset(write_dataset(tmp_path / name, **changed)).version  # type: ignore[arg-type]
        for name, changed in {
            "as it is": {},
            "document": {"documents": [{**DOCUMENTS[0], "text": "Pears ripen."}, *DOCUMENTS[1:]]},
            "document order": {"documents": DOCUMENTS[::-1]},
            "query": {"queries": [{"id": "q2", "text": "pears"}, *QUERIES[1:]]},
            "query order": {"queries": QUERIES[::-1]},
            "grade": {"grades": {**GRADES, "q1": {"cider": 1}}},
        }.items()
    }
    assert len(versions) == 6


def test_a_line_that_moves_to_the_next_file_changes_the_version(tmp_path: Path) -> None:
    last = {"id": "q9", "text": "a query and a document alike"}
    one = write_dataset(tmp_path / "one", documents=[*DOCUMENTS, last])
    other = write_dataset(tmp_path / "other", queries=[last, *QUERIES])
    assert load_dataset(one).version != load_dataset(other).version


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("qrels.tsv", "q1 cider 2\n", "line 1 of qrels.tsv"),
        ("qrels.tsv", "q1\tcider\t2\nq1\tcider\tmuch\n", "line 2 of qrels.tsv"),
        ("qrels.tsv", "q1\tcider\t2\nq1\tcider\t1\n", "line 2 of qrels.tsv"),
        ("qrels.tsv", "q1\tcider\t0\nnobody\tcider\t1\n", "no query of"),
        ("qrels.tsv", "", "no query of"),
        ("queries.jsonl", '{"id": "q1", "text": "a"}\n{"id": "q1", "text": "b"}\n', "twice"),
        ("queries.jsonl", '{"id": "q1"}\n', "line 1 of queries.jsonl"),
        ("queries.jsonl", "not JSON\n", "line 1 of queries.jsonl"),
    ],
)
def test_what_is_malformed_is_an_error_that_names_the_line(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    (write_dataset(tmp_path) / name).write_text(content)
    with pytest.raises(RagSpineError, match=message):
        load_dataset(tmp_path)


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    (write_dataset(tmp_path) / name).unlink()
    with pytest.raises(ConfigurationError, match=name):
        load_dataset(tmp_path)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="nowhere"):
        load_dataset(tmp_path / "nowhere")


def test_a_damaged_archive_is_an_error_of_ours(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path, packed=True)
    whole = (folder / "corpus.jsonl.gz").read_bytes()
    (folder / "corpus.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(RagSpineError, match=r"corpus\.jsonl\.gz"):
        load_dataset(folder)


def test_a_document_that_is_malformed_is_found_while_reading(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path)
    (folder / "corpus.jsonl").write_bytes(gzip.compress(b"no JSON"))
    with pytest.raises(InvalidDocument, match=r"line 1 of corpus\.jsonl"):
        list(load_dataset(folder).documents())
