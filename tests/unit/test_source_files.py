"""Files and folders: what is read, in which order, under which id; what is refused or skipped."""

import gzip
import json
import os
import tracemalloc
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

from ragspine_pg.errors import InvalidDocument, SourceRefused
from ragspine_pg.ingest import authorise
from ragspine_pg.ingest.authorise import find_sources, open_source
from ragspine_pg.ingest.source import SourceProgress, read_sources, survey_sources


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "my handbook"
    (root / "b" / "deep").mkdir(parents=True)
    (root / "z.txt").write_text("last")
    (root / "a.md").write_text("# First\n\ntext")
    (root / "b" / "page.HTML").write_text("<title>Page</title><p>body")
    (root / "b" / "deep" / "lines.jsonl").write_text('{"id": "one", "text": "1"}\n{"id": "two", "text": "2"}\n')
    (root / "B.text.gz").write_bytes(gzip.compress(b"packed"))
    (root / "ünïcode 日本.markdown").write_text("no heading")
    return root


def test_folder_gives_every_supported_file_in_order(folder: Path) -> None:
    made = list(read_sources(folder))
    assert [(d.id, d.title, d.text) for d in made] == [
        ("B.text.gz", "", "packed"),
        ("a.md", "First", "# First\n\ntext"),
        ("one", "", "1"),
        ("two", "", "2"),
        ("b/page.HTML", "Page", "body"),
        ("z.txt", "", "last"),
        ("ünïcode 日本.markdown", "", "no heading"),
    ]
    assert made == list(read_sources([str(folder)]))


def test_id_does_not_depend_on_where_one_stands(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [d.id for d in read_sources(folder)]
    monkeypatch.chdir(folder)
    assert [d.id for d in read_sources(".")] == ids
    monkeypatch.chdir(folder / "b")
    assert [d.id for d in read_sources("..")] == ids


def test_named_file_is_called_by_its_name(folder: Path) -> None:
    assert [d.id for d in read_sources([folder / "b" / "page.HTML"])] == ["page.HTML"]


def test_source_uri_is_the_file(folder: Path) -> None:
    for made in read_sources(folder):
        assert Path(unquote(urlparse(made.source_uri).path)).is_file()


def test_survey_counts_what_reading_will_read(folder: Path) -> None:
    (folder / "picture.png").write_bytes(b"\x89PNG")
    survey, progress = survey_sources(folder), SourceProgress()
    documents = list(read_sources(folder, progress=progress))
    assert (survey.files, survey.size) == (progress.files, progress.size)
    assert survey.size == sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) - 4
    assert progress.documents == len(documents)
    assert list(survey.skipped) == progress.skipped
    assert [(s.path.name, s.reason) for s in survey.skipped] == [("picture.png", authorise.UNSUPPORTED)]


def test_hidden_entries_of_a_folder_are_skipped(folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "notes.txt").write_text("hidden")
    (folder / ".secret.md").write_text("hidden")
    progress = SourceProgress()
    assert not any("hidden" in d.text for d in read_sources(folder, progress=progress))
    assert {s.path.name for s in progress.skipped if s.reason == authorise.HIDDEN} == {".git", ".secret.md"}
    assert [d.text for d in read_sources(folder / ".secret.md")] == ["hidden"]  # but one that is named is meant


def test_links_that_leave_the_folder_are_never_opened(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (folder / "c.txt").symlink_to(outside / "secret.txt")
    (folder / "d").symlink_to(outside)
    (folder / "e.txt").symlink_to(folder / "nowhere.txt")
    (folder / "f.txt").symlink_to(folder / "f.txt")
    (folder / "loop").symlink_to(folder)
    (folder / "y.txt").symlink_to(folder / "z.txt")
    progress = SourceProgress()
    made = list(read_sources(folder, progress=progress))
    assert not any("secret" in d.text for d in made)
    assert [(d.id, d.text) for d in made if d.id == "y.txt"] == [("y.txt", "last")]
    assert {s.path.name: s.reason for s in progress.skipped} == {
        "c.txt": authorise.LINK_OUT,
        "d": authorise.LINK_OUT,
        "e.txt": authorise.LINK_OUT,
        "f.txt": authorise.LINK_OUT,
        "loop": authorise.LINKED_FOLDER,
    }


def test_folder_beside_with_a_longer_name_is_outside(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs-private").mkdir()
    (tmp_path / "docs-private" / "x.txt").write_text("secret")
    (tmp_path / "docs" / "x.txt").symlink_to(tmp_path / "docs-private" / "x.txt")
    assert list(read_sources(tmp_path / "docs")) == []


def test_file_swapped_for_a_link_after_it_was_authorised_is_not_opened(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    source = next(s for s in find_sources(folder) if s.document_id == "z.txt")
    (folder / "z.txt").unlink()
    (folder / "z.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(SourceRefused, match=r"z\.txt"):
        open_source(source)


def test_pipes_are_skipped_in_a_folder_and_refused_by_name(folder: Path) -> None:
    os.mkfifo(folder / "pipe.txt")
    progress = SourceProgress()
    assert len(list(read_sources(folder, progress=progress))) == 7
    assert [s.reason for s in progress.skipped] == [authorise.NOT_REGULAR]
    with pytest.raises(SourceRefused, match="regular"):
        list(read_sources(folder / "pipe.txt"))


def test_named_file_of_another_kind_is_refused_with_what_is_supported(folder: Path) -> None:
    (folder / "report.pdf").write_bytes(b"%PDF")
    with pytest.raises(SourceRefused, match=r"\.md, \.markdown, \.txt") as caught:
        list(read_sources(folder / "report.pdf"))
    assert str(caught.value.ids["source"]).endswith("report.pdf")
    (folder / "gz").write_bytes(b"")
    (folder / "x.tar.gz").write_bytes(b"")
    for name in ("gz", "x.tar.gz"):
        with pytest.raises(SourceRefused, match="supported"):
            list(read_sources(folder / name))


def test_missing_path_is_refused_before_anything_is_read_of_it(folder: Path) -> None:
    with pytest.raises(SourceRefused, match="No such file"):
        list(read_sources([folder / "nowhere.md"]))


def test_name_that_is_no_utf8_is_refused_and_the_message_can_be_printed(folder: Path) -> None:
    (folder / os.fsdecode(b"bad\xff.txt")).write_text("x")
    with pytest.raises(SourceRefused, match="not UTF-8") as caught:
        list(read_sources(folder))
    str(caught.value).encode()


def test_large_file_is_refused_without_reading_it_whole(tmp_path: Path) -> None:
    large = tmp_path / "large.txt"
    with large.open("wb") as file:
        file.truncate(1 << 32)  # 4 GiB of hole
    tracemalloc.start()
    with pytest.raises(SourceRefused, match=r"large\.txt has more than"):
        list(read_sources(large, max_text_bytes=1 << 20))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 << 20


@pytest.mark.parametrize("name", ["bomb.txt.gz", "bomb.jsonl.gz"])
def test_gzip_bomb_is_refused_within_its_bound(tmp_path: Path, name: str) -> None:
    bomb = tmp_path / name
    bomb.write_bytes(gzip.compress(b"0" * (200 << 20), 9))
    assert bomb.stat().st_size < 300_000
    tracemalloc.start()
    with pytest.raises(SourceRefused):
        list(read_sources(bomb, max_text_bytes=1 << 20))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 << 20


@pytest.mark.parametrize("name", ["x.md.gz", "x.jsonl.gz"])
def test_damaged_gzip_is_refused_by_name(tmp_path: Path, name: str) -> None:
    line = json.dumps({"id": "a", "text": os.urandom(2000).hex()}).encode()
    for damaged in (gzip.compress(line)[:-20], b"no gzip at all"):
        (tmp_path / name).write_bytes(damaged)
        with pytest.raises(InvalidDocument, match=name):
            list(read_sources(tmp_path))


def test_jsonl_is_a_stream(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    with path.open("w") as file:
        for number in range(20_000):
            file.write(json.dumps({"id": str(number), "text": "x" * 1000}) + "\n")
    tracemalloc.start()
    progress = SourceProgress()
    count = 0
    for count, made in enumerate(read_sources(path, progress=progress), 1):
        assert made.source_uri.endswith("/many.jsonl")
        assert progress.documents == count
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 20_000
    assert peak < 2 << 20  # of 20 MB
    assert progress.text_size > 20_000_000


def test_documents_before_a_bad_line_were_handed_out_and_the_error_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text('{"id": "a", "text": "x"}\n{"id": "b"}\n')
    reading = read_sources(tmp_path)
    assert next(reading).id == "a"
    with pytest.raises(InvalidDocument, match=r"line 2 of docs\.jsonl: text is missing"):
        next(reading)


def test_abandoned_reading_closes_its_file(folder: Path) -> None:
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else pytest.skip("needs /proc")
    for path in (folder / "b" / "deep" / "lines.jsonl", folder / "B.text.gz"):
        reading = read_sources(path)
        next(reading)
        reading.close()  # type: ignore[attr-defined]
    assert len(os.listdir("/proc/self/fd")) == before
