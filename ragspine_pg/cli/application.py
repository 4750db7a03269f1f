"""The application that every command is registered with, and what holds for all of them.

``command`` gives each command the connection's options (they may stand before or after its name) and one way to fail:
one line on stderr that says what to do, exit status 2 for a mistake of the user's, 1 for a failure of the system.
"""

import contextlib
import inspect
import os
import sys
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import typer
from typer.core import TyperGroup

from ragspine_pg.cli.connection import Connection
from ragspine_pg.cli.failure import BROKEN_PIPE, INTERRUPTED, explain_failure, say
from ragspine_pg.cli.interruption import quiet_when_interrupted
from ragspine_pg.cli.terminal import one_line
from ragspine_pg.config import unknown_variables

Function = TypeVar("Function", bound=Callable[..., None])

_PANEL = "Connection"

Database = Annotated[
    str | None,
    typer.Option("--database", metavar="URL", help="Searches [RAGSPINE_DATABASE_URL].", rich_help_panel=_PANEL),
]
IngestDatabase = Annotated[
    str | None,
    typer.Option("--ingest-database", metavar="URL", help="Writes [RAGSPINE_INGEST_URL].", rich_help_panel=_PANEL),
]
OwnerDatabase = Annotated[
    str | None,
    typer.Option("--owner-database", metavar="URL", help="Migrates [RAGSPINE_OWNER_URL].", rich_help_panel=_PANEL),
]
SingleLogin = Annotated[
    bool,
    typer.Option("--single-login", help="--database does all, without the backstop.", rich_help_panel=_PANEL),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of a failure.", rich_help_panel=_PANEL)]

# click's class of usage errors, by way of the one descendant that typer makes public: typer brings its own click.
_USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[2]


class _OneLineGroup(TyperGroup):
    """The group of commands; a usage error is one line and status 2, a closed pipe is no error worth a word."""

    def main(self, *args: Any, **options: Any) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a character goes on
        options["standalone_mode"] = False
        try:
            status = super().main(*args, **options)
        except (typer.Abort, KeyboardInterrupt):
            say("interrupted")
            status = INTERRUPTED
        except _USAGE_ERROR as error:
            status = _usage(error)
        if status == BROKEN_PIPE:
            # Python flushes once more at exit, and must not complain then.
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(status if isinstance(status, int) else 0)


def _usage(error: Any) -> int:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "ragspine-pg"
    if type(error).__name__ == "NoArgsIsHelpError":
        return 2  # making the error has shown the help
    say(f"{' '.join(error.format_message().split())} (`{path} --help` lists what there is)", name=path)
    return int(error.exit_code)


app = typer.Typer(
    name="ragspine-pg",
    cls=_OneLineGroup,
    help="Retrieval inside your own PostgreSQL: exact BM25, access rights, provenance and versions that hold.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"ragspine-pg {version('ragspine-pg')}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    database: Database = None,
    ingest_database: IngestDatabase = None,
    owner_database: OwnerDatabase = None,
    single_login: SingleLogin = False,
    debug: Debug = False,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    context.obj = Connection(database, ingest_database, owner_database, single_login, debug)


def _warn_of_variables() -> None:
    for name, near in unknown_variables(os.environ).items():
        meant = f"; is {near} meant?" if near is not None else ""
        say(f"warning: {one_line(name)} in the environment is no setting and has no effect{meant}")


def _unwrapped(text: str) -> str:
    """A line a paragraph: the help breaks lines to the terminal's width, and would keep the source's breaks besides."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _options(context: typer.Context) -> dict[str, str]:
    """The options of the command that runs, by the names that Python has for them."""
    return {str(found.name): found.opts[0] for found in context.command.params if found.opts[0].startswith("-")}


def command(name: str, *, panel: str) -> Callable[[Function], Function]:
    """Register a function as the command ``name``, listed in the help's ``panel``.

    Its first parameter receives the ``Connection`` and is no option; its other parameters and its docstring are typer's
    to read. The function comes back unchanged.
    """

    def register(function: Function) -> Function:
        signature = inspect.signature(function, eval_str=True)
        own = list(signature.parameters.values())[1:]

        def guarded(
            context: typer.Context,
            *,
            database: Database = None,
            ingest_database: IngestDatabase = None,
            owner_database: OwnerDatabase = None,
            single_login: SingleLogin = False,
            debug: Debug = False,
            **given: Any,
        ) -> None:
            before = context.find_object(Connection) or Connection()
            connection = before.overridden(Connection(database, ingest_database, owner_database, single_login, debug))
            _warn_of_variables()
            try:
                with contextlib.nullcontext() if connection.debug else quiet_when_interrupted():
                    function(connection, **given)
                sys.stdout.flush()
            except (typer.Exit, typer.Abort, _USAGE_ERROR):
                raise
            except BrokenPipeError:
                raise typer.Exit(BROKEN_PIPE) from None
            except BaseException as error:  # noqa: BLE001 - whatever it is, the user gets a line and a status
                options = _options(context)
                raise typer.Exit(explain_failure(error, debug=connection.debug, options=options)) from None

        shared = list(inspect.signature(guarded, eval_str=True).parameters.values())
        parameters = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in [shared[0], *own, *shared[1:-1]]
        ]
        guarded.__name__ = function.__name__
        guarded.__doc__ = _unwrapped(inspect.getdoc(function) or "")
        guarded.__module__ = function.__module__
        guarded.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        guarded.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        app.command(name, rich_help_panel=panel)(guarded)
        return function

    return register
