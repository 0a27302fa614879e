"""DuckDB databases that reach for nothing by themselves; one is opened once in a block that reads several times."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from thresher.errors import ThresherError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Settings = Callable[[], AbstractContextManager[Mapping[str, Any]]]
"""Settings of a kind of database while it is open."""

GUARDS: dict[str, Any] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "preserve_insertion_order": "true",
    "enable_external_file_cache": "false",
}
"""Extensions are neither installed nor loaded on their own, so a path cannot make it reach for the network; names in a
query never mean Python variables; rows keep the order of the file, so that a result can be reproduced; and no file is
remembered, as it may have changed."""

_NO_BAR = "SET enable_progress_bar=false"
"""Where Python is interactive, DuckDB would print a bar of its own to stdout."""


@dataclass
class _Shared:
    stack: ExitStack
    owner: int = field(default_factory=os.getpid)
    databases: dict[str, DuckDBPyConnection] = field(default_factory=dict)


_shared: ContextVar[_Shared | None] = ContextVar("thresher_database", default=None)


@contextmanager
def shared() -> Iterator[None]:
    """Open a database once in this block, which takes 30 ms, however many connections; a block inside is part of it."""
    if _shared.get() is not None:
        yield
        return
    with ExitStack() as stack:
        token = _shared.set(_Shared(stack))
        try:
            yield
        finally:
            _shared.reset(token)


@contextmanager
def connected(kind: str, settings: Settings) -> Iterator[DuckDBPyConnection]:
    """Connection to a database in memory with these settings, closed when the block ends.

    The database itself, its threads and its temporary directory last as long as the block of `shared`, if any. DuckDB's
    interrupt errors are interrupts again.
    """
    scope = _shared.get()
    with ExitStack() as own:
        if scope is None or scope.owner != os.getpid():  # a forked process lacks the threads
            connection = _opened(settings, own)
        else:
            connection = _cursor(scope, kind, settings)
        own.callback(connection.close)
        connection.execute(_NO_BAR)
        try:
            yield connection
        except Exception as error:
            if is_interrupt(error):
                raise KeyboardInterrupt from error
            raise


@contextmanager
def second_connection(connection: DuckDBPyConnection) -> Iterator[DuckDBPyConnection]:
    """Second connection to the database of another, which answers nothing while rows of its own are still to come.

    It lacks the temporary tables and dataframes of the other.
    """
    with closing(connection.cursor()) as second:
        second.execute(_NO_BAR)
        yield second


def is_interrupt(error: Exception) -> bool:
    """Return whether the user interrupted a query: DuckDB's own error, or its form of a signal's exception.

    >>> is_interrupt(RuntimeError("Query interrupted")), is_interrupt(ValueError("no such file"))
    (True, False)
    """
    if isinstance(error, ThresherError):  # its text may begin with the name of any file
        return False
    return str(error).startswith("INTERRUPT") or (isinstance(error, RuntimeError) and "Query interrupted" in str(error))


def _cursor(scope: _Shared, kind: str, settings: Settings) -> DuckDBPyConnection:
    """Connect to the database of a block; reopen it after a damaged file ended the last one."""
    import duckdb

    if kind in scope.databases:
        try:
            scope.databases[kind].execute("SELECT 1")
        except duckdb.FatalException:
            del scope.databases[kind]
    if kind not in scope.databases:
        scope.databases[kind] = _opened(settings, scope.stack)
    return scope.databases[kind].cursor()


def _opened(settings: Settings, stack: ExitStack) -> DuckDBPyConnection:
    import duckdb

    connection = duckdb.connect(":memory:", config={**GUARDS, **stack.enter_context(settings())})
    stack.callback(connection.close)
    return connection
