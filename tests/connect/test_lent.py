"""What was lent and cannot be used just now is refused, and told why; it can be used afterwards."""

import psycopg
import pytest
from psycopg_pool import ConnectionPool

from ragspine_pg.connect.embedded import EmbeddedServer
from ragspine_pg.connect.target import open_source
from ragspine_pg.errors import ConfigurationError, UnavailableError
from tests.connect.awaited import database_to_write


@pytest.fixture(scope="module")
def url(server: EmbeddedServer) -> str:
    """Of a database of this module's own."""
    return database_to_write(server)


@pytest.mark.parametrize("autocommit", [False, True])
@pytest.mark.parametrize("first", [None, "SELECT 1"], ids=["at once", "after a statement"])
@pytest.mark.parametrize("read_only", [False, True])
def test_lent_connection_in_pipeline_mode_is_refused_and_goes_on(
    url: str, autocommit: bool, first: str | None, read_only: bool
) -> None:
    with psycopg.connect(url, autocommit=autocommit) as lent:
        source = open_source(lent)
        with lent.pipeline():
            if first is not None:
                lent.execute("SELECT 1")
            with pytest.raises(ConfigurationError, match="pipeline mode"), source.transaction(read_only):
                pass
            assert lent.execute("SELECT 2").fetchone() == (2,)
        with source.transaction(read_only) as connection:
            assert connection.execute("SELECT 3").fetchone() == (3,)


def test_exhausted_lent_pool_says_whose_limits_those_are(url: str) -> None:
    with ConnectionPool(url, min_size=0, max_size=1, timeout=0.2, open=True) as pool:
        source = open_source(pool)
        with (
            pool.connection(),
            pytest.raises(UnavailableError, match=r"pool handed in .* timeout of 0\.2 s"),
            source.transaction(True),
        ):
            pass
        with source.transaction(True) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
