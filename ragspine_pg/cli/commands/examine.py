"""``doctor``."""

from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console
from rich.table import Table

from ragspine_pg.cli.application import command
from ragspine_pg.cli.arguments import JsonOption
from ragspine_pg.cli.connection import Connection
from ragspine_pg.cli.failure import SYSTEM
from ragspine_pg.cli.terminal import counted, messages, output, styled, write_json

if TYPE_CHECKING:
    from ragspine_pg.doctor import Diagnosis

_STYLES: Final = {"ok": "green", "warning": "yellow", "error": "bold red", "unchecked": "dim"}


@command("doctor", panel="Upkeep")
def doctor(
    connection: Connection,
    audit: Annotated[bool, typer.Option("--audit/--no-audit", help="Recount what every library holds.")] = True,
    deep: Annotated[bool, typer.Option("--deep", help="Analyse every text again, too; as long as an ingest.")] = False,
    json: JsonOption = False,
) -> None:
    """Examine settings, logins, rights, policies, functions and data; exit status 1 when something is an error.

    It changes nothing that is stored, works with the logins it has, and says what it could not check.
    """
    from ragspine_pg.doctor import Installation, examine

    given = frozenset(connection.given)
    status = messages().status("")
    opened = Installation.open(connection.config, given=given, single_login=connection.single_login)
    with opened as installation, status:
        diagnosis = examine(installation, audit=audit, deep=deep, on_step=lambda step: status.update(styled(step)))
    if json:
        write_json(diagnosis.to_json())
    else:
        _show(output(), diagnosis)
    if not diagnosis.ok:
        raise typer.Exit(SYSTEM)


def _show(console: Console, diagnosis: "Diagnosis") -> None:
    settings = Table.grid(padding=(0, 2))
    for setting in diagnosis.settings:
        settings.add_row(setting.name, styled(setting.value), styled((setting.source, "dim")))
    console.print(settings)
    console.print()
    for check in diagnosis.checks:
        console.print(styled((f"{check.state:<10}", _STYLES[check.state]), check.about), soft_wrap=True)
        for finding in check.findings:
            console.print(styled((" " * 10 + finding.what, _STYLES[finding.level])), soft_wrap=True)
            if finding.fix:
                console.print(styled(" " * 10 + f"-> {finding.fix}"), soft_wrap=True)
        if check.unchecked:
            console.print(styled((" " * 10 + f"not checked: {check.unchecked}", "dim")), soft_wrap=True)
    counts = {level: len(diagnosis.findings(level)) for level in ("error", "warning")}
    unchecked = sum(1 for check in diagnosis.checks if check.unchecked)
    console.print()
    console.print(
        styled(
            f"{counted(counts['error'], 'error')}, {counted(counts['warning'], 'warning')},"
            f" {counted(unchecked, 'check')} not or partly made"
        )
    )
