"""Where the gate's role is missing or came too late: the doctor says so, and what it advises mends it."""

import re
from pathlib import Path

import psycopg
import pytest

from ragspine_pg import Access, RagSpine
from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.errors import ConfigurationError
from ragspine_pg.schema.migrate import migrate
from ragspine_pg.schema.privileges import GATE, GATE_FUNCTIONS
from tests.cli.conftest import invoke
from tests.doctor.conftest import diagnose, fill, told
from tests.fixtures.database import Database, empty_database

_OWNERS = """
SELECT DISTINCT pg_get_userbyid(proowner)::text FROM pg_proc
 WHERE pronamespace = 'ragspine'::regnamespace AND proname = ANY (%s)
"""


def _owners(database: Database) -> list[str]:
    with psycopg.connect(database.owner_url) as connection:
        return [row[0] for row in connection.execute(_OWNERS, [list(GATE_FUNCTIONS)])]


def _found(database: Database) -> list[str]:
    with RagSpine.open(database.reader_url, grant_key=database.grant_key) as spine:
        result = spine.search("returns", access=Access("doctor", {"group:staff"}))
    return sorted(hit.document_id for hit in result.hits)


def test_without_the_gate_all_works_with_a_warning_and_the_advice_mends_it(passable: Path) -> None:
    with EmbeddedServer.open(passable / "server", durable=False) as server:
        empty_database(server, "alone")
        urls = {f"{login}_url": server.url(login, "alone") for login in ("owner", "ingest", "reader", "superuser")}
        with psycopg.connect(urls["superuser_url"], autocommit=True) as superuser:
            superuser.execute(f"DROP ROLE {GATE}")  # type: ignore[call-overload]
            done = migrate(urls["owner_url"])
            assert done.missing_roles == (GATE,)
            assert done.grant_key is not None
            database = Database(name="alone", grant_key=done.grant_key, log_path=server.log_path, **urls)
            fill(database)
            assert _owners(database) == ["owner"]
            assert _found(database) == ["open", "returns"]

            shown = invoke("migrate", env={"RAGSPINE_OWNER_URL": database.owner_url})
            assert f"CREATE ROLE {GATE} NOLOGIN; GRANT {GATE} TO <this login> WITH" in shown.stderr
            assert "row-level security does not stand behind the functions" in shown.stderr

            sick = diagnose(database)
            assert sick.ok
            ((check, level, what),) = told(sick)
            assert (check, level) == ("gate", "warning")
            assert "row-level security does not stand behind" in what
            (finding,) = sick.findings("warning")
            assert finding.fix.count("; ") == 2
            _, create, grant = (part.rpartition(": ")[2] for part in ("", *finding.fix.split("; ")[:2]))
            plain = grant.replace('"owner"', "owner")  # the server quotes where it must

            superuser.execute(create)  # type: ignore[call-overload]
            with pytest.raises(ConfigurationError, match=re.escape(f"as an administrator: {plain}")):
                migrate(database.owner_url)  # the owner is no member yet
            refused = invoke("migrate", env={"RAGSPINE_OWNER_URL": database.owner_url})
            assert refused.status != 0
            assert plain in refused.stderr
            assert _owners(database) == ["owner"]
            assert _found(database) == ["open", "returns"]
            assert ("gate", "warning") in [item[:2] for item in told(diagnose(database))]
            assert f"as an administrator: {grant}; then run" in diagnose(database).findings("warning")[0].fix

            superuser.execute(grant)  # type: ignore[call-overload]
            assert ("gate", "warning") in [item[:2] for item in told(diagnose(database))]
            migrate(database.owner_url)
            assert _owners(database) == [GATE]
            assert _found(database) == ["open", "returns"]
            assert told(diagnose(database)) == []
