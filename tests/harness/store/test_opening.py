"""A database that cannot be opened is named in one line, without its password."""

from __future__ import annotations

import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.store import Store, StoreError, default_url, engines
from harness.store.place import find
from tests.harness.store.child import ROOT
from tests.harness.store.samples import new_match, run_of


def refused(url: str | Path, *, readonly: bool = False, create: bool = True) -> str:
    with pytest.raises(StoreError) as caught:
        (Store.open_readonly(url) if readonly else Store.open(url, create=create)).close()
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("readonly", [False, True])
def test_a_file_that_is_no_database(tmp_path: Path, readonly: bool) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("remember the milk\n" * 100)
    assert refused(path, readonly=readonly).startswith(f"database {path}: the file is not an SQLite database")
    assert path.read_text() == "remember the milk\n" * 100


@pytest.mark.parametrize("readonly", [False, True])
def test_a_database_of_something_else_is_left_as_it_is(tmp_path: Path, readonly: bool) -> None:
    path = tmp_path / "places.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE bookmark (url TEXT)")
    connection.close()
    before = path.read_bytes()
    assert (
        refused(path, readonly=readonly) == f"database {path}: it holds something else (table bookmark); name another"
    )
    assert path.read_bytes() == before


def test_a_database_under_another_alembic_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
        connection.execute("INSERT INTO alembic_version VALUES ('ae1027a6acf')")
    assert "it holds something else (schema 'ae1027a6acf')" in refused(path)


@pytest.mark.parametrize("readonly", [False, True])
def test_a_folder(tmp_path: Path, readonly: bool) -> None:
    assert refused(tmp_path, readonly=readonly) == f"database {tmp_path}: it is a folder; give a file's path"


def test_a_folder_that_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "no" / "parley.db"
    assert refused(path) == f"database {path}: there is no folder {tmp_path / 'no'}; make it first"
    assert not path.parent.exists()


@pytest.mark.parametrize("left", [None, b""])
def test_reading_where_there_is_nothing(tmp_path: Path, left: bytes | None) -> None:
    path = tmp_path / "parley.db"
    if left is not None:
        path.write_bytes(left)
    said = f"there is no database at {path}; `parley run FILE` makes one"
    assert refused(path, readonly=True) == said
    assert refused(path, create=False) == said
    assert path.exists() is (left is not None)


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "parley.db"
    path.touch()
    with Store.open(path) as store:
        assert store.runs() == []


def test_a_damaged_database(tmp_path: Path) -> None:
    path = tmp_path / "parley.db"
    with Store.open(path) as store:
        for number in range(200):
            store.create_run(run_of(f"run {number}", source="x" * 500)).result()
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))
    assert "damaged" in refused(path, readonly=True)


@pytest.mark.parametrize("name", ["with blank.db", "50%.db", "a?b=c.db", "#1.db", "ключ.db", "a&mode=memory.db"])
def test_any_file_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with Store.open(path) as store:
        new_match(store)
    assert list(tmp_path.iterdir()) == [path]
    with Store.open_readonly(path) as store:
        assert len(store.runs()) == 1


def test_a_url_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "parley.db"
    with Store.open(f"sqlite:///{path}") as store:
        assert store.where == str(path)
    assert path.exists()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "the path is empty"),
        ("  ", "the path is empty"),
        (":memory:", "cannot be kept in memory"),
        ("sqlite://", "cannot be kept in memory"),
        ("sqlite:///:memory:", "cannot be kept in memory"),
        ("sqlite:///x.db?mode=ro", "takes no host and no options"),
        ("sqlite://host/x.db", "takes no host and no options"),
        ("mysql://me:secret@host/x", "'mysql' is not a kind that Parley knows"),
        ("http://me:secret@host/x", "'http' is not a kind that Parley knows"),
        ("postgresql+psycopg2://me:secret@host/x", "reached by psycopg 3"),
        ("postgresql://me:secret@host:port/x", "is not a URL that can be read"),
        ("://me:secret@host/x", "is not a URL that can be read"),
        ("postgresql://me:secret@127.0.0.1/x?no_such_option=1", "no_such_option"),
    ],
)
def test_a_url_that_cannot_be(url: str, said: str) -> None:
    message = refused(url)
    assert said in message
    assert "secret" not in message


@pytest.mark.parametrize("kind", ["postgresql", "postgres", "postgresql+psycopg"])
@pytest.mark.parametrize("readonly", [False, True])
def test_a_server_that_is_not_there(kind: str, readonly: bool) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        message = refused(f"{kind}://me:secret@127.0.0.1:{port}/x?password=secret", readonly=readonly)
    assert message.startswith(f"database postgresql://me:***@127.0.0.1:{port}/x: ")
    assert "refused" in message
    assert "secret" not in message


def test_without_psycopg() -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from harness.store import Store, StoreError\n"
        "try: Store.open('postgresql://me:secret@127.0.0.1/x')\n"
        "except StoreError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert said == "database: PostgreSQL needs psycopg; pip install 'parley-harness[postgres]'\n"


def test_the_error_and_the_default_cost_no_database_library() -> None:
    heavy = ("sqlalchemy", "sqlmodel", "alembic", "pydantic")
    code = f"import sys, harness.store; print([name for name in {heavy} if name in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        == "[]\n"
    )


def test_where_it_is_by_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PARLEY_DB", raising=False)
    assert default_url() == "runs/parley.db"
    Store.open().close()
    assert (tmp_path / "runs" / "parley.db").exists()
    monkeypatch.setenv("PARLEY_DB", str(tmp_path / "other.db"))
    assert default_url() == str(tmp_path / "other.db")
    with Store.open() as store:
        assert store.where == str(tmp_path / "other.db")


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that every user may enter and only its owner may change."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def as_stranger(code: str, folder: Path) -> str:
    """What the code prints when run without the right to write in the folder; root gives up its rights for it."""
    folder.chmod(0o555)
    code = f"import os, harness.store.store, tests.harness.store.samples\nif not os.geteuid(): os.setuid(65534)\n{code}"
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_a_file_that_may_only_be_read_is_read(shared: Path) -> None:
    path = shared / "parley.db"
    with Store.open(path) as store:
        new_match(store)
    path.chmod(0o444)
    code = (
        "from harness.store import Store, StoreError\n"
        f"with Store.open_readonly({str(path)!r}) as store: print(len(store.runs()))\n"
        f"for name in ('parley.db', 'new.db'):\n"
        f"    try: Store.open({str(shared)!r} + '/' + name)\n"
        "    except StoreError as error: print(error)"
    )
    assert as_stranger(code, shared).splitlines() == [
        "1",
        f"database {path}: the file may not be written to",
        f"database {shared / 'new.db'}: the folder {shared} may not be written to",
    ]


def test_a_file_that_may_be_written_in_a_folder_that_may_not(shared: Path) -> None:
    path = shared / "parley.db"
    with Store.open(path) as store:
        new_match(store)
    path.chmod(0o666)
    code = (
        "from harness.store import Store, StoreError\n"
        "from tests.harness.store.samples import run_of\n"
        f"try:\n    with Store.open({str(path)!r}) as store: store.create_run(run_of('two')).result()\n"
        "except StoreError as error: print(error)"
    )
    said = as_stranger(code, shared)
    assert "may not be written to" in said
    assert len(said.splitlines()) == 1


@pytest.mark.soak
def test_a_server_database_may_hold_other_tables_but_not_of_our_names(request: pytest.FixtureRequest) -> None:
    server = request.getfixturevalue("server")
    beside, instead = server.new_database(), server.new_database()
    for url, name in ((beside, "bookmark"), (instead, "message")):
        engine = engines.writing(find(url))
        with engine.begin() as connection:
            connection.exec_driver_sql(f"CREATE TABLE {name} (id integer)")
        engine.dispose()
    with Store.open(beside) as store:
        new_match(store)
    assert "it holds something else (table message)" in refused(instead)


@pytest.mark.soak
def test_a_server_without_that_database(request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue("server").new_database().replace("@/parley", "@/nothing")
    assert 'database "nothing' in refused(url)
    assert "does not exist" in refused(url, readonly=True)


@pytest.mark.soak
def test_reading_an_empty_server_database(request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue("server").new_database()
    assert refused(url, readonly=True).startswith("there is no database at postgresql://parley@/parley")
