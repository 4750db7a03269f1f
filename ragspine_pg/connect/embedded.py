"""The embedded server: a PostgreSQL of our own in a folder, started by the first who opens it, stopped by the last.

It listens on a socket in a folder that only its account may enter, and asks for passwords. Three logins hold one
authority each (``owner``, ``ingest``, ``reader``); the superuser is for setup and tests.

The folder (``home``)::

    guard, lease     locked files, see lease.py
    keyring.json     passwords and the grant key, 0600
    cluster/         of the server's account: data, run (the socket), log
"""

import os
import stat
import weakref
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

import platformdirs
import psycopg

from ragspine_pg.connect import postmaster
from ragspine_pg.connect.account import choose_account
from ragspine_pg.connect.binaries import find_binaries
from ragspine_pg.connect.keyring import Keyring
from ragspine_pg.connect.lease import Lease, guarded
from ragspine_pg.connect.provision import LOGINS, make_database, make_roles, make_vector
from ragspine_pg.errors import ConfigurationError, UnavailableError

DATABASE = "ragspine"

_GUARD_SECONDS = 330.0  # a little more than the longest start


def default_home() -> Path:
    """The platform's user data folder for this package; ``RAGSPINE_HOME`` is looked at by ``config``, not here."""
    return platformdirs.user_data_path("ragspine_pg", appauthor=False)


class EmbeddedServer:
    """A share in a running embedded server, until ``close`` (or the end of the process, or of the last reference).

    Any number of threads and processes may hold shares of one home at once. A forked child shares its parent's and
    keeps the server running until it, too, has closed it or ended. The last holder stops the server; one that is killed
    leaves it running, for the next to attach to.
    """

    def __init__(self, home: Path, socket_folder: Path, lease: Lease) -> None:
        """Use ``open``."""
        self.home = home
        self._socket_folder = socket_folder
        self._keyring = Keyring(home / "keyring.json")
        self._finalizer = weakref.finalize(self, _give_up, home, lease)

    @classmethod
    def open(cls, home: Path | None = None, *, durable: bool = True, pg_bin: Path | None = None) -> Self:
        """Attach to the server of ``home``, started or made first where needed.

        ``durable=False`` (tests) trades safety against power loss for speed; it applies to the start, not to attaching.
        ``pg_bin``: the folder of PostgreSQL's programs (else ``RAGSPINE_PG_BIN``, the wheel, this machine's).
        Raises ``ConfigurationError`` (no PostgreSQL, no account to run it, a folder or cluster that cannot be used, a
        folder that holds other files and no server) and
        ``UnavailableError`` (it does not start, or another process holds the guard for too long).
        """
        home = (home if home is not None else default_home()).expanduser().absolute()
        _make_home(home)
        with guarded(home / "guard", wait_seconds=_GUARD_SECONDS):
            folder = postmaster.find_running(home / "cluster")
            if folder is None:
                folder = _start(home, durable=durable, pg_bin=pg_bin)
            return cls(home, folder, Lease(home / "lease"))

    def close(self) -> None:
        """Give up this share; the last one stops the server. Closing twice is fine."""
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"EmbeddedServer({str(self.home)!r})"

    @property
    def reader_url(self) -> str:
        """The login that searches: a member of ragspine_reader."""
        return self.url("reader")

    @property
    def ingest_url(self) -> str:
        """The login that writes: a member of ragspine_ingest, with the right to temporary tables."""
        return self.url("ingest")

    @property
    def owner_url(self) -> str:
        """The login that migrates: owner of the database, no superuser."""
        return self.url("owner")

    @property
    def superuser_url(self) -> str:
        """The bootstrap superuser, for setup and tests only: row-level security does not hold for it."""
        return self.url("superuser")

    def url(self, login: str, database: str = DATABASE) -> str:
        """The ``postgresql://`` URL of a login ("owner", "ingest", "reader", "superuser"), with its password."""
        return _url(self._keyring, self._socket_folder, login, database)

    @property
    def grant_key(self) -> str | None:
        """The key that signs grants for the database, if one was stored."""
        return self._keyring.grant_key

    def store_grant_key(self, key: str, *, replace: bool = False) -> None:
        """Keep ``key`` beside the passwords, unless there is one: of processes that draw one at once, the first wins.

        Read ``grant_key`` afterwards. With ``replace`` it takes the place of the one there is.
        """
        with guarded(self.home / "guard", wait_seconds=_GUARD_SECONDS):
            if replace or self._keyring.grant_key is None:
                self._keyring.store_grant_key(key)

    @property
    def log_path(self) -> Path:
        """The server's log."""
        return self.home / "cluster" / "log"


def _url(keyring: Keyring, socket_folder: Path, login: str, database: str) -> str:
    user = postmaster.SUPERUSER if login == "superuser" else login
    return f"postgresql://{user}:{keyring.password(login)}@/{quote(database)}?host={quote(str(socket_folder), safe='')}"


# What a home of ours holds; a half-made one holds some of it, and one in use may have got other files later.
_OURS = {"guard", "lease", "keyring.json", "cluster"}
_GROWN = {"guard", "cluster"}


def _is_foreign(home: Path) -> bool:
    held = {path.name for path in home.iterdir()} if home.exists() else set()
    return not held >= _GROWN and any(name not in _OURS and not name.startswith("keyring.json.") for name in held)


def _make_home(home: Path) -> None:
    if not str(home).isprintable():
        raise ConfigurationError("the embedded server's folder has a path with line breaks or control characters")
    try:
        if _is_foreign(home):
            raise ConfigurationError(
                f"the folder {home} holds other files and no embedded server: nothing was put there; set RAGSPINE_HOME"
                " to an empty folder or a new one, such as a folder within it"
            )
        home.parent.mkdir(parents=True, exist_ok=True)
        # Root's server runs under another account, which has to pass through.
        home.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700, exist_ok=True)
        (home / "cluster").mkdir(mode=0o700, exist_ok=True)
        state = home.stat()
    except OSError as error:
        raise ConfigurationError(f"the embedded server cannot use the folder {home}: {error.strerror}") from None
    if state.st_uid != os.geteuid() or state.st_mode & stat.S_IWOTH:
        raise ConfigurationError(
            f"the embedded server's folder {home} belongs to another user or can be written by everyone; set "
            "RAGSPINE_HOME to a folder of your own"
        )


def _start(home: Path, *, durable: bool, pg_bin: Path | None) -> Path:
    """Make what is missing, start the server and set it up; each step can be taken up again after a kill."""
    cluster = home / "cluster"
    binaries = find_binaries(pg_bin)
    account = choose_account(binaries.folder, cluster)
    account.own(cluster)
    keyring = Keyring(home / "keyring.json")
    major = postmaster.made_by_major(cluster)
    if major is None:
        if not keyring.exists():
            keyring.create()
        postmaster.make_cluster(cluster, binaries, account, keyring.password("superuser"), durable=durable)
    elif major != binaries.major:
        raise ConfigurationError(
            f"{home} was made by PostgreSQL {major}, and the programs at hand are of {binaries.major}; set "
            f"RAGSPINE_PG_BIN to PostgreSQL {major}, or move the data by pg_dump and restore"
        )
    folder = postmaster.start(cluster, binaries, account, durable=durable)
    try:
        _set_up(keyring, folder)
    except BaseException:
        postmaster.stop(cluster)
        raise
    return folder


def _set_up(keyring: Keyring, folder: Path) -> None:
    passwords = {login: keyring.password(login) for login in LOGINS}
    try:
        with psycopg.connect(_url(keyring, folder, "superuser", "postgres"), autocommit=True) as connection:
            make_roles(connection, passwords)
            make_database(connection, DATABASE)
        with psycopg.connect(_url(keyring, folder, "superuser", DATABASE), autocommit=True) as connection:
            make_vector(connection)
    except psycopg.errors.FeatureNotSupported:
        raise ConfigurationError(
            "the PostgreSQL at hand has no pgvector; install it there, or `pip install 'ragspine-pg[embedded]'`"
        ) from None
    except psycopg.OperationalError as error:
        raise UnavailableError(
            f"the embedded server refuses its setup ({type(error).__name__}); does {folder} belong to another home?"
        ) from None


def _give_up(home: Path, lease: Lease) -> None:
    if not home.exists():  # removed under a running server, which then ends by itself
        lease.give_up()
        return
    with guarded(home / "guard", wait_seconds=_GUARD_SECONDS):
        if lease.give_up():
            postmaster.stop(home / "cluster")
