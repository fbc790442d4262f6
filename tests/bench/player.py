"""What the replay player takes of a browser: a long replay beside a blank page, a late step beside an early one, the
twentieth replay beside the fifth.

    python -m tests.bench.player [ROUNDS]

Everything runs in Chromium without a network. A match of 2,000 plies with a prompt, a reply and thoughts behind each
is written to a file as `parley export` does it; the trap race is the game that lasts so long, and its board has the
most to draw. The blank page holds the same bytes and looks at none of them; the second one holds the same replay as
plain JSON, and is there to compare. Medians of ROUNDS (default 5; openings, which are short and uneven, five times as
many); where two are compared they take turns, so that a busy machine slows both alike. Exit status 1 if a goal is
missed.

Opened is a page when the board of the ply asked for has been painted with where it stands and what plays it, and the
keyboard is heard; the lists beside the board may still be missing. A row tells how soon after that a key pressed at
once is answered by the next position, painted; one more when all of the page is there.
"""

from __future__ import annotations

import re
import statistics
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, Page

from games import get_game
from games.api import Json
from games.chance import Draws
from harness.export import as_shown, player, source
from harness.export import page as exported
from harness.packing import to_text
from harness.records import CallRecord, MatchRecord, MessageRecord, PromptMessage, SeatRecord, TurnRecord
from harness.replay import build, position_hash
from tests.dashboard.conftest import chromium

PLIES = 2000
EARLY = 20
GAME = "trap_race"
OPENS, OPENED = 20, 5
GOALS = {"open": 1.5, "step": 1.5, "heap": 1.1}
NOW = datetime(2026, 1, 1, tzinfo=UTC)
SEEN = """
const wanted = %r;
window.seen = new Promise((resolve) => {
  const watch = new MutationObserver(() => {
    if (!document.querySelector(wanted)) return;
    watch.disconnect();
    // When it has been painted: the next frame is asked for, and what follows it.
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now()), 0));
  });
  watch.observe(document, { childList: true, subtree: true, attributes: true });
});
"""
ANSWERED = """async () => {
  const opened = await window.seen;
  const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
  const until = async (is) => {
    while (!is()) await painted();
    return performance.now() - opened;
  };
  window.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
  await painted();
  const answered = await until(() => document.querySelector(".pl-place").textContent.startsWith("Ply 1 of "));
  const whole = await until(() => document.querySelector(".pl[data-complete]"));
  return [answered, whole];
}"""


def match(name: str, plies: int) -> Json:
    """The replay of so many plies played by chance, with the texts of a model behind each of them."""
    game = get_game(name)
    seats = game.seats(max(game.players))
    state, events = game.start(seats, {}, 1)
    start, first = game.dump(state), tuple(event.to_json() for event in events)
    draws = Draws("bench")
    turns: list[TurnRecord] = []
    calls: list[CallRecord] = []
    said: list[MessageRecord] = []
    rules = f"The rules of {name}. " * 200
    history: dict[str, tuple[PromptMessage, ...]] = dict.fromkeys(seats, ())
    while (seat := game.to_act(state)) is not None and len(turns) < plies:
        legal = [action for action in game.legal(state) if not action.startswith(("end", "auto"))]
        action = draws.choice(legal or game.legal(state))
        state, events = game.apply(state, action)
        ply = len(turns) + 1
        reply = f'{{"thoughts": "At ply {ply} I see nothing better than this one.", "actions": ["{action}"]}}'
        history[seat] = (
            *history[seat],
            PromptMessage(role="user", parts=(f"Decision {ply}: what is new since you were asked. {action} " * 3,)),
        )
        system = PromptMessage(role="system", parts=(rules, f"You are {seat}."))
        calls.append(
            CallRecord(
                ply=ply, seat=seat, decision=ply, label="model", model="openai/any", prompt=(system, *history[seat]),
                sent={"temperature": 0.8}, content=reply, prompt_tokens=1000, completion_tokens=40, cost=0.0002,
                priced_by="table", latency_ms=900.0, started_at=NOW,
            )
        )  # fmt: skip
        history[seat] = (*history[seat], PromptMessage(role="assistant", parts=(reply,)))
        if ply % 10 == 0:
            said.append(MessageRecord(seq=len(said), ply=ply, sender=seat, addressee="all", text=f"Words at {ply}."))
        turns.append(
            TurnRecord(
                ply=ply, seat=seat, action=action, source="player", decision=ply, legal_count=9, shown_index=0,
                position_hash="", thoughts=f"At ply {ply} I see nothing better than this one.", at=NOW,
                events=tuple(event.to_json() for event in events),
            )
        )  # fmt: skip
    record = MatchRecord(
        id=1, number=0, game=name, options=game.Options().model_dump(), seed=1, start=start, start_events=first,
        start_hash=position_hash(start), plies=len(turns), status="running",
        seats=tuple(SeatRecord(seat=seat, label=seat, kind="model", identity=seat) for seat in seats),
    )  # fmt: skip
    return build(record, turns, said, calls, run="bench")


def blank(html: str) -> str:
    """The same page with the same payload, and nothing that looks at it."""
    bare = re.sub(r"<style>.*?</style>|<script>\(.*?\)\(\);</script>", "", html, flags=re.DOTALL)
    return bare.replace("</body>", '<p class="pl" data-ready>blank</p></body>')


def opening(browser: Browser, files: list[Path], rounds: int) -> list[tuple[float, ...]]:
    """For each file, in turn: milliseconds from the navigation to the painted page, and of its thread's processor time
    until then. The first round fills the caches."""
    taken: list[list[tuple[float, ...]]] = [[] for _ in files]
    for number in range(rounds + 1):
        for times, file in zip(taken, files, strict=True):
            page = browser.new_page()
            page.add_init_script(SEEN % ".pl[data-ready]")
            session = counting(page)
            page.goto(file.as_uri(), wait_until="commit")
            time = page.evaluate("window.seen")
            spent = measured(session, "TaskDuration") * 1000
            page.close()
            if number:
                times.append((time, spent))
    return [medians(times) for times in taken]


def answering(browser: Browser, file: Path, rounds: int) -> tuple[float, ...]:
    """Milliseconds from the painted page to the answer to a key pressed at once, and to all of the page."""
    taken = []
    for _ in range(rounds):
        page = browser.new_page(reduced_motion="reduce")
        page.add_init_script(SEEN % ".pl[data-ready]")
        page.goto(file.as_uri(), wait_until="commit")
        taken.append(tuple(page.evaluate(ANSWERED)))
        page.close()
    return medians(taken)


def medians(rows: list[tuple[float, ...]]) -> tuple[float, ...]:
    """The median of each column."""
    return tuple(statistics.median(column) for column in zip(*rows, strict=True))


def counting(page: Page) -> CDPSession:
    """Counts processor time of the page's thread: what else runs on this machine does not count."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    return session


def measured(session: CDPSession, what: str) -> float:
    """Seconds that the page has taken so far: `ScriptDuration`, or `TaskDuration` with layout, style and all else."""
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return float(metrics[what])


def stepping(page: Page, plies: list[int], rounds: int) -> list[float]:
    """Milliseconds of script for a step onto each ply, with the step back; forty of them each time."""
    session = counting(page)
    taken: list[list[float]] = [[] for _ in plies]
    for number in range(rounds + 1):
        for times, ply in zip(taken, plies, strict=True):
            page.locator(".pl-range").fill(str(ply))
            before = measured(session, "ScriptDuration")
            page.evaluate(
                """async () => {
                  const press = (key) => window.dispatchEvent(new KeyboardEvent("keydown", { key }));
                  for (let step = 0; step < 20; step += 1) {
                    press("ArrowLeft");
                    await new Promise(requestAnimationFrame);
                    press("ArrowRight");
                    await new Promise(requestAnimationFrame);
                  }
                }"""
            )
            if number:
                times.append((measured(session, "ScriptDuration") - before) * 1000 / 40)
    return [statistics.median(times) for times in taken]


def heaps(page: Page, replay: Json) -> tuple[float, float]:
    """Megabytes that are in use after collection at an early and at the last opening of a replay in one page."""
    module = f"{player([GAME])}\nwindow.mount = mount;"
    page.set_content(f"<!doctype html><style>{source('colours.css')}{source('player.css')}</style><main></main>")
    page.add_script_tag(content=module, type="module")
    page.evaluate("(replay) => { window.text = JSON.stringify(replay); }", as_shown(replay))
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.enable")
    sizes = {}
    for number in range(1, OPENS + 1):
        page.evaluate(
            """async () => {
              window.shown?.destroy();
              window.shown = mount(document.querySelector("main"), JSON.parse(window.text), { ply: 1000 });
              const press = (key) => window.dispatchEvent(new KeyboardEvent("keydown", { key }));
              for (const key of ["End", "ArrowLeft", "Home", "ArrowRight"]) {
                press(key);
                await new Promise(requestAnimationFrame);
              }
            }"""
        )
        session.send("HeapProfiler.collectGarbage")
        sizes[number] = session.send("Runtime.getHeapUsage")["usedSize"] / 1e6
    return sizes[OPENED], sizes[OPENS]


def main() -> int:
    """Print the table; the exit status."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    missed = 0
    print(f"{'what':<54}{'beside':>12}{'taken':>12}{'ratio':>8}{'goal':>7}")

    def told(what: str, unit: str, beside: float, taken: float, goal: float | None = None) -> None:
        nonlocal missed
        met = goal is None or taken <= beside * goal
        missed += not met
        numbers = f"{f'{beside:.2f} {unit}':>12}{f'{taken:.2f} {unit}':>12}{taken / beside:>8.2f}"
        print(f"{what:<54}{numbers}{'' if goal is None else f'{goal:>7g}  ' + ('met' if met else 'missed')}")

    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        replay = match(GAME, PLIES)
        last = len(replay["frames"]) - 1
        html = exported(replay)
        whole, bare, plain = (Path(folder, f"{name}.html") for name in ("whole", "blank", "plain"))
        whole.write_text(html)
        bare.write_text(blank(html))
        data = to_text(as_shown(replay)).replace("<", "\\u003c")
        plain.write_text(
            re.sub(r"<script type=\"application/octet-stream\".*</script>", "", blank(html), flags=re.DOTALL)
        )
        plain.write_text(
            plain.read_text().replace("</main>", f'</main><script type="application/json">{data}</script>')
        )
        beside, unpacked, taken = opening(browser, [bare, plain, whole], 5 * rounds)
        size = f"{last} plies, {whole.stat().st_size / 1e6:.2f} MB"
        told(f"opens ({size}) beside a blank page", "ms", beside[0], taken[0], GOALS["open"])
        told("the same in processor time of the page's thread", "ms", beside[1], taken[1])
        told(f"opens beside its JSON, {plain.stat().st_size / 1e6:.2f} MB", "ms", unpacked[0], taken[0])
        answered, complete = answering(browser, whole, rounds)
        told("a key pressed then is answered, beside the opening", "ms", taken[0], answered)
        told("all of the page is there then, beside the opening", "ms", taken[0], complete)
        page = browser.new_page(reduced_motion="reduce")
        page.goto(whole.as_uri())
        page.locator(".pl[data-complete]").wait_for()
        page.locator(".pl-range").fill(str(last))
        page.get_by_text(f"Ply {last} of {last}").wait_for()
        early, late = stepping(page, [EARLY, last], rounds)
        told(f"a step at ply {last} beside one at ply {EARLY}", "ms", early, late, GOALS["step"])
        page.close()
        page = browser.new_page()
        fifth, twentieth = heaps(page, replay)
        told(f"heap at open {OPENS} beside open {OPENED}", "MB", fifth, twentieth, GOALS["heap"])
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
