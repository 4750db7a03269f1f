"""Settings: what the call says, else the environment (``RAGSPINE_…``), else the default. No I/O."""

import difflib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from ragspine_pg.contract.mode import RetrievalMode
from ragspine_pg.contract.setting import PREFIX, variable
from ragspine_pg.errors import ConfigurationError

# Of that prefix, and no settings of ours: docker/init.sql reads the passwords, benchmarks and tests the others.
_OTHERS: Final = frozenset(
    {"OWNER_PASSWORD", "INGEST_PASSWORD", "READER_PASSWORD", "DATASETS", "WRITE_GOLDEN", "TEST_HOME"}
    | {"TEST_VECTOR_SCHEMA", "OPENAI_API_KEY"}
)
_KINDS: Final = {"int": "a whole number", "path": "a path", "string": "a string"}
# What Kubernetes sets for a service that is called ragspine, or ragspine-something.
_SERVICE: Final = re.compile(r"(\w+_)?(SERVICE_(HOST|PORT(_\w+)?)|PORT(_[0-9]+_\w+)?)")


class ServiceConfig(BaseSettings):
    """Settings of a facade; each is also the environment variable of that name in capitals, after ``RAGSPINE_``.

    Values that hold a password or the grant key are secret: they do not show in a repr.
    """

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_ignore_empty=True, frozen=True, extra="forbid")

    database_url: SecretStr | None = None
    """Where searches run: a login that is a member of ``ragspine_reader`` alone. None: the embedded server."""

    ingest_url: SecretStr | None = None
    """Where documents are written: a login that is a member of ``ragspine_ingest``."""

    owner_url: SecretStr | None = None
    """Where migrations run: the owner of schema ``ragspine``."""

    grant_key: SecretStr | None = None
    """The key that signs grants, as ``ragspine-pg migrate`` or ``keys --add`` showed it."""

    home: Path | None = None
    """Folder of the embedded server. None: the platform's user data folder."""

    pg_bin: Path | None = None
    """Folder of PostgreSQL's programs for the embedded server. None: the wheel's, or this machine's."""

    pool_size: int = Field(default=10, ge=1)
    """The most connections that each pool of ours opens."""

    retrieval_mode: RetrievalMode = RetrievalMode.AUTO
    """The mode of a search that does not name one."""

    chunker: str = "default"
    """The chunker of a library that does not name one."""

    analyzer: str = "english"
    """The analyzer of a library that does not name one."""

    embedding: str = "none"
    """The embedding model of a library that does not name one; ``none`` embeds nothing."""

    library_router: str = "none"
    """What chooses among several libraries; ``none`` searches all that were asked for."""

    filter_extractor: str = "none"
    """What reads filters out of queries; ``none`` leaves the caller's."""

    filter_vocabulary: Path | None = None
    """A JSON file of terms and what they stand for, for filter extractor ``controlled_vocab``."""

    reranker: str = "none"
    """What reorders hits; ``none`` keeps their order."""

    rerank_url: str | None = None
    """The address of the rerank API, without ``/rerank``."""

    rerank_model: str | None = None
    """The model to rerank by."""

    rerank_api_key: SecretStr | None = None
    """The key of the rerank API."""

    @classmethod
    def load(cls, **given: Any) -> "ServiceConfig":
        """The settings, with ``given`` over the environment; a value of None counts as not given.

        Raises ``ConfigurationError`` naming each setting that cannot be read, and what it may be; no value.
        """
        try:
            return cls(**{name: value for name, value in given.items() if value is not None})
        except ValidationError as error:
            faults = {str(item["loc"][0]): item for item in error.errors() if item["loc"]}
            told = (
                f"{f'setting {name}' if name in given else variable(name)} {_expected(fault)}"
                for name, fault in sorted(faults.items())
            )
            raise ConfigurationError("; ".join(told)) from None

    def secret(self, name: str) -> str | None:
        """The value of a secret setting, such as ``"ingest_url"``."""
        value: SecretStr | None = getattr(self, name)
        return None if value is None else value.get_secret_value()


def _expected(fault: Mapping[str, Any]) -> str:
    # Pydantic's own messages are not taken: some quote the value.
    match fault["type"]:
        case "enum":
            return f"is one of {fault['ctx']['expected']}"
        case "greater_than_equal":
            return f"is at least {fault['ctx']['ge']}"
        case "extra_forbidden":
            return "is none: there is no such setting"
        case kind:
            return f"is {_KINDS.get(kind.partition('_')[0], 'of another kind')}"


def unknown_variables(names: Iterable[str]) -> dict[str, str | None]:
    """The names that look like settings of ours and are none, each with the name it resembles most, or None.

    ``names`` are those of environment variables. A setting that is mistyped has no effect: without its URL, the
    embedded server would be used in silence.
    """
    known = [name.upper() for name in ServiceConfig.model_fields]
    found: dict[str, str | None] = {}
    for name in sorted(names):
        prefix, rest = name[: len(PREFIX)].upper(), name[len(PREFIX) :].upper()
        if prefix != PREFIX or rest in known or rest in _OTHERS or _SERVICE.fullmatch(rest):
            continue
        near = difflib.get_close_matches(rest, known, n=1, cutoff=0.5)
        found[name] = PREFIX + near[0] if near else None
    return found
