"""A grant is given to psql without standing in a statement's text, as the guide to SQL says: bound, or as a setting."""

import psycopg
import pytest

from ragspine_pg import Access, Document, RagSpine
from tests.fixtures.database import Database
from tests.schema.script import psql

SEARCH = "\\pset tuples_only on\n\\pset format unaligned\nSELECT document_id FROM ragspine.search('tents');\n"


@pytest.fixture
def grant(fresh_spine: RagSpine) -> str:
    fresh_spine.create_library("acme", "notes").ingest([Document("d", "tents in the rain", readers={"user:ann"})])
    return fresh_spine.grant(Access("acme", {"user:ann"}))


def logged(database: Database, script: str, environment: dict[str, str]) -> tuple[str, str]:
    """What psql as a reader shows, and what the server writes to its log meanwhile, where it logs all statements."""
    with psycopg.connect(database.superuser_url, autocommit=True) as admin:
        name = admin.info.dbname
        admin.execute(f"ALTER DATABASE \"{name}\" SET log_statement = 'all'")
        admin.execute(f'ALTER DATABASE "{name}" SET log_parameter_max_length = 0')
    before = database.log_path.stat().st_size
    done = psql(database.reader_url, script, environment)
    assert (done.returncode, done.stderr) == (0, "")
    with database.log_path.open("rb") as log:
        log.seek(before)
        text = log.read().decode()
    assert "ragspine.search('tents')" in text
    return done.stdout.strip(), text


def test_a_bound_grant_is_in_no_statement(fresh_database: Database, grant: str) -> None:
    script = f'BEGIN;\nSELECT ragspine.assume($1) \\bind `printf %s "$GRANT"` \\g\n{SEARCH}COMMIT;\n'
    found, log = logged(fresh_database, script, {"GRANT": grant})
    assert found.endswith("d")
    assert grant not in log


def test_a_grant_as_a_setting_is_in_no_statement(fresh_database: Database, grant: str) -> None:
    found, log = logged(fresh_database, SEARCH, {"PGOPTIONS": f"-c ragspine.grant={grant}"})
    assert found == "d"
    assert grant not in log


@pytest.mark.parametrize(
    "assume",
    [
        "\\getenv grant GRANT\nSELECT ragspine.assume(:'grant') \\gset\n",
        "\\getenv grant GRANT\nPREPARE taken(text) AS SELECT ragspine.assume($1);\nEXECUTE taken(:'grant');\n",
    ],
    ids=["variable", "prepared"],
)
def test_a_grant_is_in_no_statement_has_teeth(fresh_database: Database, grant: str, assume: str) -> None:
    found, log = logged(fresh_database, f"BEGIN;\n{assume}{SEARCH}COMMIT;\n", {"GRANT": grant})
    assert found.endswith("d")
    assert grant in log
