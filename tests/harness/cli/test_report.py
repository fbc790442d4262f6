"""`parley report`: what its file holds, and what becomes of the file."""

from __future__ import annotations

import csv
import io
import json
import re
from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.harness.cli.calling import invoke


class Document(HTMLParser):
    """A page's elements: tags, ids and addresses."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.hrefs: list[str] = []
        self.files: dict[str, str] = {}
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = {name: value or "" for name, value in attrs}
        assert not any(name.startswith("on") for name in found)
        if "id" in found:
            self.ids.append(found["id"])
        href = found.get("href", found.get("xlink:href"))
        if href is not None and "download" in found:
            head, _, data = href.partition(";base64,")
            assert head == "data:text/csv;charset=utf-8"
            self.files[found["download"]] = b64decode(data).decode()
        elif href is not None:
            self.hrefs.append(href)

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def written(db: str, run: str, folder: Path) -> str:
    file = folder / "report.html"
    done = invoke("report", run, "-o", str(file), "--db", db)
    assert done.status == 0, done.err
    return file.read_text(encoding="utf-8")


def test_it_holds_the_figures_of_the_leaderboard(db: str, tmp_path: Path) -> None:
    text = written(db, "bots", tmp_path)
    page = Document(text)
    told = json.loads(invoke("leaderboard", "bots", "--json", "--db", db).out)["tables"][0]
    (name,) = [name for name in page.files if "leaderboard" in name]
    rows = {row["player"]: row for row in csv.DictReader(io.StringIO(page.files[name]))}
    assert set(rows) == {row["label"] for row in told["rows"]}
    for row in told["rows"]:
        assert int(rows[row["label"]]["matches"]) == row["matches"]
        assert float(rows[row["label"]]["mean_place"]) == pytest.approx(row["mean_place"])


def test_it_says_that_four_matches_are_too_few(db: str, tmp_path: Path) -> None:
    assert "No intervals: they need at least 20 packs" in " ".join(Document(written(db, "bots", tmp_path)).words)


def test_it_is_one_file_without_a_script(db: str, tmp_path: Path) -> None:
    text = written(db, "bots", tmp_path)
    page = Document(text)
    assert not {"script", "iframe", "object", "link", "base", "form"} & set(page.tags)
    assert "default-src 'none'" in text
    assert page.hrefs
    assert all(href.startswith("#") for href in page.hrefs)
    assert not re.findall(r"url\((?!#c)", text)


def test_every_link_leads_somewhere_and_every_id_is_its_own(db: str, tmp_path: Path) -> None:
    page = Document(written(db, "bots", tmp_path))
    assert len(page.ids) == len(set(page.ids))
    assert {href[1:] for href in page.hrefs} <= set(page.ids)
    assert {"match-1", "match-4"} <= set(page.ids)


def test_hostile_texts_are_text(hostile: str, tmp_path: Path) -> None:
    runs = json.loads(invoke("runs", "--json", "--db", hostile).out)
    assert runs
    for run in runs:
        (tmp_path / "report.html").unlink(missing_ok=True)
        text = written(hostile, run["run"], tmp_path)
        page = Document(text)
        assert not {"script", "img", "iframe"} & set(page.tags)
        assert "\u202e" not in text
        assert "\x1b" not in text


def test_a_file_is_replaced_only_when_that_is_asked_for(db: str, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text("mine")
    refused = invoke("report", "bots", "-o", str(file), "--db", db)
    assert refused.status == 2
    assert "--force" in refused.err
    assert file.read_text() == "mine"
    assert invoke("report", "bots", "-o", str(file), "--force", "--db", db).status == 0
    assert file.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_without_a_name_the_file_is_called_after_the_run(db: str, tmp_path: Path) -> None:
    done = invoke("report", "bots", "--db", db)
    assert done.status == 0
    assert (tmp_path / "report-bots.html").exists()
    assert "report-bots.html" in done.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nothing",), "no run named"),
        (("bots", "-o", "no/such/folder/r.html"), "no folder"),
        (("bots", "-o", "."), "folder"),
        (("bots", "-o", "r\0.html"), "cannot be written"),
    ],
)
def test_bad_input_is_one_line(db: str, arguments: tuple[str, ...], says: str) -> None:
    done = invoke("report", *arguments, "--db", db)
    assert done.status == 2
    assert says in done.err
    assert len(done.err.strip().splitlines()) == 1
