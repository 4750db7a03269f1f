"""The secrets of an embedded server: passwords of its logins and the key that signs grants, in one 0600 file."""

import json
import os
import secrets
import tempfile
from pathlib import Path

from ragspine_pg.errors import ConfigurationError

LOGINS = ("superuser", "owner", "ingest", "reader")


class Keyring:
    """The file of secrets. Its passwords never change; the grant key is added by whoever creates it.

    Write only while the server's guard is held.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def exists(self) -> bool:
        """Whether the file is there."""
        return self._path.exists()

    def create(self) -> None:
        """Draw the passwords and write the file."""
        self._write({login: secrets.token_hex(24) for login in LOGINS})

    def password(self, login: str) -> str:
        """The password of one of ``LOGINS``."""
        return self._read()[login]

    @property
    def grant_key(self) -> str | None:
        """The key that signs grants, as ``migrate`` gave it; None before."""
        return self._read().get("grant_key")

    def store_grant_key(self, key: str) -> None:
        """Keep ``key`` as the key that signs grants."""
        self._write({**self._read(), "grant_key": key})

    def _read(self) -> dict[str, str]:
        try:
            content = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            content = None
        if not isinstance(content, dict) or any(not isinstance(content.get(login), str) for login in LOGINS):
            raise ConfigurationError(
                f"{self._path} is missing or damaged: it holds the passwords of the embedded server beside it; restore "
                "the file, or remove the folder and ingest again"
            )
        return content

    def _write(self, content: dict[str, str]) -> None:
        # mkstemp makes the file 0600 from the start; the rename makes the change whole or none.
        descriptor, name = tempfile.mkstemp(prefix=f"{self._path.name}.", dir=self._path.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(content, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, self._path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
