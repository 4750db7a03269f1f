"""``versions``, ``rebuild``, ``publish`` and ``rollback`` on a real database."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def handbook(run: Run, documents: Path, request: pytest.FixtureRequest) -> str:
    name = f"{request.node.name}/handbook"
    assert run("create", name, "--embedding", "hashing").status == 0
    assert run("ingest", name, documents).status == 0
    return name


def states(run: Run, library: str) -> dict[int, tuple[str, int]]:
    listed = run("versions", library, "--json").json["versions"]
    return {version["version"]: (version["state"], version["pending"]) for version in listed}


def searched(run: Run, library: str) -> dict[str, object]:
    found = run("search", library, "late returns", "--as", "group:staff", "--json").json
    assert found["hits"]
    del found["usage"]
    return dict(found)


def test_a_library_is_rebuilt_published_and_rolled_back(run: Run, handbook: str) -> None:
    before = searched(run, handbook)
    done = run("rebuild", handbook, "--chunker", "parent_child", "--embedding", "none", "--profile", '{"k1": 0.9}')
    assert done.status == 0, done
    assert "version 2" in done.stdout
    assert f"ragspine-pg publish {handbook} 2" in done.stdout
    assert states(run, handbook) == {2: ("verified", 0), 1: ("published", 0)}
    assert searched(run, handbook) == before
    done = run("publish", handbook, "2")
    assert (done.status, done.stdout) == (0, f"{handbook}: version 2 is published\n")
    assert searched(run, handbook)["index_versions"] == {"handbook": 2}
    shown = run("versions", handbook)
    assert "parent_child" in shown.stdout
    assert "statist" not in shown.stdout, "all by class"
    assert "hashing" in shown.stdout
    done = run("rollback", handbook, "--json")
    assert (done.json["version"], done.json["state"]) == (1, "published")
    assert searched(run, handbook) == before


def test_a_rebuild_publishes_when_told_to(run: Run, handbook: str) -> None:
    done = run("rebuild", handbook, "--analyzer", "simple", "--statistics", "library", "--publish", "--json")
    assert done.status == 0, done
    assert run("versions", handbook, "--json").json["versions"][0]["profile"]["statistics"] == "library"
    assert "statist" in run("versions", handbook).stdout
    assert (done.json["version"], done.json["state"], done.json["documents"]) == (2, "published", 4)
    assert states(run, handbook) == {2: ("published", 0), 1: ("retired", 0)}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("publish", "7"), "no version 7"),
        (("rollback",), "no earlier version"),
        (("rebuild", "--profile", '{"colour": 1}'), "--profile sets"),
        (("rebuild", "--profile", '{"k1": -1}'), "k1"),
        (("rebuild", "--chunker", "no such"), "no chunker"),
        (("rebuild", "--statistics", "tenant"), "--statistics is class or library"),
    ],
)
def test_a_mistake_is_told_in_one_line(run: Run, handbook: str, arguments: tuple[str, ...], told: str) -> None:
    command, *rest = arguments
    assert told in run(command, handbook, *rest).mistake
    assert states(run, handbook) == {1: ("published", 0)}


def test_an_unfinished_version_is_not_published(run: Run, handbook: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from ragspine_pg.ingest import catch_up

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(catch_up, "profile_chunker", interrupt)
        done = run("rebuild", handbook, "--analyzer", "simple")
    assert done.status == 130
    assert "what is published is untouched" in done.stderr
    assert states(run, handbook) == {2: ("building", 4), 1: ("published", 0)}
    assert "building" in run("publish", handbook, "2").mistake
    assert "going on" in run("rebuild", handbook, "--analyzer", "simple").stdout
