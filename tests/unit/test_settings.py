"""A setting that cannot be read is named as it was given, with what it may be, and never its value."""

import pytest

from ragspine_pg.config import ServiceConfig
from ragspine_pg.errors import ConfigurationError

WRONG = {
    "RETRIEVAL_MODE": "is one of 'auto', 'economy', 'vector' or 'hybrid'",
    "POOL_SIZE": "is a whole number",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_variable_is_named_with_what_it_may_be(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"RAGSPINE_{name}", "s3cret")
    with pytest.raises(ConfigurationError) as refused:
        ServiceConfig.load()
    assert str(refused.value) == f"RAGSPINE_{name} {WRONG[name]}"


def test_one_that_was_given_in_the_call_is_called_a_setting() -> None:
    with pytest.raises(ConfigurationError) as refused:
        ServiceConfig.load(pool_size=0, colour="s3cret", home=3)
    assert str(refused.value) == (
        "setting colour is none: there is no such setting; setting home is a path; setting pool_size is at least 1"
    )
