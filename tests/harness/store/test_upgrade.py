"""Databases of every age open, whole or not at all, whoever is killed and whoever else opens them."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from harness.records import PledgeRecord
from harness.store import Store, StoreError, engines, tables, upgrade
from harness.store.place import find
from tests.harness.store.ages.__main__ import fill
from tests.harness.store.child import begin, child, line
from tests.harness.store.samples import OUTCOME, call_of, message_of, run_of, turn_of

AGES = Path(__file__).parent / "ages"
NOW = upgrade.HEAD
NEXT_NUMBER = f"{int(NOW) + 1:04}"
NEXT = f'''"""A migration to come, as the tests imagine it: SQLite has to make both tables anew."""

import sqlalchemy as sa
from alembic import op

revision = "{NEXT_NUMBER}"
down_revision = "{NOW}"


def upgrade():
    for name, column in (("call", "model"), ("match", "game")):
        with op.batch_alter_table(name) as batch:
            batch.add_column(sa.Column("extra", sa.Text, nullable=False, server_default="old"))
            batch.alter_column(column, nullable=True)
'''


@pytest.fixture
def next_scripts(tmp_path: Path) -> Path:
    """The migrations with one more."""
    folder = tmp_path / "migrations"
    shutil.copytree(upgrade.SCRIPTS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / f"{NEXT_NUMBER}_next.py").write_text(NEXT)
    return folder


@pytest.fixture
def tomorrow(next_scripts: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """This process knows one migration more."""
    monkeypatch.setattr(upgrade, "SCRIPTS", next_scripts)
    monkeypatch.setattr(upgrade, "HEAD", NEXT_NUMBER)
    return next_scripts


def of_age(version: str, path: Path) -> Path:
    connection = sqlite3.connect(path)
    connection.executescript((AGES / f"{version}.sql").read_text(encoding="utf-8"))
    connection.close()
    return path


def scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(upgrade.SCRIPTS))
    return ScriptDirectory.from_config(config)


def test_the_newest_migration_is_the_one_that_is_looked_for() -> None:
    assert scripts().get_heads() == [upgrade.HEAD]


def test_one_of_each_age_is_kept() -> None:
    kept = {path.stem for path in AGES.glob("*.sql")}
    assert kept == {script.revision for script in scripts().walk_revisions()}


def test_the_migrations_make_the_tables_that_the_code_means(url: str) -> None:
    Store.open(url).close()
    engine = engines.reading(find(url))
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, tables.run.metadata) == []
    engine.dispose()


def check_first_age(store: Store) -> None:
    (run,) = store.runs()
    assert run == run_of("first", source="name: first", id=1)
    played, other = store.matches(1)
    assert (played.status, played.outcome, played.plies, other.status, other.why) == (
        "finished",
        OUTCOME,
        2,
        "paused",
        "quota",
    )
    assert store.calls(1, prompts=True) == [call_of(id=1, run_id=1, match_id=1)]
    told = {"thoughts": "hm", "notes": "n", "talk": ("red",)}
    assert store.turns(1) == [turn_of(1, call_id=1, **told), turn_of(2, "blue", source="fallback")]
    promised = PledgeRecord(kind="donate", addressee="blue", turns=4, condition="spare")
    assert store.messages(1) == [
        message_of(0, call_id=1, pledges=(promised,)),
        message_of(1, "blue", text="\x00\ud800"),
    ]
    assert store.inbox(2, "red", 0) == ["pass"]
    assert [seat.place for seat in store.seat_stats([1])] == [1, 2, 3, 4, None, None, None, None]


@pytest.mark.parametrize("age", sorted(path.stem for path in AGES.glob("*.sql")))
@pytest.mark.parametrize("readonly", [False, True])
def test_every_age_opens(tmp_path: Path, readonly: bool, age: str) -> None:
    path = of_age(age, tmp_path / "parley.db")
    with Store.open_readonly(path) if readonly else Store.open(path) as store:
        check_first_age(store)


@pytest.mark.parametrize("readonly", [False, True])
def test_an_older_database_is_brought_up_to_date(
    url: str, tomorrow: Path, readonly: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as today:
        today.setattr(upgrade, "HEAD", NOW)
        today.setattr(upgrade, "SCRIPTS", Path(upgrade.__file__).parent / "migrations")
        with Store.open(url) as store:
            fill(store)
    with Store.open_readonly(url) if readonly else Store.open(url) as store:
        check_first_age(store)
        with store.reading() as connection:
            assert connection.exec_driver_sql("SELECT extra FROM call").scalars().all() == ["old"]
            assert connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() == NEXT_NUMBER


def test_a_newer_database_is_refused(url: str, tomorrow: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store.open(url).close()
    monkeypatch.setattr(upgrade, "HEAD", NOW)
    for opening in (Store.open, Store.open_readonly):
        with pytest.raises(
            StoreError, match=rf"a newer Parley made it \(schema {NEXT_NUMBER}, known up to {NOW}\); upgrade Parley$"
        ):
            opening(url)


@pytest.mark.parametrize("left", ["_alembic_tmp_call", "_alembic_tmp_match"])
def test_a_table_left_behind_by_a_migration_stops_nothing(tmp_path: Path, tomorrow: Path, left: str) -> None:
    path = of_age("0001", tmp_path / "parley.db")
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE {left} (id INTEGER)")
    connection.close()
    with Store.open(path) as store:
        check_first_age(store)
    names = {name for (name,) in sqlite3.connect(path).execute("SELECT name FROM sqlite_master")}
    assert left not in names


def test_a_table_left_behind_in_a_new_database_stops_nothing(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "parley.db") as connection:
        connection.execute("CREATE TABLE _alembic_tmp_call (id INTEGER)")
    connection.close()
    with Store.open(tmp_path / "parley.db") as store:
        assert store.runs() == []


def test_a_migration_that_would_orphan_rows_is_not_made(tmp_path: Path, tomorrow: Path) -> None:
    script = tomorrow / "versions" / f"{NEXT_NUMBER}_next.py"
    script.write_text(NEXT.replace("def upgrade():", 'def upgrade():\n    op.execute("DELETE FROM run")'))
    path = of_age("0001", tmp_path / "parley.db")
    with pytest.raises(StoreError, match=r"would leave a row of [a-z]+ without its parent"):
        Store.open(path)
    script.write_text(NEXT)
    with Store.open(path) as store:
        check_first_age(store)


def state(path: Path) -> str:
    """Which version a database is of, having seen that it is whole."""
    connection = sqlite3.connect(path)
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    version = "none"
    if "alembic_version" in names:
        (version,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        columns = {row[1] for row in connection.execute("PRAGMA table_info(call)")}
        assert ("extra" in columns) is (version == NEXT_NUMBER)
        assert names - {"alembic_version"} == upgrade.OURS
    else:
        assert names == set()
    connection.close()
    return str(version)


def test_killed_at_any_statement_of_an_upgrade(tmp_path: Path, tomorrow: Path) -> None:
    path = of_age("0001", tmp_path / "parley.db")
    seen = []
    with child("die_at", str(path), str(tomorrow), NEXT_NUMBER) as process:
        assert process.stdin is not None
        for number in range(0, 300, 3):
            process.stdin.write(f"{number}\n")
            process.stdin.flush()
            said = line(process)
            seen.append(state(path))
            if said == "ended 0":
                break
            assert said == "killed"
    assert seen.count("0001") > 10
    assert seen[-1] == NEXT_NUMBER
    with Store.open(path) as store:
        check_first_age(store)


def test_killed_at_any_statement_of_the_first_opening(tmp_path: Path) -> None:
    path = tmp_path / "parley.db"
    seen = []
    with child("die_at", str(path), str(upgrade.SCRIPTS), upgrade.HEAD) as process:
        assert process.stdin is not None
        for number in range(0, 300, 4):
            process.stdin.write(f"{number}\n")
            process.stdin.flush()
            said = line(process)
            seen.append(state(path) if path.exists() else "none")
            if said == "ended 0":
                break
            assert said == "killed"
    assert seen.count("none") > 5
    assert seen[-1] == NOW
    with Store.open(path) as store:
        assert store.runs() == []


def opened_at_once(url: str, *migrations: str) -> int:
    with child("open_at_once", url, "8", *migrations) as process:
        begin(process)
        return int(line(process))


def test_eight_processes_open_the_same_new_database(url: str) -> None:
    assert opened_at_once(url) == 8
    with Store.open(url) as store:
        assert store.create_run(run_of()).result() == 1


def test_eight_processes_open_the_same_older_database(url: str, next_scripts: Path) -> None:
    with Store.open(url) as store:
        fill(store)
    assert opened_at_once(url, str(next_scripts), NEXT_NUMBER) == 8
