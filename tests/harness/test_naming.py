"""A whole file gets its name, on file systems with hard links and without, and never in another's place unasked."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Never

import pytest

from harness.data.write import CannotWrite, write_lines
from harness.naming import give_name


@pytest.fixture(params=["links", "no links"], autouse=True)
def links(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "no links":

        def refused(path: Path, _: object) -> Never:
            raise OSError(errno.EPERM, "Operation not permitted", str(path))

        monkeypatch.setattr(Path, "hardlink_to", refused)


def test_a_new_file_gets_its_name(tmp_path: Path) -> None:
    partial, path = tmp_path / "partial", tmp_path / "whole"
    partial.write_text("words")
    partial.chmod(0o600)
    give_name(partial, path, force=False)
    assert path.read_text() == "words"
    assert path.stat().st_mode & 0o777 == 0o666 & ~_mask()


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_file_that_is_there_is_replaced_only_if_asked_for(tmp_path: Path) -> None:
    partial, path = tmp_path / "partial", tmp_path / "whole"
    partial.write_text("new")
    path.write_text("old")
    with pytest.raises(FileExistsError):
        give_name(partial, path, force=False)
    assert path.read_text() == "old"
    give_name(partial, path, force=True)
    assert path.read_text() == "new"


def test_an_export_is_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    assert write_lines([{"one": 1}], path) == 1
    assert path.read_text() == '{"one":1}\n'
    assert [one.name for one in tmp_path.iterdir()] == ["lines.jsonl"]


def test_a_file_that_came_while_lines_were_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"

    def lines() -> object:
        yield {"one": 1}
        path.write_text("another's")

    with pytest.raises(CannotWrite, match=r"lines\.jsonl is there already; --force replaces it"):
        write_lines(lines(), path)
    assert path.read_text() == "another's"
    assert [one.name for one in tmp_path.iterdir()] == ["lines.jsonl"]
