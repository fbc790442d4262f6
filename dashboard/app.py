"""The dashboard as a web application: the pages, and what a page fetches by itself while matches go on.

Everything is read only. Requests under `/live` and `/find` are answered only when they name this machine, so that a
page from elsewhere that got its name to point here reads nothing.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from dashboard import data, find, live
from dashboard.data import match_number, open_store
from harness.records import OVER
from harness.replay import BrokenLog
from harness.store import Store, StoreError

HERE = ("127.0.0.1", "localhost")
UNREADABLE = 503
Found = TypeVar("Found")
_SEARCHES = asyncio.Semaphore(2)
"""So many searches go on at once; the others wait, so that every other request finds a thread."""


def _numbers(text: str) -> list[int]:
    found = [match_number(part) for part in text.split(",") if part]
    return [number for number in found if number is not None]


def _marks(text: str) -> Mapping[int, str]:
    """`12:running.7.1,13:…` as a mapping."""
    pairs = (part.partition(":") for part in text.split(",") if part)
    return {number: mark for name, _, mark in pairs if (number := match_number(name)) is not None}


async def wall(request: Request) -> Response:
    """`/live/wall?size=4&run=3&shown=12,13&have=12:running.7.1`: the wall's boards as they stand now. A run goes by
    its number or name; `unknown` in the answer is one that is not there, and all runs are shown."""
    asked = request.query_params
    size = match_number(asked.get("size")) or 0
    shown: Sequence[int] = _numbers(asked.get("shown", ""))
    wanted = asked.get("run", "")[: data.SHOWN]

    def look() -> Response:
        try:
            store = open_store()
            run = data.run_of(store.runs(), data.Query.read({"run": wanted}))
            found = live.wall(
                live.follower(store),
                size=size if size in live.SIZES else live.SIZES[1],
                run=None if run is None else run.id,
                shown=shown,
                have=_marks(asked.get("have", "")),
                now=live.now(),
            )
        except StoreError as error:
            return _fault(str(error))
        # As ASCII: a log, or an address, may hold what is no valid Unicode.
        return _json(json.dumps({**found, "unknown": wanted if wanted and found["run"] is None else ""}))

    return await run_in_threadpool(look)


async def match(request: Request) -> Response:
    """`/live/match/12?have=MARK`: the replay of a match, or only its mark where the reader has just that."""

    def look() -> Response:
        found = _of_match(request, data.replay)
        if isinstance(found, Response):
            return found
        known = request.query_params.get("have") == found.mark
        replayed = "null" if known else found.json
        ended = "true" if found.status in OVER else "false"
        return _json(f'{{"mark":"{found.mark}","ended":{ended},"replay":{replayed}}}')

    return await run_in_threadpool(look)


async def details(request: Request) -> Response:
    """`/live/match/12/details`: the prompts, replies and thoughts of a match."""

    def look() -> Response:
        found = _of_match(request, data.details)
        return found if isinstance(found, Response) else _json(found)

    return await run_in_threadpool(look)


def _of_match(request: Request, read: Callable[[Store, int], Found | None]) -> Found | Response:
    number = match_number(request.path_params["match"])
    try:
        found = None if number is None else read(open_store(), number)
    except StoreError as error:
        return _fault(str(error))
    except BrokenLog as error:
        return _fault(f"the log cannot be re-executed ({error})")
    except KeyError as error:
        return _fault(f"the game {error} is not installed here")
    return _fault("there is no such match", 404) if found is None else found


async def finding(request: Request) -> Response:
    """`/find/choices?run=3` and `/find/hits?run=3&words=spare&verdict=broken`: what the page Find asks for."""
    answer = {"choices": find.choices, "hits": find.hits}.get(request.path_params["what"])
    if answer is None:
        return _fault("there is no such answer", 404)

    def look() -> Response:
        try:
            # As ASCII: a log may hold what is no valid Unicode.
            return _json(json.dumps(answer(open_store(), request.query_params)))
        except StoreError as error:
            return _fault(str(error))

    async with _SEARCHES:
        return await run_in_threadpool(look)


def _json(text: str) -> Response:
    return Response(text, media_type="application/json", headers={"Cache-Control": "no-store"})


def _fault(text: str, status: int = UNREADABLE) -> Response:
    return JSONResponse({"fault": text}, status)


app = st.App(
    Path(__file__).parent / "frame" / "frame.py",
    routes=[
        Mount(
            "/live",
            routes=[
                Route("/wall", wall),
                Route("/match/{match}", match),
                Route("/match/{match}/details", details),
            ],
            middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(HERE))],
        ),
        Mount(
            "/find",
            routes=[Route("/{what}", finding)],
            middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(HERE))],
        ),
    ],
)
