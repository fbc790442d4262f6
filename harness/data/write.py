"""Runs written as files: one a table, as JSONL, as Parquet, or both.

Rows are written as they are read, so that memory does not grow with the run. A file gets its name once all of them are
whole; before that it bears a temporary one beside it.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, Protocol

from pydantic_core import to_json

from harness.data.schema import FORMAT, TABLES, Table, arrow_schema, arrow_table
from harness.naming import give_name
from harness.store.log_bulk import no_collection

if TYPE_CHECKING:
    from harness.data.read import Rows

Format = Literal["jsonl", "parquet"]
MANIFEST = "export.json"
"""Beside JSONL files: what they are, and how many lines each has."""
_ROWS = 16_384
"""Rows of a Parquet file's row group, at most."""
_CHARS = 16_000_000
"""Characters of a row group, of tables whose rows may be long."""


class CannotWrite(Exception):
    """Why files cannot be written where they were wanted, in one line."""


class _Sink(Protocol):
    """A file under way."""

    def write(self, rows: Rows) -> None:
        """Add rows."""

    def close(self) -> None:
        """Write what is left."""

    def leave(self) -> None:
        """Be done with the file, whole or not. Harmless when repeated."""


class _Jsonl:
    def __init__(self, table: Table, file: IO[bytes]) -> None:
        self._names = table.names
        self._file = file

    def write(self, rows: Rows) -> None:
        names = self._names
        self._file.writelines([to_json(dict(zip(names, row, strict=True))) + b"\n" for row in rows])

    def close(self) -> None:
        self._file.flush()

    def leave(self) -> None:
        """The file is closed by whoever opened it."""


class _Parquet:
    def __init__(self, table: Table, file: IO[bytes]) -> None:
        from pyarrow import parquet

        self._table = table
        self._writer = parquet.ParquetWriter(file, arrow_schema(table), compression="zstd")
        self._rows: list[Sequence[Any]] = []
        self._chars = 0

    def write(self, rows: Rows) -> None:
        self._rows += rows
        if self._table.long:
            self._chars += sum(len(value) for row in rows for value in row if isinstance(value, str))
        if len(self._rows) >= _ROWS or self._chars >= _CHARS:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def leave(self) -> None:
        # Left open, it would write to the closed file when it is collected, and complain.
        self._writer.close()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(arrow_table(self._table, self._rows))
        self._rows, self._chars = [], 0


_SINKS: Mapping[Format, type[_Jsonl] | type[_Parquet]] = {"jsonl": _Jsonl, "parquet": _Parquet}


def file_name(table: str, kind: Format) -> str:
    """The name of a table's file."""
    return f"{table}.{kind}"


def write_tables(
    rows: Iterable[tuple[str, Rows]],
    folders: Mapping[Format, Path],
    tables: Collection[str],
    *,
    about: Mapping[str, Any],
    force: bool = False,
) -> dict[str, int]:
    """Write rows to one file a table and format; how many rows each table has.

    `about` is told in the manifest beside JSONL files. Raises `CannotWrite` where a file is there already (unless
    `force`), or cannot be written; then none is.
    """
    files = _Files(force)
    counts = dict.fromkeys(tables, 0)
    with files.kept(), contextlib.ExitStack() as left:
        sinks: dict[str, list[_Sink]] = {
            table: [
                _SINKS[kind](TABLES[table], files.new(folder / file_name(table, kind)))
                for kind, folder in folders.items()
            ]
            for table in counts
        }
        for sink in (sink for some_sinks in sinks.values() for sink in some_sinks):
            left.callback(sink.leave)
        with no_collection():
            for table, some in rows:
                counts[table] += len(some)
                for sink in sinks[table]:
                    sink.write(some)
                # What statements leave is young; rows that wait to be written are looked through only once.
                gc.collect(0)
        for sink in (sink for some_sinks in sinks.values() for sink in some_sinks):
            sink.close()
        if "jsonl" in folders:
            manifest = {"parley_export": FORMAT, **about, "tables": counts}
            # The last to get its name: where it is, all else is.
            files.new(folders["jsonl"] / MANIFEST).write(json.dumps(manifest, indent=2).encode() + b"\n")
    return counts


def write_lines(lines: Iterable[Any], path: Path, *, force: bool = False) -> int:
    """Write JSON values to one file, one a line; how many. Raises `CannotWrite` as `write_tables` does."""
    files, count = _Files(force), 0
    with files.kept():
        file = files.new(path)
        for line in lines:
            file.write(to_json(line) + b"\n")
            count += 1
    return count


class _Files:
    """Files that get their names together, once all are whole."""

    def __init__(self, force: bool) -> None:
        self._force = force
        self._open: list[tuple[Path, Path, IO[bytes]]] = []
        self._made: list[Path] = []

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """Name the files that were made meanwhile; after an error leave nothing behind."""
        done, named = False, list[Path]()
        try:
            yield
            for _, _, file in self._open:
                file.close()
            if not self._force:
                for path, _, _ in self._open:
                    _must_be_new(path)
            for path, partial, _ in self._open:
                give_name(partial, path, force=self._force)
                named.append(path)
            done = True
        except FileExistsError as error:
            raise _is_there(Path(str(error.filename))) from error
        except OSError as error:
            raise CannotWrite(f"{error.filename or self._open[-1][0].parent}: {error.strerror or error}") from error
        finally:
            for _, partial, file in self._open:
                with contextlib.suppress(OSError):
                    file.close()
                partial.unlink(missing_ok=True)
            if not done:
                for path in () if self._force else named:
                    path.unlink(missing_ok=True)
                for folder in reversed(self._made):
                    with contextlib.suppress(OSError):
                        folder.rmdir()

    def new(self, path: Path) -> IO[bytes]:
        """A file that will bear that name; its folder is made if the one above is there."""
        folder = path.parent
        if not folder.exists():
            if not folder.parent.is_dir():
                raise CannotWrite(f"there is no folder {folder.parent} to make {folder.name} in")
            folder.mkdir()
            self._made.append(folder)
        if not folder.is_dir():
            raise CannotWrite(f"{folder} is a file, a folder is wanted")
        if path.is_dir():
            raise CannotWrite(f"{path} is a folder, a file is to be written there")
        if not self._force:
            _must_be_new(path)
        handle, name = tempfile.mkstemp(dir=folder, prefix=f".{path.name[:40]}.")
        file = os.fdopen(handle, "wb", buffering=1 << 20)
        self._open.append((path, Path(name), file))
        return file


def _must_be_new(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise _is_there(path)


def _is_there(path: Path) -> CannotWrite:
    return CannotWrite(f"{path} is there already; --force replaces it, another place keeps it")
