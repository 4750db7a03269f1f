"""Everything that a server sends back, through libpq itself: no driver in between that could leave something out."""

import re
from collections.abc import Sequence

from psycopg import pq

_FIELDS = [field for field in pq.DiagnosticField if not field.name.startswith("SOURCE_")]  # PostgreSQL's own C files


def talk(url: str, statements: Sequence[str]) -> str:
    """Send ``statements`` one after another over one new connection; all that came back, as text.

    Rows and their column names, command tags, notices and errors with every field, what COPY gives, notifications.
    """
    connection = pq.PGconn.connect(url.encode())
    if connection.status != pq.ConnStatus.OK:
        raise ConnectionError("the login was refused")
    said: list[str] = []
    connection.notice_handler = lambda result: said.append(_fields("notice", result))
    try:
        for statement in statements:
            said.append(">")
            connection.send_query(statement.encode())
            while (result := connection.get_result()) is not None:
                said.extend(_read(connection, result))
            connection.consume_input()
            while (notification := connection.notifies()) is not None:
                said.append(f"notification {notification.relname!r} {notification.extra!r}")
            if connection.status != pq.ConnStatus.OK:
                said.append("connection lost")
                break
        pid = str(connection.backend_pid) if connection.status == pq.ConnStatus.OK else "no pid"
    finally:
        connection.finish()
    return re.sub(rf"\b{pid}\b", "<pid>", "\n".join(said))


def _read(connection: pq.abc.PGconn, result: pq.abc.PGresult) -> list[str]:
    match result.status:
        case pq.ExecStatus.TUPLES_OK | pq.ExecStatus.SINGLE_TUPLE:
            names = [_text(result.fname(column)) for column in range(result.nfields)]
            rows = [
                " | ".join(_text(result.get_value(row, column)) for column in range(result.nfields))
                for row in range(result.ntuples)
            ]
            return [f"columns {names}", *rows, f"{result.ntuples} rows"]
        case pq.ExecStatus.COPY_OUT:
            return [*_copied(connection), "copied out"]
        case pq.ExecStatus.COPY_IN:
            connection.put_copy_end(b"not meant")
            return ["copy in refused by the client"]
        case pq.ExecStatus.FATAL_ERROR:
            return [_fields("error", result)]
        case _:
            return [f"done {_text(result.command_status)}"]


def _copied(connection: pq.abc.PGconn) -> list[str]:
    lines: list[str] = []
    while True:
        size, data = connection.get_copy_data(0)
        if size <= 0:
            return lines
        lines.append(bytes(data).decode(errors="backslashreplace").rstrip("\n"))


def _fields(kind: str, result: pq.abc.PGresult) -> str:
    found = {field.name: result.error_field(field) for field in _FIELDS}
    return f"{kind} " + " ".join(f"{name}={_text(value)!r}" for name, value in found.items() if value is not None)


def _text(value: bytes | None) -> str:
    return "<null>" if value is None else value.decode(errors="backslashreplace")
