"""A view as a page: what it shows is chosen by widgets that write the address, so that it can be sent.

Nothing is read again while somebody looks: a page goes on with the reading of the log that it began with, and says when
there is something newer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

import streamlit as st

from dashboard.compare import cache
from dashboard.compare.address import KEYS, Asked, asked, link, written
from dashboard.compare.sheets import shown, table
from dashboard.data import open_store, title
from dashboard.help import line, no_database, no_runs
from dashboard.unread import missing, of_choice, of_views, told
from harness.records import Json, RunRecord
from harness.reply import clean
from harness.store import Store, StoreError
from harness.views.base import Chart, Section
from harness.views.results import View
from harness.views.words import several

HERE = Path(__file__).parent
MOST_RUNS = 6
"""Runs that are shown one below the other."""
LOOK_SECONDS = 20
"""Between two looks whether there is something newer; each is one short read."""
AGAIN, BEGUN = "cp-again", "cp-begun"
"""In a page's state: that everything is to be read again, and what was read when it began."""
SMALL = 330
"""Pixels of width that a small chart has where there is room."""
LABEL = 60
"""Characters of a name in a list of choices."""


def show(heading: str, about: str, view: View, *, pools: bool = True) -> None:
    """A page of that view under a heading; `about` says in a sentence what it tells. `pools`: whether several runs may
    be put into one table."""
    st.html(HERE / "page.css")
    # In one element: each has a gap below it.
    script = f"<script>{(HERE / 'marks.js').read_text(encoding='utf-8')}</script>"
    top = f'<div class="cp-top"><h1>{escape(heading)}</h1><p>{escape(about)}</p></div>'
    st.html(top + script, unsafe_allow_javascript=True)
    try:
        store = open_store()
        runs = store.runs()
        if not runs:
            no_runs()
            return
        _Page(store, runs, view, pools=pools).show()
    except StoreError as error:
        no_database(error)


class _Page:
    def __init__(self, store: Store, runs: Sequence[RunRecord], view: View, *, pools: bool) -> None:
        self.store = store
        self.runs = {run.id or 0: run for run in runs}
        self.ids = {run.name: run.id or 0 for run in runs}
        self.view = view
        self.pools = pools
        self.asked = asked({key: st.query_params.get_all(key) for key in KEYS})
        numbers = [self.ids.get(run, -1) if isinstance(run, str) else run for run in self.asked.runs]
        self.wanted = [self.runs[run] for run in dict.fromkeys(numbers) if run in self.runs][:MOST_RUNS]
        if not self.wanted:
            self.wanted = [self._newest()]

    def _newest(self) -> RunRecord:
        """The newest that is no run of forks, whose figures rate nobody."""
        forks = self.store.forks()
        newest = [run for number, run in self.runs.items() if number not in forks] or list(self.runs.values())
        return newest[-1]

    def show(self) -> None:
        """Choices, what it is from, and the view."""
        filters, status = st.container(), st.container()
        pool = self.pools and self.asked.pool and len(self.wanted) > 1
        groups = [self.wanted] if pool else [[run] for run in self.wanted]
        readings = self._readings(groups, pool=pool)
        games, players, settings = _there(readings)
        choice, unknown = of_choice(self.asked.choice, games, players, settings)
        self.asked = self.asked._replace(choice=choice)
        with filters:
            self._filters(readings)
        with status:
            self._status(readings, groups)
        gone = [_short(str(run)) for run in self.asked.runs if run not in self.runs and run not in self.ids]
        if gone:
            line(f"There is no run {', '.join(gone)} in this database; its pages are reached from Runs.")
        if unknown:
            line(missing(unknown))
        unread = of_views({key: st.query_params.get_all(key) for key in KEYS})
        if unread:
            line(told(unread))
        for number, (kept, group) in enumerate(zip(readings, groups, strict=True)):
            if len(groups) > 1:
                st.html(f'<h2 class="cp-run"><bdi dir="ltr">{_html(group[0].name)}</bdi></h2>')
            self._sections(kept, group, number)

    def _readings(self, groups: Sequence[Sequence[RunRecord]], *, pool: bool) -> list[cache.Kept]:
        """What this page began with, or what stands there now where that is asked for or nothing was read before."""
        anew = st.session_state.pop(AGAIN, False)
        before: dict[tuple[int | None, ...], cache.Kept] = {} if anew else st.session_state.get(BEGUN, {})
        found = {}
        for group in groups:
            key = tuple(run.id for run in group)
            kept = before.get(key)
            # A database that was made anew is another one.
            if kept is None or kept.store is not self.store or kept.pool is not pool:
                kept = cache.read(self.store, group, pool=pool, anew=anew)
            found[key] = kept
        st.session_state[BEGUN] = found
        return list(found.values())

    def _sections(self, kept: cache.Kept, runs: Sequence[RunRecord], number: int) -> None:
        choice = self.asked.choice
        if kept.has(self.view, choice):
            sections = kept.sections(self.view, choice)
        else:
            matches = sum(sum(self.store.progress(run.id or 0).values()) for run in runs)
            names = ", ".join(_short(run.name) for run in runs)
            with st.spinner(_plain(f"Reading {several(matches, 'match', 'matches')} of {names}"), show_time=True):
                sections = kept.sections(self.view, choice)
        if not sections:
            played = kept.choices()[0]
            line("Nothing here fits what is chosen above." if played else "This run has no matches yet.")
        for place, section in enumerate(sections):
            self._section(section, f"{number}-{place}")

    def _section(self, section: Section, key: str) -> None:
        lines = "".join(f"<p>{_html(one)}</p>" for one in section.lines)
        warnings = "".join(f'<p class="cp-warning">{_html(one)}</p>' for one in section.warnings)
        st.html(f'<div class="cp-section"><h2>{_html(section.title)}</h2>{warnings}{lines}</div>')
        groups = groupby(enumerate(section.charts), key=lambda one: one[1].small)
        for number, (small, group) in enumerate(groups):
            charts = list(group)
            name = f"cp-{'grid' if small else 'row'}-{key}-{number}"
            least = max(chart.least for _, chart in charts)
            if small and least:
                # As many side by side as can be read: a map that is moved under its frame is hard to compare.
                columns = f"repeat(auto-fill, minmax(min({max(least, SMALL)}px, 100%), 1fr))"
                st.html(f"<style>.st-key-{name} {{ grid-template-columns: {columns} !important; }}</style>")
            with st.container(key=name):
                for place, chart in charts:
                    self._chart(chart, f"chart-{key}-{place}")
        for place, sheet in enumerate(section.sheets):
            with st.expander(_plain(sheet.title)) if sheet.folded else st.container():
                table(key=f"sheet-{key}-{place}", data=shown(sheet, self.ids), on_query_change=lambda: None)

    def _chart(self, chart: Chart, key: str) -> None:
        with st.container():
            head = f'<h3 class="cp-chart">{_html(chart.title)}</h3>'
            if chart.help:
                # A definition's paragraphs are parted by empty lines.
                told = "".join(f"<p>{_html(part)}</p>" for part in chart.help.split("\n\n"))
                head = f'<details class="cp-help"><summary>{head}</summary>{told}</details>'
            st.html(head)
            if chart.least:
                st.html(f"<style>.st-key-cp-scroll-{key} > * {{ min-width: {chart.least}px; }}</style>")
            with st.container(key=f"cp-scroll-{key}") if chart.least else st.container():
                st.vega_lite_chart(spec=linked(chart, self.ids), width="stretch", alt=clean(chart.alt), key=key)

    def _status(self, readings: Sequence[cache.Kept], groups: Sequence[Sequence[RunRecord]]) -> None:
        oldest = min(kept.results.read_at for kept in readings)
        names = ", ".join(f'<bdi dir="ltr">{_html(_short(run.name))}</bdi>' for group in groups for run in group)
        read = f'<time datetime="{oldest.isoformat()}">{oldest:%H:%M:%S} UTC on {oldest:%d %B %Y}</time>'

        @st.fragment(run_every=LOOK_SECONDS)
        def status() -> None:
            try:
                marks = [cache.marks(self.store, group) for group in groups]
            except StoreError:
                newer, said = False, " The database cannot be read any more."
            else:
                newer = any(kept.mark != mark for kept, mark in zip(readings, marks, strict=True))
                said = " Something newer was written since." if newer else ""
            with st.container(horizontal=True, vertical_alignment="center", key="cp-status"):
                st.html(
                    f'<p class="cp-status" role="status">Of {names}. The log was read at {read}.{said}</p>',
                    width="content",
                )
                label = "Read what is newer" if newer else "Read again"
                if st.button(label, key="cp-read", type="secondary" if newer else "tertiary"):
                    st.session_state[AGAIN] = True
                    st.rerun()

        status()

    def _filters(self, readings: Sequence[cache.Kept]) -> None:
        choice = self.asked.choice
        games, players, _ = _there(readings)
        games, players = sorted({*games, *_one(choice.game)}), sorted({*players, *_one(choice.player)})
        told = _varying(readings, choice.settings)
        state = st.session_state
        # What the address says is what the widgets show, whoever wrote it.
        state["cp-run"] = [run.id or 0 for run in self.wanted]
        state["cp-game"], state["cp-player"] = choice.game or "", choice.player or ""
        state["cp-set"] = list(choice.settings)
        state["cp-pool"] = self.asked.pool
        with st.container(horizontal=True, key="cp-filters"):
            st.multiselect(
                "Run",
                sorted(self.runs, reverse=True),
                key="cp-run",
                format_func=lambda run: _short(self.runs[run].name),
                max_selections=MOST_RUNS,
                on_change=_chosen,
                width=300,
            )
            if len(games) > 1 or choice.game:
                st.selectbox(
                    "Game", ["", *games], key="cp-game", format_func=_title_or_all, on_change=_chosen, width=180
                )
            if told:
                st.multiselect("Played with", told, key="cp-set", format_func=_setting, on_change=_chosen, width=260)
            st.selectbox(
                "Player", ["", *players], key="cp-player", format_func=_label_or_all, on_change=_chosen, width=200
            )
            if self.pools and len(self.wanted) > 1:
                st.checkbox(
                    "Pool the runs",
                    key="cp-pool",
                    on_change=_chosen,
                    help="Put all matches of a game into one table, marked with what differs between the runs.",
                )


def _chosen() -> None:
    """Write what the widgets say into the address."""
    state = st.session_state
    before = asked({key: st.query_params.get_all(key) for key in KEYS})
    now = Asked(
        runs=tuple(state["cp-run"]),
        choice=before.choice._replace(
            game=state.get("cp-game") or None,
            settings=tuple(sorted(state.get("cp-set", before.choice.settings))),
            player=state.get("cp-player") or None,
        ),
        pool=bool(state.get("cp-pool", False)),
    )
    found = written(now)
    for key in KEYS:
        if key in found:
            st.query_params[key] = found[key]
        elif key in st.query_params:
            del st.query_params[key]


def _there(readings: Sequence[cache.Kept]) -> tuple[list[str], list[str], list[tuple[str, str]]]:
    """The games, players and settings of what is shown."""
    games = {game for kept in readings for game in kept.choices()[0]}
    players = {label for kept in readings for label in kept.choices()[1]}
    settings = {pair for kept in readings for values in kept.results.settings.values() for pair in values.items()}
    return sorted(games), sorted(players), sorted(settings)


def _varying(readings: Sequence[cache.Kept], chosen: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The settings by which tables can be told apart, and those that are chosen."""
    each = [values for kept in readings for values in kept.results.settings.values()]
    found = {pair for values in each for pair in values.items()}
    common = {pair for pair in found if all(values.get(pair[0]) == pair[1] for values in each)}
    return sorted((found - common) | set(chosen))


def linked(chart: Chart, runs: Mapping[str, int]) -> Json:
    """A chart whose marks lead to the matches behind them."""
    behind = chart.behind or (None,) * len(chart.rows)
    rows = [{**row, "href": link(one, runs)} for row, one in zip(chart.rows, behind, strict=True)]
    return {**chart.spec, "datasets": {"rows": rows}}


def _one(value: str | None) -> set[str]:
    return set() if value is None else {value}


def _title_or_all(game: str) -> str:
    return _short(title(game)) if game else "All games"


def _label_or_all(label: str) -> str:
    return _short(label) if label else "All players"


def _setting(pair: tuple[str, str]) -> str:
    name, value = pair
    try:
        told = json.loads(value)
    except ValueError:
        told = value
    return _short(f"{name} = {told if isinstance(told, str) else value}")


def _short(text: str) -> str:
    line = " ".join(clean(text[: 4 * LABEL]).split())
    return line if len(line) <= LABEL else f"{line[: LABEL - 1]}…"


def _html(text: str) -> str:
    return escape(clean(text[:2000]))


def _plain(text: str) -> str:
    """A text where Streamlit would read markdown."""
    return "".join(f"\\{one}" if one in "\\`*_{}[]()<>#+-.!|~$:" else one for one in clean(text[:2000]))
