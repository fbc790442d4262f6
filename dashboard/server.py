"""The dashboard as a web application: the pages, and what a page fetches by itself while matches go on.

Everything is read only. Requests under `/live` are answered only when they name this machine, so that a page from
elsewhere that got its name to point here reads nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from dashboard import live
from dashboard.data import match_number, open_store
from harness.store import StoreError

HERE = ("127.0.0.1", "localhost")
UNREADABLE = 503


def _numbers(text: str) -> list[int]:
    found = [match_number(part) for part in text.split(",") if part]
    return [number for number in found if number is not None]


def _marks(text: str) -> Mapping[int, str]:
    """`12:running.7.1,13:…` as a mapping."""
    pairs = (part.partition(":") for part in text.split(",") if part)
    return {number: mark for name, _, mark in pairs if (number := match_number(name)) is not None}


async def wall(request: Request) -> Response:
    """`/live/wall?size=4&run=3&shown=12,13&have=12:running.7.1`: the wall's boards as they stand now."""
    asked = request.query_params
    size = match_number(asked.get("size")) or 0
    shown: Sequence[int] = _numbers(asked.get("shown", ""))

    def look() -> Response:
        try:
            found = live.wall(
                live.follower(open_store()),
                size=size if size in live.SIZES else live.SIZES[1],
                run=match_number(asked.get("run")),
                shown=shown,
                have=_marks(asked.get("have", "")),
                now=live.now(),
            )
        except StoreError as error:
            return JSONResponse({"fault": str(error)}, UNREADABLE)
        return JSONResponse(found, headers={"Cache-Control": "no-store"})

    return await run_in_threadpool(look)


app = st.App(
    Path(__file__).with_name("app.py"),
    routes=[
        Mount(
            "/live",
            routes=[Route("/wall", wall)],
            middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(HERE))],
        )
    ],
)
