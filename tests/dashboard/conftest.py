"""A real Chromium, a real dashboard process, and a database from a real tournament beside what was written by hand."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, expect, sync_playwright

from dashboard.bundle import player, style
from games.api import Json
from harness.replay import build
from harness.store import Store
from tests.dashboard.records import IMAGE, SCRIPT, Written, harmful_match, match_record, run_record
from tests.providers.behaviours import Answer, legal
from tests.providers.server import Loopback

# A busy machine may take long to show a page; what does not come at all still fails.
expect.set_options(timeout=20_000)

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
)
LABELS = ("smol", "greedy", f"house {IMAGE}", "a-player-with-a-rather-long-label")
TOURNAMENT = """
name: first
seed: 7
matches: 2
parallel: 1
games:
  - {game: so_long_sucker, options: {chips: 2}}
players:
  - {label: any, model: openai/any, api_base: "%s", api_key_env: PARLEY_TEST_KEY, price: {input: 1.0, output: 10.0}}
  - {label: greedy, bot: greedy}
  - {label: banker, bot: banker}
  - {label: turncoat, bot: turncoat}
talk: {messages: 1, private: true, round: 0}
"""


class Database(NamedTuple):
    """A database file and what stands where in it."""

    path: Path
    played: int
    """A match that the tournament runner played, with a model in it."""
    harmful: int
    """A finished match full of hostile texts."""
    live: list[int]
    """Sixty matches of a run that goes on: ten finished, one running, one paused, one void, the others waiting."""


def parley(*arguments: str, environment: dict[str, str] | None = None) -> None:
    """Run the command line to its end."""
    command = [str(Path(sys.executable).with_name("parley")), *arguments]
    done = subprocess.run(
        command, env={**os.environ, **(environment or {})}, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="package")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """One database for all page tests. Tests that change it do so in the run that goes on."""
    folder = tmp_path_factory.mktemp("dashboard")
    path = folder / "parley.db"
    with Loopback(legal("hash", IMAGE)) as provider:
        # The first request is the run's own: whether the model takes the schema.
        provider.script(legal("hash"), Answer('{"actions": ["fly to the moon"]}', reasoning=SCRIPT))
        file = folder / "first.yaml"
        file.write_text(TOURNAMENT % provider.api_base)
        parley("run", str(file), "--db", str(path), environment={"PARLEY_TEST_KEY": "any"})
    with Store.open(path) as store:
        matches = store.matches(store.runs()[0].id or 0)
        played = next(match.id or 0 for match in matches if any(call.error_kind for call in store.calls(match.id or 0)))
        run = store.create_run(run_record(f"harm {IMAGE}", status="finished"), [match_record(0, LABELS)]).result()
        harmful = harmful_match(store, store.matches(run)[0]).match_id
        waiting = [match_record(number, ("forty", *LABELS[1:]) if number >= 36 else LABELS) for number in range(60)]
        run = store.create_run(run_record("live"), waiting).result()
        records = store.matches(run)
        for record in records[:10]:
            Written(store, record).to_end()
        running = Written(store, records[10])
        for _ in range(5):
            running.turn()
        paused = Written(store, records[11])
        paused.call("red", None, error_kind="rate_limit", error="too many requests", read_by=None)
        store.set_match(paused.match_id, "paused", "smol: the provider asks to wait; run it again later").result()
        store.set_match(records[12].id or 0, "void", "the power failed").result()
        live = [record.id or 0 for record in records]
    return Database(path, played, harmful, live)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium as it is found on this machine."""
    with chromium() as running:
        yield running


@contextmanager
def chromium() -> Iterator[Browser]:
    """A running Chromium, which reaches nothing but this machine."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("PARLEY_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    assert found, "the page tests need Chromium: install it (apt-get install chromium) or name it in PARLEY_CHROMIUM"
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        yield running
        running.close()


@contextmanager
def served(database: Path) -> Iterator[str]:
    """The dashboard on a free port, as `parley dashboard` starts it; its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(Path(sys.executable).with_name("parley")), "dashboard", "--db", str(database), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            _until_healthy(f"http://127.0.0.1:{port}/_stcore/health", process)
            yield f"http://127.0.0.1:{port}/"
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _until_healthy(address: str, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    pause = threading.Event()
    while time.monotonic() < deadline:
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            pause.wait(0.05)
    raise TimeoutError(f"{address} did not answer")


@pytest.fixture(scope="package")
def dashboard(database: Database) -> Iterator[str]:
    """The address of a dashboard over the database."""
    with served(database.path) as address:
        yield address


@pytest.fixture(scope="package")
def lent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A link that a dashboard takes for its database, and the address of that dashboard."""
    link = tmp_path_factory.mktemp("lent") / "parley.db"
    with served(link) as address:
        yield link, address


@pytest.fixture
def serve(lent: tuple[Path, str]) -> Callable[[Path], str]:
    """The address of a dashboard over a database of the test's own: one process for all tests, which takes long to
    start, and which takes what the link leads to now for another database."""
    link, address = lent

    def over(database: Path) -> str:
        link.unlink(missing_ok=True)
        link.symlink_to(database)
        return address

    return over


OpenPage = Callable[..., Page]
Serve = Callable[[Path], str]


@pytest.fixture(scope="package")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One for all pages, so that what the server sends is fetched once."""
    with browser.new_context() as one:
        one.set_default_timeout(20000)
        yield one


@pytest.fixture(scope="package")
def idle(context: BrowserContext) -> list[Page]:
    """Empty pages for whoever needs one next: a page that was used before shows the next address in half the time."""
    return []


@pytest.fixture
def new_page(context: BrowserContext, idle: list[Page]) -> Iterator[OpenPage]:
    """Opens pages that are watched: afterwards none may have erred, shown a dialog or asked another machine."""
    faults: list[str] = []
    pages: list[tuple[Page, dict[str, Callable[..., None]]]] = []

    def asked(address: str) -> None:
        own = address.startswith("file:") and address.partition("#")[0].endswith("/match.html")
        if not own and not address.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "blob:", "data:", "about:")):
            faults.append(f"request to {address}")

    def shown(dialog: Dialog) -> None:
        faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def make(width: int = 1280, height: int = 900, dark: bool = False) -> Page:
        page = idle.pop() if idle else context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="null")
        watch: dict[str, Callable[..., None]] = {
            "console": lambda said: faults.append(f"console: {said.text}") if said.type == "error" else None,
            "pageerror": lambda error: faults.append(f"error: {error}"),
            "dialog": shown,
            "request": lambda request: asked(request.url),
            "websocket": lambda socket: asked(socket.url),
        }
        for event, listener in watch.items():
            page.on(event, listener)  # type: ignore[call-overload]
        pages.append((page, watch))
        return page

    yield make
    for page, watch in pages:
        if page.is_closed():
            continue
        page.unroute_all()
        page.mouse.move(0, 0)
        page.goto("about:blank")
        for event, listener in watch.items():
            page.remove_listener(event, listener)
        idle.append(page)
    assert not faults, faults


@pytest.fixture(scope="package")
def replay(database: Database) -> Json:
    """The harmful match."""
    return built(database.path, database.harmful)


def built(path: Path, match_id: int) -> Json:
    """The whole replay of a match."""
    with Store.open_readonly(path) as store:
        match = store.match(match_id)
        assert match is not None
        run = store.run_of_match(match_id) or ""
        calls = store.calls(match_id, prompts=True)
        return build(match, store.turns(match_id), store.messages(match_id), calls, run=run)


@pytest.fixture
def shown(new_page: OpenPage) -> Callable[..., Page]:
    """Opens the player alone, without any server: a page that holds the module, given a replay."""
    module = (
        f"{player()}\nwindow.Model = Model;\nwindow.mount = mount;\n"
        "window.show = (data, options) => { window.player = mount(document.body, data, options); };"
    )
    html = (
        '<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>player</title>'
        "<style>:root { color-scheme: light dark } body { margin: 12px } "
        f"{style('player/colours.css', 'player/player.css')}</style>"
    )

    def show(
        replay: Json,
        width: int = 1280,
        *,
        clock: bool = False,
        dark: bool = False,
        moving: bool = False,
        options: Json | None = None,
    ) -> Page:
        page = new_page(width, dark=dark)
        page.emulate_media(reduced_motion="no-preference" if moving else "reduce")
        if clock:
            page.clock.install()
        page.set_content(html)
        page.add_script_tag(content=module, type="module")
        page.wait_for_function("Boolean(window.show)")
        page.evaluate("([data, options]) => window.show(data, options)", [replay, options or {}])
        if not (options or {}).get("compact"):
            expect(page.locator(".pl")).to_have_attribute("data-complete", "")
        return page

    return show
