"""A database is opened once in a block that reads several times, and never outlives it."""

import os
import threading

import duckdb
import pytest

from thresher import database
from thresher.counts import saved
from thresher.errors import InputError
from thresher.readers.session import ask, session
from thresher.spool import once


@pytest.fixture
def opened(monkeypatch, databases_end):  # noqa: ARG001
    """Databases opened from now on."""
    every, connect = [], duckdb.connect
    monkeypatch.setattr(duckdb, "connect", lambda *args, **named: every.append(connect(*args, **named)) or every[-1])
    return every


def is_closed(connection):
    with pytest.raises(duckdb.ConnectionException, match="closed"):
        connection.execute("SELECT 1")
    return True


def test_alone_each_connection_has_a_database_that_is_closed_with_it(opened):
    for count in (1, 2):
        with session() as connection:
            folder = ask(connection, "SELECT current_setting('temp_directory')")[0][0]
            assert os.path.isdir(os.path.dirname(folder))
        assert len(opened) == count
        assert is_closed(connection)
        assert is_closed(opened[-1])
        assert not os.path.exists(os.path.dirname(folder))


def test_in_a_block_there_is_one_of_each_kind(opened):
    with once(), database.shared():
        for _ in range(2):
            with session() as one, session() as two, saved._connected() as other:
                ask(one, "CREATE TEMP TABLE rows AS SELECT 1")
                assert ask(other, "SELECT current_setting('threads')") == [(1,)]
                with pytest.raises(duckdb.CatalogException):
                    two.execute("FROM rows")
            assert is_closed(one)
        assert len(opened) == 2
        opened[0].execute("SELECT 1")
    assert all(map(is_closed, opened))


def test_what_an_error_ends_is_opened_anew(opened, monkeypatch):
    with database.shared():
        with pytest.raises(InputError), session() as connection:
            connection.execute("FROM 'no such file.csv'")
        with session():
            assert len(opened) == 1

        class Ended:
            def execute(self, _query):
                raise duckdb.FatalException("database has been invalidated")

        monkeypatch.setitem(database._shared.get().databases, "files", Ended())
        with session() as connection:
            assert ask(connection, "SELECT 1") == [(1,)]
        assert len(opened) == 2


def test_threads_and_forked_processes_have_their_own(opened, monkeypatch):
    with database.shared(), session():
        thread = threading.Thread(target=lambda: session().__enter__().close())
        thread.start()
        thread.join()
        assert len(opened) == 2
        monkeypatch.setattr(os, "getpid", lambda: -1)
        with session():
            assert len(opened) == 3
